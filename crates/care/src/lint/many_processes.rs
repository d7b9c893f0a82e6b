//! Many processes for one call of a tool.

use anyhook_core::manifest::{Action, Severity};
use anyhook_core::taxonomy::Class;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH039",
    slug: "many-processes",
    severity: Severity::Warning,
    about: "Every call of one tool starts four processes or more.",
    page: "Hooks of one event run side by side, and the call waits for the slowest of them. Five interpreters that start \
           for every `ls` are felt. One script may hold several checks, `when` says beforehand whether one is needed at \
           all, and a rule needs no process.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "date -u", "timeout": 5},
  {"type": "command", "command": "date -I", "timeout": 5},
  {"type": "command", "command": "date -R", "timeout": 5},
  {"type": "command", "command": "date +%s", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "command", "command": "sh -c 'date -u; date -I; date -R; date +%s'", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

/// From here on it is felt.
const MANY: usize = 4;

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let groups = linted.manifest.groups.iter();
    let before_tools = groups.filter(|group| {
        group
            .spec
            .is_some_and(|spec| spec.class == Class::Gate && spec.subject == Some("tool_name"))
    });
    let notes = before_tools.filter_map(|group| {
        let entries = group.entries.iter();
        let spawns = entries.filter(|entry| {
            let narrowed = entry.when.is_some() || entry.only.is_some() || entry.once;
            matches!(entry.action, Action::Command(_)) && !narrowed
        });
        let count = spawns.count();
        let message = format!("every such call starts {count} processes");
        let help = "let one script hold several checks, or say as `when` which of them is needed";
        (count >= MANY).then(|| Note::new(linted.matcher_at(group), message).help(help))
    });
    notes.collect()
}
