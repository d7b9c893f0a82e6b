//! Parts of a host's file that Anyhook reads differently from the host.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH011",
    slug: "read-otherwise",
    severity: Severity::Warning,
    about: "Under other agents, a hook of a host's own file does not do quite what it does under its own.",
    page: "Hooks of a host's own file run under other agents too, with that host's payloads and exit codes. A few things \
           are not the same: a background hook wakes no agent, the rule of an `if` selects a \
           tool and not its arguments, a timeout that cannot be read is the host's default. Nothing becomes softer by \
           it.",
    bad: Sample::of(&[File::at(
        ".claude/settings.json",
        r#"{"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "date >> \"$CLAUDE_PROJECT_DIR/writes.log\"", "timeout": 5, "asyncRewake": true}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        ".claude/settings.json",
        r#"{"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "date >> \"$CLAUDE_PROJECT_DIR/writes.log\"", "timeout": 5}
]}]}}"#,
    )]),
    says: &[
        ("a background hook wakes no agent ", ""),
        ("the rule of `if` ", ""),
        ("the timeout cannot be read", ""),
    ],
    find: nothing_more,
};
