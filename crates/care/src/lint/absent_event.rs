//! An event that a host never sends.

use anyhook_core::manifest::Severity;

use super::linted::Linted;
use super::{File, Lint, Note, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH028",
    slug: "absent-event",
    severity: Severity::Warning,
    about: "With `--host`: the host never tells of an event, so its hooks do not run there.",
    page: "Agents differ in the points at which they call hooks. A hook on an event that an agent does not have stays \
           silent under it, and nothing else takes its place. `docs/reference/hosts.md` shows which agent has which event.",
    bad: Sample {
        files: &[File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"permission-request": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('sudo')", "then": {"deny": "not as root"}}
]}]}}"#,
        )],
        hosts: &["windsurf"],
    },
    good: Sample {
        files: &[File::at(
            "hooks/hooks.json",
            r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('sudo')", "then": {"deny": "not as root"}}
]}]}}"#,
        )],
        hosts: &["windsurf"],
    },
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for host in &linted.how.hosts {
        for group in &linted.manifest.groups {
            let Some(spec) = group.spec.filter(|spec| host.row(spec.name).is_none()) else {
                continue;
            };
            let name = spec.universal.unwrap_or(spec.name);
            let message = format!(
                "`{}` never tells of `{name}`: these hooks do not run there",
                host.id()
            );
            let events = host.rows().iter().map(|row| format!("`{}`", row.name));
            let mut events: Vec<String> = events.collect();
            events.truncate(8);
            let help = format!("it tells of {}", events.join(", "));
            notes.push(Note::new(group.at.clone(), message).help(help));
        }
    }
    notes
}
