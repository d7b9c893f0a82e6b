//! An event that no agent knows.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH002",
    slug: "unknown-event",
    severity: Severity::Warning,
    about: "The event name is unknown.",
    page: "Hooks may stand on events of your own, so a name outside the catalogue is legal. Most often it is a slip, and \
           then its hooks are never asked, without any further word. `anyhook events` lists every name. In a host's own \
           file the event is dropped by that host too.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-ues": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}}
]}]}}"#,
    )]),
    says: &[
        ("unknown event ", ""),
        ("`", " has no event "),
        ("the closed form has no event ", ""),
    ],
    find: nothing_more,
};
