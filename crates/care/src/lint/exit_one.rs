//! Exit code 1 where a refusal was meant.

use std::collections::BTreeSet;

use anyhook_core::hook::OnFault;
use anyhook_core::taxonomy::Class;

use super::Note;
use super::linted::{Linted, Site};
use super::shell_lines::{Line, lines, refuses};

/// How a script ends with 1, and how it says something.
const ENDS: &[&str] = &["exit 1", "exit(1)"];
const SAYS: &[&str] = &[
    "echo", "printf", "cat", "print(", "console.", "stderr", "stdout",
];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands().filter(|(site, _)| is_told(*site)) {
        if accident(&command.command).is_some() {
            notes.push(note(linted.command_at(site)));
        }
    }
    let mut seen = BTreeSet::new();
    for (_, script, text) in linted.texts().filter(|(site, ..)| is_told(*site)) {
        if let Some(line) = accident(text).filter(|_| seen.insert(&script.path)) {
            notes.push(note(line.at).of(&script.path));
        }
    }
    notes
}

fn note(at: anyhook_core::manifest::Place) -> Note {
    let message = "this refusal ends with 1, and the action goes on";
    Note::new(at, message).help("end it with 2")
}

/// Tells whether a refusal would count here, and a failure would not.
fn is_told(site: Site<'_>) -> bool {
    let refuses = matches!(site.entry.on_failure, Some(OnFault::Deny | OnFault::Halt));
    matches!(site.class(), Class::Gate | Class::Continuation) && !site.entry.guard && !refuses
}

/// Finds a line that ends with 1 behind words of a refusal: in the same line, or just above in the same block.
fn accident(text: &str) -> Option<Line<'_>> {
    let all = lines(text);
    let at = all.iter().enumerate().position(|(at, line)| {
        let above = all.get(at.saturating_sub(2)..at).unwrap_or_default();
        let above = above
            .iter()
            .rev()
            .take_while(|above| above.indent == line.indent && !above.turns());
        let mut near = std::iter::once(line).chain(above);
        let says = |line: &Line<'_>| {
            SAYS.iter().any(|says| line.text.contains(says)) && refuses(line.text)
        };
        let ends = ENDS.iter().any(|ends| ends_here(line.text, ends));
        ends && near.any(says)
    })?;
    all.into_iter().nth(at)
}

fn ends_here(line: &str, ends: &str) -> bool {
    let mut ends = line.match_indices(ends);
    ends.any(|(at, found)| {
        let after = line.get(at + found.len()..).unwrap_or_default();
        !after.starts_with(|c: char| c.is_ascii_digit())
    })
}
