//! A hook that never lets the agent stop.

use std::collections::BTreeSet;

use anyhook_core::hook::Mode;
use anyhook_core::manifest::{Action, Lines, Place, Severity};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH025",
    slug: "stop-loop",
    severity: Severity::Warning,
    about: "A hook sends the agent back to work and never asks whether it did so before.",
    page: "Refusing `stop` means: go on working. The agent works, wants to stop, and the hook is asked again. A hook that \
           does not look at `stop_hook_active` may send it back for ever. Here eight refusals in a row are the most; not \
           every agent counts.",
    bad: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/test.sh", "timeout": 60}
]}]}}"#,
        ),
        File::at(
            "scripts/test.sh",
            "#!/bin/sh\nif ! ./run-tests; then\n  echo 'the tests fail' >&2\n  exit 2\nfi\n",
        ),
    ]),
    good: Sample::of(&[
        File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "sh ${PACKAGE_ROOT}/scripts/test.sh", "timeout": 60}
]}]}}"#,
        ),
        File::at(
            "scripts/test.sh",
            "#!/bin/sh\n[ \"$(anyhook get stop_hook_active)\" = true ] && exit 0\nif ! ./run-tests; then\n  echo 'the tests fail' >&2\n  exit 2\nfi\n",
        ),
    ]),
    says: &[],
    find,
};

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

fn find(linted: &Linted<'_>) -> Vec<Note> {
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
