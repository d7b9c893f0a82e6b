//! A file without a version.

use anyhook_core::manifest::{Finding, Severity};

use super::{File, Fix, Lint, Sample, nothing_more};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH010",
    slug: "no-version",
    severity: Severity::Warning,
    about: "The file does not say which version of the format it is written in.",
    page: "Version 1 is assumed. A later format may read the same words otherwise, and then a file without a version \
           would change its meaning by an update. `check --fix` adds it.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"hooks": {"session-start": [{"hooks": [
  {"type": "rule", "then": {"inject": "Answer in French."}}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"session-start": [{"hooks": [
  {"type": "rule", "then": {"inject": "Answer in French."}}
]}]}}"#,
    )]),
    says: &[("`version` is missing", "")],
    find: nothing_more,
};

/// Writes the version behind the opening bracket, which is where the finding stands.
pub(super) fn fix(lint: &Lint, finding: &Finding) -> Option<Fix> {
    let end = finding.at.span.end;
    (lint.code == LINT.code).then(|| Fix::one("add the version", end..end, r#""version": 1, "#))
}
