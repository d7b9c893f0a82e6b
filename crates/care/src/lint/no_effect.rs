//! Settings of the file that have no effect.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH008",
    slug: "no-effect",
    severity: Severity::Warning,
    about: "A part of the file does nothing.",
    page: "A group without hooks, a field that belongs to another type of hook, a switch that turns the whole file off: \
           each is legal, and none does what a reader of the file would think.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "rule", "then": {"inject": "Answer in French."}, "command": "./language.sh"}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "rule", "then": {"inject": "Answer in French."}}
]}]}}"#,
    )]),
    says: &[
        ("`", " has no effect on a hook of type "),
        ("a group without hooks does nothing", ""),
        ("`", " switches all hooks of this file off"),
        ("`if` stands on ", ""),
        ("`${", " is no placeholder in a rule"),
    ],
    find: nothing_more,
};
