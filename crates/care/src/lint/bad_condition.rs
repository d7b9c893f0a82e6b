//! A condition or a rule that cannot be carried out.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH006",
    slug: "bad-condition",
    severity: Severity::Error,
    about: "A condition, or what a rule says, cannot be carried out.",
    page: "`when` is an expression over the fields of its event. A name that the event does not have is an error here and \
           now, because at the event it would be one as well, and a rule that cannot see refuses. A field that only one \
           host sends is written `data.name`, and `has(data.name)` asks whether it is there.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "tool_inptu.command.contains('sudo')", "then": {"ask": "Run it as root?"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "tool_input.command.contains('sudo')", "then": {"ask": "Run it as root?"}}
]}]}}"#,
    )]),
    says: &[
        ("`when`", ""),
        ("`then`", ""),
        ("a rule ", ""),
        ("`{{", " is no field"),
    ],
    find: nothing_more,
};
