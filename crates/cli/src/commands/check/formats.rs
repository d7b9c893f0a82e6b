//! How findings are written: for a person, a program, a workflow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook::core::manifest::Severity;
use anyhook::lint::LintFinding;
use anyhook_testing::formats::Annotation;
use serde_json::{Value, json};

use crate::findings;
use crate::form::pretty;
use crate::ui::{self, paint};

/// Writes the findings for a person.
pub(super) fn text(files: &[PathBuf], found: &[LintFinding]) -> String {
    let mut page = String::new();
    let mut texts: BTreeMap<&Path, String> = BTreeMap::new();
    for found in found {
        let source = texts
            .entry(&found.file)
            .or_insert_with(|| super::read(&found.file).unwrap_or_default());
        page.push_str(&findings::lint(found, source));
    }
    page.push_str(&summary(files.len(), found));
    page
}

/// Counts what was found, and says what to do next.
fn summary(files: usize, found: &[LintFinding]) -> String {
    let count = |severity| {
        let all = found.iter();
        all.filter(|found| found.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let style = match (errors, warnings) {
        (0, 0) => ui::PASS,
        (0, _) => ui::ASK,
        _ => ui::DENY,
    };
    let counted = format!(
        "{}, {}",
        ui::many(errors, "error"),
        ui::many(warnings, "warning")
    );
    let mut text = format!("{} in {}", paint(style, &counted), ui::many(files, "file"));
    let mendable = found.iter().filter(|found| found.fix.is_some()).count();
    if mendable > 0 {
        text.push_str(&format!(
            "; {mendable} of them can be mended: anyhook check --fix"
        ));
    }
    text.push('\n');
    if let Some(first) = found.first() {
        let line = format!(
            "{} is explained by: anyhook check --explain {0}\n",
            first.lint.code
        );
        text.push_str(&paint(ui::DIM, &line));
    }
    text
}

pub(super) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Writes the findings for a program.
pub(super) fn json(files: &[PathBuf], found: &[LintFinding]) -> String {
    let fix = |found: &LintFinding| {
        let fix = found.fix.as_ref()?;
        let edits = fix.edits.iter();
        let edits: Vec<Value> = edits
            .map(|(span, text)| json!({"start": span.start, "end": span.end, "text": text}))
            .collect();
        Some(json!({"what": fix.what, "edits": edits}))
    };
    let findings = found.iter().map(|found| {
        json!({
            "code": found.lint.code, "slug": found.lint.slug, "severity": word(found.severity), "file": found.file,
            "line": found.at.line, "column": found.at.column, "start": found.at.span.start, "end": found.at.span.end,
            "message": found.message, "help": found.help, "fix": fix(found),
        })
    });
    let findings: Vec<Value> = findings.collect();
    pretty(&json!({"files": files, "findings": findings}))
}

/// Annotations of GitHub Actions: one line for each finding, shown beside the file.
pub(super) fn annotations(found: &[LintFinding]) -> String {
    let one = |found: &LintFinding| {
        let help = found.help.iter().map(|help| format!("\n{help}"));
        Annotation {
            level: word(found.severity),
            file: &found.file.to_string_lossy(),
            line: found.at.line,
            column: Some(found.at.column),
            title: &format!("{} {}", found.lint.code, found.lint.slug),
            text: &format!("{}{}", found.message, help.collect::<String>()),
        }
        .written()
    };
    found.iter().map(one).collect()
}
