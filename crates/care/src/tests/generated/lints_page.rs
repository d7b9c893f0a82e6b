//! `docs/reference/lints.md`: every rule of `anyhook check`, from their table.

use std::fmt::{self, Write as _};

use anyhook_core::manifest::Severity;

use crate::lint::{LINTS, Lint, Sample};

const HEAD: &str = "\
# Rules of `anyhook check`

<!-- Written by the test `generated_lints_page_is_current` from crates/care/src/lint. -->

A code never changes its meaning. `anyhook check --explain CODE` prints the same. Both samples of every rule are checked by a
test: the bad one has exactly the finding of its rule, the good one has none.

| Code | Name | Severity | What it finds |
|---|---|---|---|
";

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    for lint in LINTS {
        row(&mut page, lint).unwrap();
    }
    for lint in LINTS {
        rule(&mut page, lint).unwrap();
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
    let anchor = format!("{}-{}", lint.code.to_lowercase(), lint.slug);
    let (severity, about) = (word(lint.severity), lint.about.replace('|', "\\|"));
    writeln!(
        page,
        "| [{}](#{anchor}) | {} | {severity} | {about} |",
        lint.code, lint.slug
    )
}

fn rule(page: &mut String, lint: &Lint) -> fmt::Result {
    writeln!(page, "\n## {} {}\n\n{}\n", lint.code, lint.slug, lint.about)?;
    writeln!(page, "{}\n", lint.page)?;
    sample(page, "Bad", &lint.bad)?;
    page.push('\n');
    sample(page, "Good", &lint.good)
}

fn sample(page: &mut String, word: &str, sample: &Sample) -> fmt::Result {
    let hosts = sample
        .hosts
        .iter()
        .map(|host| format!(", with `--host {host}`"));
    writeln!(page, "{word}{}:\n", hosts.collect::<String>())?;
    let mut files = sample.files.iter().peekable();
    while let Some(file) = files.next() {
        let executable = if file.executable { ", executable" } else { "" };
        let text = file.text.trim_end().replace('\r', "\\r");
        writeln!(page, "`{}`{executable}\n\n```text\n{text}\n```", file.path)?;
        if files.peek().is_some() {
            page.push('\n');
        }
    }
    Ok(())
}
