//! `once` where every call counts.

use anyhook_core::manifest::{Action, Entry};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let once = linted
        .sites()
        .filter(|site| site.entry.once && site.class() == Class::Gate);
    let guards = once.filter(|site| site.entry.guard || refuses(site.entry));
    let notes = guards.map(|site| {
        let message = "this guard looks at the first call of a session and at no other";
        Note::new(linted.at(site, "once"), message).help("leave `once` out")
    });
    notes.collect()
}

/// Tells whether a rule refuses, or asks a person.
fn refuses(entry: &Entry) -> bool {
    let Action::Rule(then) = &entry.action else {
        return false;
    };
    matches!(
        &then.verdict,
        Some((Kind::Ask | Kind::Deny | Kind::Halt, _))
    )
}
