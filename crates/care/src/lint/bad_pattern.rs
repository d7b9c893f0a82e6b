//! A matcher that cannot be compiled.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH005",
    slug: "bad-pattern",
    severity: Severity::Error,
    about: "A matcher cannot be compiled.",
    page: "A matcher of letters, digits, `_`, `-`, spaces, commas and bars is a list of exact names; anything else is a \
           regular expression that runs in linear time, without look-around and back-references. In a universal file a \
           pattern that cannot be compiled breaks the hooks of its group. A host's own file may look \
           around; where its pattern cannot be compiled, they are asked about everything.\n\n\
           Instead of a look-ahead, match more tools and let `when`, or the script, leave those that it does not want.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "^(?!Read)", "hooks": [
  {"type": "rule", "then": {"ask": "Go on?"}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
  {"type": "rule", "when": "tool_name != 'Read'", "then": {"ask": "Go on?"}}
]}]}}"#,
    )]),
    says: &[
        ("the matcher ", " cannot be read"),
        ("`matcher` must be", ""),
    ],
    find: nothing_more,
};
