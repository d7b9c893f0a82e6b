//! Two answers on one standard output.

use std::collections::BTreeSet;

use anyhook_core::manifest::Severity;

use super::linted::Linted;
use super::script::Language;
use super::shell_lines::{Line, lines};
use super::{File, Lint, Note, Sample, composed};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH026",
    slug: "two-documents",
    severity: Severity::Error,
    about: "A script prints two answers, one after the other.",
    page: "An agent reads one JSON object from a hook. Of two most agents understand neither, and here the gravest decision \
           counts. Put both into one object, or end the script behind the first.",
    bad: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/say.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at(
            "scripts/say.sh",
            "#!/bin/sh\necho '{\"systemMessage\": \"looking\"}'\necho '{\"decision\": \"block\", \"reason\": \"no\"}'\n",
        ),
    ]),
    good: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/say.sh", "timeout": 5}
]}]}}"#,
        ),
        File::at(
            "scripts/say.sh",
            "#!/bin/sh\necho '{\"systemMessage\": \"looking\", \"decision\": \"block\", \"reason\": \"no\"}'\n",
        ),
    ]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut seen = BTreeSet::new();
    let mut notes = Vec::new();
    let message = "a second answer follows the first, and one is read";
    for (site, command) in linted.commands() {
        if second(&command.command).is_some() {
            let note = Note::new(linted.command_at(site), message);
            notes.push(note.help("put both into one object"));
        }
    }
    for (_, script, text) in linted.texts() {
        let line = match script.language {
            Language::Shell => second(text),
            Language::Python | Language::Script => second_call(text),
            Language::Other => None,
        };
        if let Some(line) = line.filter(|_| seen.insert(&script.path)) {
            let note = Note::new(line.at, message).help("put both into one object");
            notes.push(note.of(&script.path));
        }
    }
    notes
}

/// Finds the second of two answers that surely follow each other.
fn second(text: &str) -> Option<Line<'_>> {
    let mut first: Option<usize> = None;
    for line in lines(text) {
        if says_two(line.text) {
            return Some(line);
        }
        if says_answer(&line) {
            if first == Some(line.indent) {
                return Some(line);
            }
            first = Some(line.indent);
        }
        if line.turns() || first.is_some_and(|indent| line.indent < indent) {
            first = None;
        }
    }
    None
}

/// Finds the second of two documents that Python or JavaScript prints one after the other in the same block.
fn second_call(text: &str) -> Option<Line<'_>> {
    const PRINTS: &[&str] = &[
        "print(json.dumps(",
        "sys.stdout.write(json.dumps(",
        "console.log(JSON.stringify(",
        "process.stdout.write(JSON.stringify(",
    ];
    const TURNS: &[&str] = &[
        "return", "exit", "raise", "throw", "else", "elif", "except", "catch", "case", "file=",
    ];
    let mut first: Option<usize> = None;
    for line in lines(text) {
        let turns = TURNS.iter().any(|word| line.text.contains(word));
        let shallower = first.is_some_and(|indent| line.indent < indent);
        if turns && first.is_none_or(|indent| line.indent <= indent) || shallower {
            first = None;
        }
        if PRINTS.iter().any(|print| line.text.starts_with(print)) && !turns {
            if first == Some(line.indent) {
                return Some(line);
            }
            first = first.or(Some(line.indent));
        }
    }
    None
}

/// Tells whether a line writes an answer, and surely another one behind it.
fn says_two(line: &str) -> bool {
    const SAYS: [&str; 2] = ["echo", "printf"];
    if !SAYS.iter().any(|says| line.starts_with(says)) {
        return false;
    }
    let answers = composed::all(line);
    let pairs = answers.iter().zip(answers.iter().skip(1));
    let mut between = pairs.filter_map(|(one, other)| line.get(one.at.end..other.at.start));
    between.any(|between| {
        let between = between.trim_matches(|c: char| c.is_whitespace() || "'\"".contains(c));
        let second = between
            .strip_prefix(';')
            .or_else(|| between.strip_prefix("&&"));
        second.is_some_and(|second| SAYS.contains(&second.trim()))
    })
}

/// Tells whether a line writes a whole answer to standard output.
fn says_answer(line: &Line<'_>) -> bool {
    let says = line.text.starts_with("echo ") || line.text.starts_with("printf ");
    let answers = composed::all(line.text);
    let Some(last) = answers.last().filter(|_| says) else {
        return false;
    };
    let after = line.text.get(last.at.end..).unwrap_or_default();
    !after.contains('>') && !after.contains('|')
}
