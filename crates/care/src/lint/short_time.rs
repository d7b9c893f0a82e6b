//! A default that is too short for a process.

use std::time::Duration;

use anyhook_core::manifest::{Action, Severity};

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH038",
    slug: "short-time",
    severity: Severity::Warning,
    about: "A hook does not say how long it may take, and its agent ends it almost at once.",
    page: "At the end of a session Claude Code gives a hook a second and a half, unless it says otherwise: an interpreter \
           that has to start, or a file that has to be written, may be cut off in the middle. Say how long it takes. In a \
           plugin the `timeout` of a hook does not change that: there the hook has to leave the work to a process in the \
           background.",
    bad: Sample::of(&[File::at(
        ".claude/settings.json",
        r#"{"hooks": {"SessionEnd": [{"hooks": [
  {"type": "command", "command": "date >> \"$CLAUDE_PROJECT_DIR/sessions.log\""}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        ".claude/settings.json",
        r#"{"hooks": {"SessionEnd": [{"hooks": [
  {"type": "command", "command": "date >> \"$CLAUDE_PROJECT_DIR/sessions.log\"", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

/// Below this a process may not even have started.
pub(super) const SHORT: Duration = Duration::from_secs(3);

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let Some(format) = linted.format else {
        return Vec::new();
    };
    let commands = linted
        .sites()
        .filter(|site| matches!(site.entry.action, Action::Command(_)));
    let cut = commands.filter(|site| {
        let mut fields = format.timeout.fields.iter();
        let says = fields.any(|field| linted.document.field(&site.entry.at, field).is_some());
        format.timeout.of(site.event()) < SHORT && (!says || linted.is_plugin())
    });
    let notes = cut.map(|site| {
        let seconds = format.timeout.of(site.event()).as_secs_f64();
        let message = format!("`{}` ends this hook after {seconds} seconds", format.host);
        let help = if linted.is_plugin() {
            "in a plugin no `timeout` changes that: let the hook start in the background what takes longer"
        } else {
            "say how long it may take, as `\"timeout\"`"
        };
        Note::new(site.entry.at.clone(), message).help(help)
    });
    notes.collect()
}
