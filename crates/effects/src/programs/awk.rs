//! Programs of `awk`: what they do besides printing.

use std::iter::Peekable;
use std::str::Chars;

use super::call::Call;
use super::sed::{code_may_act, scripts_of};
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// What `awk` programs do besides printing: `print > FILE`, `system()`, `| getline`.
pub(super) fn awk(call: &mut Call<'_>) {
    if call.may("f") || call.may("i") || call.may("E") {
        call.opaque = true;
    }
    if call.reading.unreadable {
        call.anything();
        return;
    }
    for script in scripts_of(call, &["source"]) {
        let Some(text) = script.known() else {
            call.anything();
            continue;
        };
        let Plain {
            text: plain,
            is_sure,
        } = read(&text);
        if !is_sure {
            call.anything();
        }
        for command in commands(&text, &plain) {
            match command {
                Some(command) => {
                    let words = ["sh", "-c", &command].map(Word::text).to_vec();
                    call.run_with(words, false, Vec::new(), Input::unknown());
                }
                None => call.anything(),
            }
        }
        let reads = plain.match_indices("getline").any(|(at, _)| {
            let behind = plain.get(at..).unwrap_or_default();
            let own = behind.split([';', '}', '\n']).next().unwrap_or_default();
            own.contains('<')
        });
        if reads || plain.contains("ARGV[") {
            call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
        }
        if ["@", "inplace"].iter().any(|word| plain.contains(word)) {
            code_may_act(call, "awk");
        }
        for file in awk_targets(&text, &plain) {
            match file {
                Some(file) if file == "/dev/stderr" || file == "/dev/stdout" => {}
                Some(file) => {
                    call.act_path(Kind::Write, &Word::text(file), Certainty::Likely, false);
                }
                None => call.effect(Kind::Write, Object::Unknown, Certainty::Unknown),
            }
        }
    }
}

/// A program of `awk`, as it is read.
struct Plain {
    /// The program with spaces in place of what stands in quotes, between slashes or in comments. Each sign stands where it
    /// stood.
    text: String,
    /// Whether it is known of each slash that it divides, or begins a pattern. Where it is not, what seems to stand in text may
    /// be code.
    is_sure: bool,
}

/// What a slash is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Divides,
    Begins,
    /// Programs of the name `awk` differ.
    Unknown,
}

/// Behind these signs and words a slash begins a pattern.
const BEFORE_OPERANDS: &str = "{},;!~&|=?:<>+-*/%^\n";
const BEFORE_PATTERNS: &[&str] = &[
    "print", "printf", "return", "exit", "in", "case", "else", "do",
];
/// Behind these ones some programs divide.
const WITHOUT_ARGUMENTS: &[&str] = &[
    "length", "getline", "next", "nextfile", "break", "continue", "default",
];

/// Reads a program.
fn read(script: &str) -> Plain {
    let mut text = String::new();
    let mut is_sure = true;
    // Of each bracket that is open, whether a condition is in it.
    let mut open = Vec::new();
    let mut slash = Slash::Begins;
    let mut letters = script.chars().peekable();
    while let Some(letter) = letters.next() {
        let quotes = letter == '"' || letter == '/' && slash != Slash::Divides;
        if quotes || letter == '#' {
            is_sure &= letter != '/' || slash == Slash::Begins;
            text.push(if letter == '#' { ' ' } else { letter });
            let end = if letter == '#' { '\n' } else { letter };
            is_sure &= pass_over(&mut letters, end, &mut text);
            slash = match letter {
                '"' => Slash::Divides,
                '/' => Slash::Unknown,
                _ => Slash::Begins,
            };
            continue;
        }
        slash = match letter {
            '(' => {
                open.push(["if", "while", "for", "switch"].contains(&last_word(&text)));
                Slash::Begins
            }
            ')' if open.pop() == Some(true) => Slash::Unknown,
            ')' | ']' => Slash::Divides,
            '+' | '-' if text.ends_with(letter) => Slash::Unknown,
            ' ' | '\t' | '\r' => slash,
            // The line goes on behind it.
            '\n' if text.ends_with('\\') => Slash::Unknown,
            letter if letter.is_alphanumeric() || "._".contains(letter) => Slash::Divides,
            letter if BEFORE_OPERANDS.contains(letter) => Slash::Begins,
            _ => Slash::Unknown,
        };
        text.push(letter);
        if slash == Slash::Divides && letters.peek().is_some_and(|next| " \t/".contains(*next)) {
            slash = behind(last_word(&text));
        }
    }
    Plain { text, is_sure }
}

/// Reads up to a sign, with spaces in place of what comes before it; returns whether all agree that it ends there.
fn pass_over(letters: &mut Peekable<Chars<'_>>, end: char, text: &mut String) -> bool {
    let (mut escaped, mut in_set, mut passed) = (false, false, String::new());
    let mut is_sure = true;
    for letter in letters.by_ref() {
        let is_end = letter == end && !escaped && !in_set;
        if is_end || (letter == '\n' && !escaped) {
            text.push(letter);
            // In a set a slash ends the pattern for some programs.
            let is_code = |letter: char| "\"|>(".contains(letter);
            return is_end && (is_sure || !passed.contains(is_code));
        }
        // A `]` that comes first in a set is in it for some programs.
        let is_first = letter == ']' && (passed.ends_with('[') || passed.ends_with("[^"));
        is_sure &= !(in_set && (letter == end || is_first));
        if end == '/' && !escaped {
            in_set = letter == '[' || in_set && letter != ']';
        }
        escaped = end != '\n' && letter == '\\' && !escaped;
        text.extend(std::iter::repeat_n(' ', letter.len_utf8()));
        passed.push(letter);
    }
    end == '\n'
}

/// What a slash behind a word is.
fn behind(word: &str) -> Slash {
    if BEFORE_PATTERNS.contains(&word) {
        Slash::Begins
    } else if WITHOUT_ARGUMENTS.contains(&word) {
        Slash::Unknown
    } else {
        Slash::Divides
    }
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '\t']);
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = text.trim_end_matches(is_part);
    text.strip_prefix(before).unwrap_or_default()
}

/// Returns what the program has a shell run, by `system(…)` and by pipes; `None` for a text that is put together.
fn commands(script: &str, plain: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    found.extend(calls(plain).map(|from| constant(script, plain, from, &[')'])));
    let mut bars = plain.match_indices('|').map(|(at, _)| at).peekable();
    while let Some(at) = bars.next() {
        if bars.next_if_eq(&(at + 1)).is_some() {
            // `||` is no pipe.
            continue;
        }
        let behind = plain.get(at + 1..).unwrap_or_default();
        let behind = behind.strip_prefix('&').unwrap_or(behind);
        if behind.trim_start().starts_with("getline") {
            let before = plain.get(..at).unwrap_or_default().trim_end();
            let from = before
                .strip_suffix('"')
                .and_then(|text| text.rfind('"'))
                .filter(|from| plain.get(..*from).is_some_and(is_beginning));
            found.push(from.and_then(|from| constant(script, plain, from, &['|'])));
        } else {
            found.push(constant(
                script,
                plain,
                plain.len() - behind.len(),
                &[';', '}', '\n'],
            ));
        }
    }
    found
}

/// Where the arguments of each `system(…)` begin.
fn calls(program: &str) -> impl Iterator<Item = usize> {
    program.match_indices("system").filter_map(|(at, name)| {
        let is_part = program
            .get(..at)?
            .ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let open = program.get(at + name.len()..)?.trim_start();
        let is_call = !is_part && open.starts_with('(');
        is_call.then_some(program.len() - open.len() + 1)
    })
}

/// Whether what begins behind this part of a program is not put together with what stands before it.
fn is_beginning(before: &str) -> bool {
    let before = before.trim_end_matches([' ', '\t']);
    before.is_empty()
        || before.ends_with(['{', '}', ';', '(', '\n', '='])
        || before.ends_with("while")
}

/// Reads the text that begins here, if it is one constant up to one of these ends.
fn constant(script: &str, plain: &str, from: usize, ends: &[char]) -> Option<String> {
    let start = from
        + plain
            .get(from..)?
            .find(|letter: char| !letter.is_whitespace())?;
    let inner = plain.get(start..)?.strip_prefix('"')?;
    let length = inner.find('"')?;
    let rest = inner.get(length + 1..)?.trim_start_matches([' ', '\t']);
    if !rest.is_empty() && !rest.starts_with(ends) {
        return None;
    }
    let text = script.get(start + 1..start + 1 + length)?;
    // Signs of awk itself are rare, and read as what they stand for by awk alone.
    (!text.contains('\\')).then(|| text.to_owned())
}

/// Returns the files that `print > "FILE"` names; `None` for one that is put together.
fn awk_targets(script: &str, plain: &str) -> Vec<Option<String>> {
    let plain = plain.as_bytes();
    let mut targets = Vec::new();
    let mut at = 0;
    while let Some(rest) = plain.get(at..).filter(|rest| !rest.is_empty()) {
        if !rest.starts_with(b"print") {
            at += 1;
            continue;
        }
        let end = rest
            .iter()
            .position(|letter| b";}\n".contains(letter))
            .unwrap_or(rest.len());
        let mut depth = 0_usize;
        let mut mark = None;
        for (offset, letter) in rest.iter().take(end).enumerate() {
            match letter {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                b'>' if depth == 0 => mark = Some(at + offset + 1),
                _ => {}
            }
        }
        if let Some(target) = mark.and_then(|mark| script.get(mark..at + end)) {
            let target = target.trim();
            let text = target
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            targets.push(
                text.filter(|text| !text.contains(['"', '\\']))
                    .map(str::to_owned),
            );
        }
        at += end.max(1);
    }
    targets
}
