//! Programs that search, compare and edit text.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::effect::Certainty::{self, Exact};
use crate::effect::{EffectKind, Target};
use crate::patch;
use crate::word::Word;

/// `grep`: with `-r` its own folder is searched where no other is named.
pub(super) fn patterns(call: &mut Call<'_>) {
    let folders = searched(call);
    if !call.may("r") {
        return;
    }
    if folders.is_empty() {
        call.does("R", &Word::text("."));
    }
    names_of_files(call, &folders);
}

/// Searches its own folder where no other is named, and prints what options and settings of a folder make of it.
pub(super) fn here(call: &mut Call<'_>) {
    if searched(call).is_empty() {
        call.likely("R", &Word::text("."));
    }
}

/// Searches like [`here`], and prints names where it is asked for them.
pub(super) fn here_by_name(call: &mut Call<'_>) {
    here(call);
    let folders = searched(call);
    names_of_files(call, &folders);
}

/// The operands behind the pattern, which an option may give instead.
fn searched(call: &Call<'_>) -> Vec<Word> {
    let has_pattern = call.may("e f files");
    call.words()
        .into_iter()
        .skip(usize::from(!has_pattern))
        .collect()
}

/// With `-l` it prints the names of the files in which something was found, and nothing else.
fn names_of_files(call: &mut Call<'_>, searched: &[Word]) {
    if !call.has("l") || !call.has_only(words::CHOOSING) {
        return;
    }
    if searched.is_empty() {
        // It passes over what begins with a dot, unless it is asked for all.
        if call.row.name() == "rg" && !call.may("u") {
            call.lists(&[Word::text(".")], vec![Word::name("", "[^.]**")]);
        }
    } else {
        let below = |word: &Word| {
            [
                word.clone(),
                word.below(&Word::default()).with_pattern("**"),
            ]
        };
        let names = searched.iter().flat_map(below).collect();
        call.lists(searched, names);
    }
}

/// The patch of an agent, as its argument or its input. Codex carries such a line out itself, without a program of this name.
pub(super) fn agents_patch(call: &mut Call<'_>) {
    let mut texts = call.words();
    if let (true, Input::Text(text)) = (texts.is_empty(), &call.command.input) {
        texts.push(Word::text(text));
    }
    let known = Word::all_known(&texts).unwrap_or_default();
    let changes: Vec<_> = known.into_iter().flat_map(patch::changes).collect();
    if changes.is_empty() {
        call.unknown("wd");
    }
    for (kind, path, sure) in changes {
        call.act_path(kind, &Word::text(path), sure, false);
    }
}

/// The scripts of a command: the values of these options, or else its first operand.
fn scripts(call: &Call<'_>, options: &str) -> Vec<Word> {
    let given = call.values(options);
    if given.is_empty() && !call.may("f") {
        return call.words().into_iter().take(1).collect();
    }
    given
}

/// `sed`: a script that only edits, or one that may do anything.
pub(super) fn sed(call: &mut Call<'_>) {
    call.values("f").iter().for_each(|file| call.loads(file));
    for script in scripts(call, "e") {
        let edits = script.known().and_then(only_edits);
        if edits.is_none() {
            call.by_name("sed script".to_owned(), may_act);
        }
    }
    if call.may("i") {
        let sure = if call.has("i") {
            Exact
        } else {
            Certainty::Unknown
        };
        let suffix = call.values("i").pop();
        for word in call.words().iter().skip(usize::from(!call.may("e f"))) {
            call.letter('r', Some(word), sure);
            call.keeps_copy(word, suffix.as_ref());
        }
    }
}

/// Code that cannot be read may write anything and run anything.
fn may_act(call: &mut Call<'_>) {
    call.unknown("rw");
    call.effect(EffectKind::Exec, Target::Unknown, Certainty::Unknown);
}

/// Reads a script of `sed` to its end, unless it may do more than edit: `w`, `r`, `e`, also behind `s///`.
fn only_edits(script: &str) -> Option<()> {
    let mut rest = script;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..)?;
        rest = match letter {
            '/' => part(rest, '/')?.trim_start_matches(['I', 'M']),
            '\\' => delimited(rest, 1)?,
            'y' => delimited(rest, 2)?,
            's' => {
                let is_flag = |letter: char| "gpIiMm0123456789".contains(letter);
                let behind = delimited(rest, 2)?.trim_start_matches(is_flag);
                let ends = |letter: char| " ;}\n\t#".contains(letter);
                Some(behind).filter(|behind| behind.is_empty() || behind.starts_with(ends))?
            }
            // Text to add, comments and names of labels.
            'a' | 'i' | 'c' | '#' => added(rest, letter != '#'),
            'b' | 't' | 'T' | ':' => {
                rest.trim_start_matches(|letter: char| !";}\n".contains(letter))
            }
            'd' | 'D' | 'p' | 'P' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'q'
            | 'Q' | 'l' | 'F' => rest,
            letter if letter.is_ascii_digit() || " \t\n;,!~+$I{}".contains(letter) => rest,
            _ => return None,
        };
    }
    Some(())
}

/// Returns what follows as many parts as there are, each with the sign at its end that stands in front of the first.
fn delimited(text: &str, parts: usize) -> Option<&str> {
    let end = text.chars().next()?;
    if matches!(end, '\\' | '\n') {
        return None;
    }
    let rest = part(text.get(end.len_utf8()..)?, end)?;
    if parts == 1 {
        return Some(rest);
    }
    // Brackets stand for themselves in what comes in place.
    let at = unescaped(rest, end)?;
    rest.get(at + end.len_utf8()..)
}

/// Returns what follows a pattern: no sign in brackets ends it.
fn part(text: &str, end: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            letter if letter == end => return text.get(at + letter.len_utf8()..),
            '\\' => drop(letters.next()),
            '[' => {
                let inside = text.get(at + 1..)?;
                let inside = inside.strip_prefix('^').unwrap_or(inside);
                // A bracket that comes first is in the set, and classes such as `[:alpha:]` have brackets of their own.
                let set = inside.get(1..)?.replace("[:", "  ").replace(":]", "  ");
                let length = set.find(']')?;
                if set.get(..length)?.ends_with('\\') || inside.starts_with('\\') {
                    return None;
                }
                let behind = text.len() - inside.len() + 1 + length;
                while letters.clone().next().is_some_and(|(at, _)| at <= behind) {
                    letters.next();
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the next such sign stands without a backslash in front of it.
fn unescaped(text: &str, end: char) -> Option<usize> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == end && !escaped {
            return Some(at);
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}

/// Returns what follows text that goes on where a line ends in a backslash, if it can.
fn added(text: &str, goes_on: bool) -> &str {
    let at = if goes_on {
        unescaped(text, '\n')
    } else {
        text.find('\n')
    };
    at.and_then(|at| text.get(at..)).unwrap_or_default()
}

/// `awk`: a program that only prints, one that writes files, or one that may do anything.
pub(super) fn awk(call: &mut Call<'_>) {
    call.values("f i E")
        .iter()
        .for_each(|file| call.loads(file));
    let scripts = scripts(call, "source");
    let plain = |script: &Word| Some(bare(script.known()?));
    let read: Option<Vec<String>> = scripts.iter().map(plain).collect();
    let acts = |text: &String| {
        let words = text.split(|letter: char| letter.is_whitespace() || letter == '\\');
        // Alone it goes on to the next line of the input.
        let next = ["getline;", "getline}"];
        let text = next
            .iter()
            .fold(words.collect(), |text: String, it| text.replace(it, ";"));
        text.replace("||", "").contains('|')
            || words::AWK_ACTS.iter().any(|mark| text.contains(mark))
    };
    match read {
        Some(texts) if !call.reading.unreadable && !texts.iter().any(acts) => {
            if texts.iter().any(|text| redirects(text)) {
                call.unknown("w");
            }
        }
        _ => call.anything(),
    }
}

/// A program of `awk` without its texts, patterns and comments; as it is where one of them may be something else.
fn bare(text: &str) -> String {
    outside_of_texts(text).unwrap_or_else(|| text.to_owned())
}

fn outside_of_texts(text: &str) -> Option<String> {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let behind = rest.get(letter.len_utf8()..)?;
        // Elsewhere a slash divides, or may.
        let before = outside.trim_end();
        let begins = ['(', ',', '{', '}', ';', '!', '~', '&', '|'];
        rest = match letter {
            '"' => {
                let (inside, behind) = behind.split_at(unescaped(behind, '"')?);
                // The terminal is no file.
                if inside == "/dev/stderr" && before.ends_with('>') {
                    outside.truncate(before.len() - 1);
                } else {
                    outside.push('1');
                }
                behind.get(1..)?
            }
            '/' if before.is_empty() || before.ends_with(begins) => {
                outside.push('1');
                let (pattern, behind) = behind.split_at(unescaped(behind, '/')?);
                ends_its_sets(pattern)?;
                behind.get(1..)?
            }
            '/' | '\\' => return None,
            '#' => behind.get(behind.find('\n').unwrap_or(behind.len())..)?,
            _ => {
                outside.push(letter);
                behind
            }
        };
    }
    Some(outside)
}

/// Nothing where a set of letters is open at the end of a pattern, or may be: there a slash may be one of the letters.
fn ends_its_sets(pattern: &str) -> Option<()> {
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '[' => {
                letters.next_if_eq(&'^');
                let mut is_first = true;
                loop {
                    match letters.next()? {
                        ']' if !is_first => break,
                        // A class: `[:alpha:]`.
                        '[' => {
                            letters.next_if_eq(&':')?;
                            letters.find(|letter| *letter == ']')?;
                        }
                        ']' | '\\' => return None,
                        _ => {}
                    }
                    is_first = false;
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// Tells whether a `>` stands behind a `print`, outside of brackets.
fn redirects(text: &str) -> bool {
    text.match_indices("print").any(|(at, _)| {
        let behind = text.get(at..).unwrap_or_default();
        let mut depth = 0;
        let statement = behind.split([';', '}', '\n']).next().unwrap_or_default();
        statement.chars().any(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == '>' && depth <= 0
        })
    })
}

/// The language of `yq` and `mlr`, which may read and write files and run commands.
pub(super) fn expression(call: &mut Call<'_>) {
    for word in call.words() {
        let has = |marks: &[&str]| marks.iter().any(|mark| word.head().contains(mark));
        if has(&["load(", "load_", "strload("]) {
            call.unknown("r");
        }
        if has(words::EXPRESSIONS_ACT) {
            call.anything();
        }
    }
}
