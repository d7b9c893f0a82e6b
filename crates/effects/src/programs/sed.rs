//! Scripts of `sed`: what they do besides editing.

use super::call::Call;
use crate::effect::{Certainty, Effect, Kind};
use crate::word::Word;

/// The scripts of a command: the values of these options, or else its first operand.
pub(super) fn scripts_of(call: &Call<'_>, options: &[&str]) -> Vec<Word> {
    let given: Vec<Word> = options
        .iter()
        .flat_map(|name| call.reading.values(name))
        .cloned()
        .collect();
    let from_file = call.may("f");
    match call.reading.operands.first() {
        Some(first) if given.is_empty() && !from_file => vec![first.word.clone()],
        _ => given,
    }
}

/// What `sed` scripts do besides editing: `w FILE`, `r FILE`, `e COMMAND`.
pub(super) fn sed(call: &mut Call<'_>) {
    if call.may("f") {
        call.opaque = true;
    }
    for script in scripts_of(call, &["e"]) {
        let Some(text) = script.known() else {
            code_may_act(call, "sed");
            continue;
        };
        for act in sed_acts(&text) {
            match act {
                SedAct::Writes(file) => {
                    call.act_path(Kind::Write, &Word::text(file), Certainty::Likely, false);
                }
                SedAct::Reads(file) => {
                    call.act_path(Kind::Read, &Word::text(file), Certainty::Likely, false);
                }
                SedAct::Runs(text) if text.is_empty() => call.shell(Word::unknown(), Vec::new()),
                SedAct::Runs(text) => call.shell(Word::text(text), Vec::new()),
                SedAct::Unclear => code_may_act(call, "sed"),
            }
        }
    }
    if call.may("i") {
        let sure = if call.has("i") {
            Certainty::Exact
        } else {
            Certainty::Unknown
        };
        let from_operand = !(call.may("e") || call.may("f"));
        let suffix = call.reading.values("i").last().cloned();
        for word in call.words().iter().skip(usize::from(from_operand)) {
            call.act_path(Kind::Read, word, sure, false);
            if let Some(suffix) = &suffix {
                call.keeps_copy(word, suffix);
            }
        }
    }
}

/// Code that cannot be read may write anything and run anything.
pub(super) fn code_may_act(call: &mut Call<'_>, language: &str) {
    let through = format!("{language} script");
    let own = std::mem::replace(&mut call.name, through);
    for effect in Effect::anything(&call.name) {
        if matches!(effect.kind, Kind::Read | Kind::Write | Kind::Exec) {
            call.acts.note(effect);
        }
    }
    call.name = own;
}

enum SedAct {
    Writes(String),
    Reads(String),
    Runs(String),
    Unclear,
}

/// Reads a `sed` script as far as is needed to find its commands.
fn sed_acts(script: &str) -> Vec<SedAct> {
    let mut acts = Vec::new();
    let mut left = script;
    while let Some(letter) = left.chars().next() {
        left = left.get(letter.len_utf8()..).unwrap_or_default();
        let rest = match letter {
            '/' => until(left, '/').map(|(_, rest)| rest),
            '\\' => addressed(left),
            's' | 'y' => substitutes(letter, left, &mut acts),
            'w' | 'W' | 'r' | 'R' | 'e' => {
                let (argument, rest) = line(left);
                let argument = argument.trim().to_owned();
                acts.push(match letter {
                    'w' | 'W' => SedAct::Writes(argument),
                    'e' => SedAct::Runs(argument),
                    _ => SedAct::Reads(argument),
                });
                Some(rest)
            }
            // Text to add reaches to the end of the line, names of labels to the next command.
            'a' | 'i' | 'c' => Some(added(left)),
            '#' => Some(line(left).1),
            'b' | 't' | 'T' | ':' | 'q' | 'Q' | 'l' | 'v' | 'L' => {
                let end = left.find([';', '}', '\n']).unwrap_or(left.len());
                left.get(end..)
            }
            _ => Some(left),
        };
        let Some(rest) = rest else {
            acts.push(SedAct::Unclear);
            return acts;
        };
        left = rest;
    }
    acts
}

/// Returns what follows an address such as `\\,re,`.
fn addressed(text: &str) -> Option<&str> {
    let end = text.chars().next()?;
    let body = text.get(end.len_utf8()..)?;
    until(body, end).map(|(_, rest)| rest)
}

/// Reads `s/a/b/flags` and returns what follows.
fn substitutes<'t>(letter: char, text: &'t str, acts: &mut Vec<SedAct>) -> Option<&'t str> {
    let (flags, rest) = replaced(text)?;
    if letter == 'y' {
        return Some(rest);
    }
    let end = flags
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(flags.len());
    let (letters, file) = match flags.get(..end)?.find('w') {
        Some(at) => (flags.get(..at)?, flags.get(at + 1..)),
        None => (flags.get(..end)?, None),
    };
    if letters.contains('e') {
        acts.push(SedAct::Runs(String::new()));
    }
    let Some(file) = file else {
        return Some(rest);
    };
    let (file, rest) = line(file);
    acts.push(SedAct::Writes(file.trim().to_owned()));
    Some(rest)
}

/// Splits at the end of the line.
fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Returns what follows text that goes on where a line ends in a backslash.
fn added(text: &str) -> &str {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == '\n' && !escaped {
            return text.get(at + 1..).unwrap_or_default();
        }
        escaped = letter == '\\' && !escaped;
    }
    ""
}

/// Splits behind the next such letter that is not escaped nor in brackets.
fn until(text: &str, end: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let mut bracket = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == end && !bracket => {
                return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
            }
            '[' => bracket = true,
            ']' => bracket = false,
            _ => {}
        }
    }
    // A bracket that does not close is none.
    let (before, rest) = text.split_once(end)?;
    Some((before, rest))
}

/// Returns what follows both halves of `s/a/b/`: once as flags and once as the rest of the script.
fn replaced(text: &str) -> Option<(&str, &str)> {
    let end = text.chars().next()?;
    let body = text.get(end.len_utf8()..)?;
    let (_, second) = until(body, end)?;
    let (_, rest) = plain_until(second, end)?;
    let flags = rest
        .find(|c: char| !(c.is_ascii_digit() || "gpiImMe".contains(c)))
        .unwrap_or(rest.len());
    Some((rest, rest.get(flags..)?))
}

fn plain_until(text: &str, end: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == end && !escaped {
            return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}
