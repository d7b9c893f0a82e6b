//! The same hook twice.

use anyhook_core::manifest::Severity;
use anyhook_engine::load::hooks;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH037",
    slug: "duplicate",
    severity: Severity::Warning,
    about: "The same hook stands in the file twice.",
    page: "Two entries of one event that do the same for the same subjects run once. A person who changes one of them later \
           has two different hooks, and wonders why the old one still answers.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5},
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"stop": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let hooks = hooks(linted.manifest, linted.file);
    let sites: Vec<_> = linted.sites().filter(|site| site.entry.enabled).collect();
    let all: Vec<_> = hooks.iter().zip(&sites).collect();
    let mut notes = Vec::new();
    for (at, (hook, site)) in all.iter().enumerate() {
        let mut before = all.iter().take(at);
        let only = linted.document.text(&site.entry.at, "if");
        let twin = before.find(|(other, first)| {
            let same_if = only == linted.document.text(&first.entry.at, "if");
            hook.is_same(other) && hook.when == other.when && same_if
        });
        if let Some((_, first)) = twin {
            let message = format!(
                "the same hook stands in line {} already",
                first.entry.at.line
            );
            notes.push(
                Note::new(site.entry.at.clone(), message).help("keep one of them: they run once"),
            );
        }
    }
    notes
}
