//! A field that nobody reads.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH003",
    slug: "unknown-field",
    severity: Severity::Warning,
    about: "A field is one that nobody reads.",
    page: "A field that is not read changes nothing: `\"gaurd\": true` makes no guard. Some fields belong one level higher \
           or lower, and the finding says so. A note to other people goes into `description`, or into a comment.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5, "descripton": "what day it is"}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5, "description": "what day it is"}
]}]}}"#,
    )]),
    says: &[
        ("unknown field ", ""),
        ("the closed form has no field ", ""),
    ],
    find: nothing_more,
};
