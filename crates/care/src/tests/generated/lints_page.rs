//! `docs/reference/lints.md`: every rule of `anyhook check`, from their table.

use std::fmt::{self, Write as _};

use anyhook_core::manifest::Severity;

use crate::lint::{LINTS, Lint};

const HEAD: &str = "\
# Rules of `anyhook check`

<!-- Written by the test `generated_lints_page_is_current` from docs/lints. -->

A code never changes its meaning. `anyhook check --explain CODE` prints the page of a rule. Both samples of every page are
checked by a test: the bad one has exactly the finding of its rule, the good one has none.

| Code | Name | Severity | What it finds |
|---|---|---|---|
";

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    for lint in LINTS.iter() {
        row(&mut page, lint).unwrap();
    }
    page
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn row(page: &mut String, lint: &Lint) -> fmt::Result {
    let (severity, about) = (word(lint.severity), lint.about.replace('|', "\\|"));
    writeln!(
        page,
        "| [{}](../lints/{0}.md) | {} | {severity} | {about} |",
        lint.code, lint.slug
    )
}
