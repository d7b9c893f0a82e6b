//! `docs/reference/lints.md`: every rule of `anyhook check`, from their table.

use anyhook_core::manifest::Severity;

use crate::lint::{LINTS, Lint};

const HEAD: &str = "\
# Rules of `anyhook check`

<!-- Written by the test `generated_lints_page_is_current` from docs/lints. -->

A code never changes its meaning. `anyhook check --explain CODE` prints the page of a rule, with a bad and a good sample that a
test checks.
";

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    for (severity, title) in [(Severity::Error, "Errors"), (Severity::Warning, "Warnings")] {
        page.push_str(&format!(
            "\n## {title}\n\n| Code | Name | What it finds |\n|---|---|---|\n"
        ));
        for lint in LINTS.iter().filter(|lint| lint.severity == severity) {
            page.push_str(&row(lint));
        }
    }
    page
}

fn row(lint: &Lint) -> String {
    let about = lint.about.replace('|', "\\|");
    format!(
        "| [{}](../lints/{0}.md) | {} | {about} |\n",
        lint.code, lint.slug
    )
}
