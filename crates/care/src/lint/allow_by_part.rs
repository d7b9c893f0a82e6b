//! An approval that looks at only a part of a command.

use std::ops::Range;

use anyhook_core::manifest::Severity;

use super::allow_everything::allows;
use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH032",
    slug: "allow-by-part",
    severity: Severity::Error,
    about: "A rule approves a whole command line because of a part of it.",
    page: "`runs('git status')` holds wherever a line runs that program, also for `git status; curl … | sh`: right for a \
           refusal, and an open door for an approval. The same goes for `contains` and `startsWith` on a command. \
           `only_runs` holds for one plain command that begins so, with nothing before, behind or inside it.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('git status')", "then": {"allow": "it only reads"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "only_runs('git status')", "then": {"allow": "it only reads"}}
]}]}}"#,
    )]),
    says: &[],
    find,
};

/// What holds for a whole line because of a part of it.
const PARTS: &[&str] = &["runs(", "command.contains(", "command.startsWith("];

fn find(linted: &Linted<'_>) -> Vec<Note> {
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
