//! A guard whose failure lets the action through.

use anyhook_core::hook::{Mode, OnFault};
use anyhook_core::taxonomy::Class;
use anyhook_wires::native_files::{Failure, Refuses};

use super::Note;
use super::linted::Linted;

/// Words by which people call a guard.
const GUARDS: &[&str] = &[
    "guard",
    "block",
    "deny",
    "protect",
    "safety",
    "prevent",
    "forbid",
    "dangerous",
    "validate",
    "firewall",
];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let entry = site.entry;
        let lets_through =
            !entry.guard && matches!(entry.on_failure, None | Some(OnFault::Continue));
        let counts = site.class() == Class::Gate && entry.mode == Mode::Enforce;
        let names = [
            entry.name.as_deref(),
            site.group.name.as_deref(),
            Some(&*command.command),
        ];
        let mut words = names.into_iter().flatten().flat_map(words);
        let sounds = words.find(|word| GUARDS.contains(&&**word));
        let Some(word) = sounds.filter(|_| lets_through && counts) else {
            continue;
        };
        let message =
            format!("`{word}` sounds like a guard, and when this hook fails the action goes on");
        let note = Note::new(entry.at.clone(), message);
        notes.push(match how(linted) {
            Some(how) => note.help(format!("write `{how}`, so that its failure refuses")),
            None => note.help("this agent cannot be told otherwise; a universal hooks.json can"),
        });
    }
    notes
}

/// How a file says that a failure refuses.
fn how(linted: &Linted<'_>) -> Option<String> {
    match linted.format.map(|format| format.failure) {
        None => Some(r#""guard": true"#.to_owned()),
        Some(Failure::Where(field, Refuses::True)) => Some(format!(r#""{field}": true"#)),
        Some(Failure::Where(field, Refuses::Word(word) | Refuses::Unless(word, _))) => {
            Some(format!(r#""{field}": "{word}""#))
        }
        Some(Failure::On(_) | Failure::Never) => None,
    }
}

/// The words of a name, lowercase: of the last part of a path, without what is no letter.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    parts.map(str::to_lowercase).collect()
}
