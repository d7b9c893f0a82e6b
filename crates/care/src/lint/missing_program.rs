//! A program that is not installed.

use std::collections::BTreeSet;
use std::path::Path;

use anyhook_core::manifest::Lines;
use anyhook_effects::shell::visit;
use anyhook_engine::processes::find_program;
use anyhook_engine::words::is_builtin;

use super::Note;
use super::linted::Linted;
use super::script::{self, Language};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    if linted.how.path.is_none() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        // Of a line for a shell only what surely runs: the first command.
        let first = script::calls(command).into_iter().next();
        let program = first
            .and_then(|call| call.into_iter().next())
            .unwrap_or_default();
        if is_missing(linted, &program) {
            let message = format!("no program `{program}` is on PATH");
            let help = "install it, or let the hook do without";
            notes.push(Note::new(linted.command_at(site), message).help(help));
        }
    }
    let mut seen = BTreeSet::new();
    for (_, script, text) in linted
        .texts()
        .filter(|(_, script, _)| seen.insert(script.path.clone()))
    {
        let place = Lines::new(0, text);
        let named = script::interpreter_of(text).filter(|_| script.by.is_none());
        if let Some(program) = named.filter(|program| is_missing(linted, program)) {
            let end = text.find('\n').unwrap_or(text.len());
            let message = format!("the script is for `{program}`, which is not there");
            notes.push(Note::new(place.place(0..end), message).of(&script.path));
        }
        if script.language == Language::Shell && is_missing(linted, "jq") {
            notes.extend(jq(text).map(|note| note.of(&script.path)));
        }
    }
    notes
}

fn is_missing(linted: &Linted<'_>, program: &str) -> bool {
    let Some(path) = &linted.how.path else {
        return false;
    };
    if program.starts_with('/') {
        return !Path::new(program).exists();
    }
    // What is no plain word is known to a shell alone, and a path is a script.
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    let of_shells = [
        "echo", "printf", "test", "[", "true", "false", "pwd", "kill",
    ];
    !program.is_empty()
        && program.chars().all(is_word)
        && !is_builtin(program)
        && !of_shells.contains(&program)
        && find_program(program.as_ref(), path, &linted.root).is_none()
}

/// Finds the first use of `jq`; a script that asks whether it is there knows what it does.
fn jq(text: &str) -> Option<Note> {
    let asks = ["command -v jq", "which jq", "type jq", "hash jq"];
    if asks.iter().any(|asks| text.contains(asks)) {
        return None;
    }
    let calls = visit::read(text)?.all.into_iter();
    let mut jq = calls.filter(|call| call.program().first().is_some_and(|word| word == "jq"));
    let at = jq.next()?.at;
    let end = text
        .get(at..)?
        .find('\n')
        .map_or(text.len(), |end| at + end);
    let at = Lines::new(0, text).place(at..end);
    let help = "`anyhook get tool_input.command` prints a field of the payload without it";
    Some(Note::new(at, "the script needs `jq`, which is not on PATH").help(help))
}
