//! A value that is not what it must be.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row; what no other rule claims belongs here.
pub(super) static LINT: Lint = Lint {
    code: "AH001",
    slug: "bad-value",
    severity: Severity::Error,
    about: "A value is missing, or is not what it must be.",
    page: "The file, or a part of it, cannot be read as it is written. An entry with such an error does not run: its \
           failure is told, and where the entry is a guard it refuses. `trust`, `install` and `test` stop at the first \
           file that has one.\n\n\
           The finding says what is there and what has to be.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": "5"}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "command", "command": "date", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find: nothing_more,
};
