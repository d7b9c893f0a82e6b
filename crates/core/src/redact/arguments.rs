//! Secrets that a command gets as an argument or as its input: a table says which, program by program.
//!
//! A text is read as a shell would split it, wherever commands may stand in it: in quotes, behind `sudo`, in a file. What
//! only looks like such a command loses a word in the record, and nothing else.

use std::ops::Range;

mod words;

use self::words::{ArgumentWord, ParsedCommand, ShellLexer};
use super::scan;

// `ROWS`; `NAMES` with the rows of each program, by length and then by letters; `EVERYWHERE`, what is a secret behind every program.
include!(concat!(env!("OUT_DIR"), "/arguments.rs"));

/// What one row of the table says about its programs.
struct ProgramSecrets {
    /// A word that stands in the command too.
    word: &'static str,
    secrets: &'static [SecretArgument],
}

/// One kind of secret: that of an option, an operand or the input.
struct SecretArgument {
    name: &'static str,
    takes: SecretPosition,
    /// Only what follows this text is one.
    mark: &'static str,
}

/// Where a secret stands.
#[derive(Clone, Copy, PartialEq)]
enum SecretPosition {
    /// Attached to its option, behind a `=`, or in the next word.
    Any,
    Attached,
    BehindEquals,
    Next,
    FirstOperand,
    LastOperand,
    EachOperand,
    Input,
}

/// What may stand inside a name without being a letter of it.
const QUOTES: [char; 3] = ['\'', '"', '\\'];
/// Programs whose operands are what they print.
const PRINTERS: &[&str] = &["echo", "printf", "print"];
/// Texts in quotes that are texts with quotes again are looked into this often.
const DEEPEST: usize = 4;

/// Finds the secrets of all commands in a text, in no order.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if may_give(text) {
        within(text, 0..text.len(), 0, &mut found);
    }
    let is_marker = |range: &Range<usize>| {
        text.get(range.clone())
            .is_some_and(|text| text.starts_with("[REDACTED:"))
    };
    found.retain(|range| !range.is_empty() && !is_marker(range));
    found
}

/// Finds the secrets in a list of words, the last one first, each with its place in the list.
pub(super) fn find_in_list(list: &[&str]) -> Vec<(usize, Range<usize>)> {
    let mut start = 0;
    let mut starts = Vec::new();
    let words = list.iter().map(|text| {
        starts.push(start);
        let at = (start..start + text.len()).collect();
        start += text.len() + 1;
        let text = (*text).to_owned();
        ArgumentWord {
            text,
            at,
            is_literal: true,
        }
    });
    let command = ParsedCommand {
        words: words.collect(),
        ..ParsedCommand::default()
    };
    let mut found = Vec::new();
    command.secrets(None, &mut found);
    // Several rows may find the same word.
    let found = scan::merged(found.into_iter().map(|range| (range, 0)).collect());
    let placed = found.into_iter().rev().filter_map(|(range, _)| {
        let place = starts.iter().rposition(|start| *start <= range.start)?;
        let start = starts.get(place)?;
        Some((place, range.start - start..range.end - start))
    });
    placed.collect()
}

/// Tells whether a text names a program of the table or an option that is secret everywhere. Most texts name none, and are not
/// taken apart.
fn may_give(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_known = |word: &str| {
        word.starts_with("--") && EVERYWHERE.iter().any(|option| option.name == word)
            || rows(word).next().is_some()
    };
    let names_one = |text: &str| text.split(|c| !is_letter(c)).any(is_known);
    // A word alone is given to nothing.
    let has_words = text.contains([' ', '\t']);
    has_words && (names_one(text) || text.contains(QUOTES) && names_one(&text.replace(QUOTES, "")))
}

fn within(text: &str, part: Range<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
    let (commands, quoted) = ShellLexer::new(text, part).commands();
    let mut before = None;
    for command in &commands {
        command.secrets(before.filter(|_| command.is_piped), found);
        before = Some(command);
    }
    if depth < DEEPEST {
        for part in quoted {
            within(text, part, depth + 1, found);
        }
    }
}

/// Returns the rows of a program.
fn rows(program: &str) -> impl Iterator<Item = &'static ProgramSecrets> {
    let wanted = (program.len(), program);
    let at = NAMES.binary_search_by(|(name, _)| (name.len(), *name).cmp(&wanted));
    let rows = at.ok().and_then(|at| NAMES.get(at));
    let rows = rows.map_or(&[][..], |(_, rows)| *rows);
    rows.iter().filter_map(|row| ROWS.get(*row))
}

impl ParsedCommand {
    /// Finds what its programs get, and what they read of the command before it.
    fn secrets(&self, before: Option<&Self>, found: &mut Vec<Range<usize>>) {
        for (at, word) in self.words.iter().enumerate() {
            let behind = self.words.get(at..).unwrap_or_default();
            for row in rows(word.program()) {
                let has = |wanted: &str| behind.iter().any(|word| is_given(word, wanted));
                if row.word.is_empty() || has(row.word) {
                    self.given(behind, row.secrets, before, found);
                }
            }
        }
        self.given(&self.words, EVERYWHERE, before, found);
    }

    fn given(
        &self,
        words: &[ArgumentWord],
        secrets: &[SecretArgument],
        before: Option<&Self>,
        found: &mut Vec<Range<usize>>,
    ) {
        for secret in secrets {
            match secret.takes {
                SecretPosition::Input => self.input(before, found),
                _ => found.extend(secrets_of(words, secret)),
            }
        }
    }

    fn input(&self, before: Option<&Self>, found: &mut Vec<Range<usize>>) {
        found.extend(self.inputs.iter().cloned());
        let words = before.map(|before| &*before.words).unwrap_or_default();
        let at = words
            .iter()
            .position(|word| PRINTERS.contains(&word.program()));
        let printed = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let told = printed
            .iter()
            .filter(|word| !word.is_option() && !word.text.starts_with('%'));
        found.extend(told.filter_map(|word| word.from(0)));
    }
}

/// Tells whether a word, or a letter of its short options, is given.
fn is_given(word: &ArgumentWord, wanted: &str) -> bool {
    let letter = wanted.strip_prefix('-').filter(|letter| letter.len() == 1);
    let letters = word.text.strip_prefix('-').unwrap_or_default();
    let is_short = letters.chars().all(char::is_alphanumeric);
    word.text == wanted || letter.is_some_and(|letter| is_short && letters.contains(letter))
}

/// Finds one kind of secret in the words of a command, the program first.
fn secrets_of(words: &[ArgumentWord], secret: &SecretArgument) -> Vec<Range<usize>> {
    let mut operands = words.iter().skip(1).filter(|word| !word.is_option());
    let behind = |word: &ArgumentWord| word.behind(0, secret.mark);
    match secret.takes {
        SecretPosition::FirstOperand => operands.next().and_then(behind).into_iter().collect(),
        SecretPosition::LastOperand => operands.next_back().and_then(behind).into_iter().collect(),
        SecretPosition::EachOperand => operands.filter_map(behind).collect(),
        _ => {
            let nexts = words.iter().skip(1).map(Some).chain([None]);
            let found = words.iter().zip(nexts);
            found
                .filter_map(|(word, next)| of_option(word, next, secret))
                .collect()
        }
    }
}

/// Finds the value of an option.
fn of_option(
    word: &ArgumentWord,
    next: Option<&ArgumentWord>,
    secret: &SecretArgument,
) -> Option<Range<usize>> {
    let SecretArgument { name, takes, mark } = *secret;
    let next = next.filter(|next| {
        !next.is_option() && matches!(takes, SecretPosition::Any | SecretPosition::Next)
    });
    let is_short = name.len() == 2 && name.starts_with('-');
    if word.text == name {
        return next?.behind(0, mark);
    }
    if takes == SecretPosition::Next {
        return None;
    }
    if let Some(value) = word.text.strip_prefix(name) {
        let is_attached = is_short || takes == SecretPosition::Attached;
        let skipped = match (value.starts_with('='), is_attached) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => return None,
        };
        return word.behind(name.len() + skipped, mark);
    }
    // The last of several short options: `-su a:b`.
    let letters = word.text.strip_prefix('-')?;
    let is_last = is_short && letters.ends_with(name.get(1..)?);
    let is_group = letters.len() < 6 && letters.chars().all(|c| c.is_ascii_alphabetic());
    if is_last && is_group {
        next?.behind(0, mark)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_only_where_it_names_a_program_of_the_table_or_a_secret_option() {
        for text in [
            "mysql -px",
            "/usr/bin/my\"sql\" -px",
            "m\\ysql -px",
            "'C:\\bin\\mysql.exe' -px",
            "run --pass'word' x",
            "run --api-key=x y",
        ] {
            assert!(may_give(text) && !find(text).is_empty(), "{text}");
        }
        for text in [
            "mysql",
            "ls -la src",
            "let a = 1; // a line of a file",
            "a --passwords",
        ] {
            assert!(!may_give(text), "{text}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_looked_up_and_few_other_words_are() {
        assert!(NAMES.len() > 150);
        for (name, _) in NAMES {
            assert!(rows(name).next().is_some(), "{name}");
        }
        assert!(rows("ls").next().is_none() && rows("").next().is_none());
    }
}
