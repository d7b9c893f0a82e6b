//! A type of hook that cannot run.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH004",
    slug: "unknown-type",
    severity: Severity::Error,
    about: "A hook is of a type that cannot run here.",
    page: "`command`, `prompt` and `rule` are the types of hooks. One of any other type does not run, and a guard of it \
           blocks, because it is unknown what it would have said. Some hosts have types of their own in their own \
           files; those run in that host alone.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "comand", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    says: &[
        ("unknown type of hook ", ""),
        ("the closed form has no such type ", ""),
        ("a hook of type ", " cannot run here"),
    ],
    find: nothing_more,
};
