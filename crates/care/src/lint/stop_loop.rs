//! A hook that never lets the agent stop.

use std::collections::BTreeSet;

use anyhook_core::hook::Mode;
use anyhook_core::manifest::{Action, Lines, Place};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;

use super::Note;
use super::linted::Linted;

/// Names by which a hook asks how often it refused.
const ASKS: &[&str] = &[
    "stop_hook_active",
    "stopHookActive",
    "loop_count",
    "loopCount",
    "consecutive",
];

/// How a script refuses.
const REFUSES: &[&str] = &[
    "exit 2",
    "exit(2)",
    "\"block\"",
    "'block'",
    "followup_message",
];

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let stops = linted
        .sites()
        .filter(|site| site.class() == Class::Continuation && site.entry.mode == Mode::Enforce);
    let mut notes = Vec::new();
    for site in stops {
        match &site.entry.action {
            Action::Rule(then) => {
                let refuses = matches!(&then.verdict, Some((Kind::Deny, _)));
                if refuses && site.entry.when.is_none() {
                    notes.push(note(linted.at(site, "then")));
                }
            }
            Action::Command(command) if refusal(&command.command).is_some() => {
                notes.push(note(linted.command_at(site)));
            }
            Action::Command(_)
            | Action::Prompt(_)
            | Action::Http(_)
            | Action::Builtin(_)
            | Action::Broken(_) => {}
        }
    }
    let mut seen = BTreeSet::new();
    for (site, script, text) in linted.texts() {
        let stops = site.class() == Class::Continuation && site.entry.mode == Mode::Enforce;
        if let Some(at) = refusal(text).filter(|_| stops && seen.insert(&script.path)) {
            notes.push(note(Lines::new(0, text).place(at)).of(&script.path));
        }
    }
    notes
}

fn note(at: Place) -> Note {
    let message = "this refuses to stop, and nothing asks whether it did so before";
    Note::new(at, message).help("let the agent stop where the payload says `stop_hook_active`")
}

/// Finds a refusal in a text that never asks.
fn refusal(text: &str) -> Option<std::ops::Range<usize>> {
    if ASKS.iter().any(|asks| text.contains(asks)) {
        return None;
    }
    let said = super::shell_lines::lines(text);
    let line = said
        .iter()
        .find(|line| REFUSES.iter().any(|refuses| line.text.contains(refuses)))?;
    Some(line.at.span.clone())
}
