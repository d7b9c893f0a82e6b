//! An approval that looks at only a part of a command.

use std::ops::Range;

use anyhook_core::manifest::{Action, Entry};
use anyhook_core::result::Kind;

use super::Note;
use super::linted::Linted;

/// What holds for a whole line because of a part of it.
const PARTS: &[&str] = &["runs(", "command.contains(", "command.startsWith("];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for site in linted.sites().filter(|site| allows(site.entry)) {
        let Some(when) = &site.entry.when else {
            continue;
        };
        let strict = when.text.contains("only_runs(");
        if let Some(part) = part(&when.text).filter(|_| !strict) {
            let message = "this approves a whole command line because of a part of it";
            let help = "`only_runs` holds for one plain command and nothing else";
            notes.push(Note::new(when.at.within(&when.text, &part), message).help(help));
        }
    }
    notes
}

/// Finds a condition about a part, outside of texts and not turned round.
fn part(when: &str) -> Option<Range<usize>> {
    let found = PARTS.iter().flat_map(|part| when.match_indices(part));
    let mut found = found.filter(|(at, _)| {
        let before = when.get(..*at).unwrap_or_default();
        let quotes = before.matches(['\'', '"']).count();
        let name = before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let turned = before.trim_end().ends_with('!');
        quotes.is_multiple_of(2) && !name && !turned
    });
    found.next().map(|(at, part)| at..at + part.len() - 1)
}

/// Tells whether a rule says allow.
fn allows(entry: &Entry) -> bool {
    matches!(&entry.action, Action::Rule(then) if matches!(then.verdict, Some((Kind::Allow, _))))
}
