//! How findings are written: for a person, a program, a workflow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook::core::manifest::Severity;
use anyhook::lint::Found;
use serde_json::{Value, json};

use crate::findings;
use crate::ui::{self, paint};

/// Writes the findings for a person.
pub(super) fn text(files: &[PathBuf], found: &[Found]) -> String {
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
fn summary(files: usize, found: &[Found]) -> String {
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
pub(super) fn json(files: &[PathBuf], found: &[Found]) -> String {
    let fix = |found: &Found| {
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
    let all = json!({"files": files, "findings": findings});
    format!(
        "{}\n",
        serde_json::to_string_pretty(&all).unwrap_or_default()
    )
}

/// Writes the findings as SARIF 2.1.0, which code hosts show beside the lines and keep from run to run.
pub(super) fn sarif(found: &[Found]) -> String {
    let mut codes: Vec<(&str, &str)> = found
        .iter()
        .map(|found| (found.lint.code, found.lint.slug))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes
        .iter()
        .map(|(code, slug)| json!({"id": code, "name": slug}));
    let results = found.iter().map(|found| {
        let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let region = json!({"startLine": found.at.line.max(1), "startColumn": found.at.column.max(1)});
        // A path of the repository: what is given as absolute is one only on this machine.
        let file = found.file.to_string_lossy().replace('\\', "/");
        let file = file.strip_prefix("./").unwrap_or(&file);
        json!({
            "ruleId": found.lint.code,
            "level": word(found.severity),
            "message": {"text": format!("{}{help}", found.message)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region}}],
        })
    });
    let driver = json!({
        "name": "anyhook check", "version": env!("CARGO_PKG_VERSION"), "rules": rules.collect::<Vec<_>>(),
    });
    let all = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results.collect::<Vec<_>>()}],
    });
    format!(
        "{}\n",
        serde_json::to_string_pretty(&all).unwrap_or_default()
    )
}

/// Writes a path as an address: everything but plain signs as bytes.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Writes the findings as commands of a GitHub workflow, which shows them beside the lines.
pub(super) fn annotations(found: &[Found]) -> String {
    let escaped = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |value: &str| escaped(value).replace(':', "%3A").replace(',', "%2C");
    let mut page = String::new();
    for found in found {
        let file = property(&found.file.to_string_lossy());
        let (line, column) = (found.at.line, found.at.column);
        let title = property(&format!("{} {}", found.lint.code, found.lint.slug));
        let help = found
            .help
            .as_ref()
            .map(|help| format!("\n{help}"))
            .unwrap_or_default();
        let message = escaped(&format!("{}{help}", found.message));
        let word = word(found.severity);
        page.push_str(&format!(
            "::{word} file={file},line={line},col={column},title={title}::{message}\n"
        ));
    }
    page
}
