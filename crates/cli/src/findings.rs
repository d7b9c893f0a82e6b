//! The findings about a manifest, with the lines that they are about.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhook::core::manifest::{Code, Finding, Severity};
use anyhook::files::read_document;
use anyhook::lint::LintFinding;
use anyhook::load;
use anyhook::models::{self, ConfiguredModel};
use anyhook::world::World;

use anyhook::text::moves_or_hides;

use crate::ui;

/// Reads a manifest for its findings alone, and writes them. A file that cannot be read has none here.
pub(crate) fn of(file: &Path) -> String {
    let Some(text) = read_document(file)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return String::new();
    };
    let findings = match load::parse(file, &text) {
        Err(fatal) => vec![fatal],
        Ok(parsed) => {
            let configured = ConfiguredModel::of(&World::real());
            let no_model = models::findings(&parsed.manifest, &configured);
            parsed.findings.into_iter().chain(no_model).collect()
        }
    };
    page(file, &text, &findings)
}

/// Writes the findings of one file, each with its source, place and help.
pub(crate) fn page(file: &Path, text: &str, findings: &[Finding]) -> String {
    let name = ui::path(file);
    // What a file says is shown as it is, but cannot move the cursor; places are kept: one character for one.
    let shown = harmless(text);
    let renderer = renderer();
    let mut page = String::new();
    for finding in findings {
        page.push_str(&renderer.render(&[one(&name, &shown, finding, None)]));
        page.push_str("\n\n");
    }
    page
}

/// Writes one finding of a rule, with its code.
pub(crate) fn lint(found: &LintFinding, text: &str) -> String {
    let name = ui::path(&found.file);
    let shown = harmless(text);
    let finding = Finding {
        code: Code::default(),
        severity: found.severity,
        message: ui::visible(&found.message),
        help: found.help.as_deref().map(ui::visible),
        at: found.at.clone(),
    };
    let group = one(&name, &shown, &finding, Some(found.lint.code));
    format!("{}\n\n", renderer().render(&[group]))
}

/// What a terminal would break itself would part a mark from its word.
fn renderer() -> Renderer {
    let renderer = Renderer::styled();
    match ui::columns() {
        Some(_) => renderer.term_width(ui::width()),
        None => renderer,
    }
}

fn one<'a>(name: &'a str, text: &'a str, finding: &'a Finding, code: Option<&'a str>) -> Group<'a> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let span = within(text, &finding.at.span);
    let snippet = Snippet::source(text)
        .path(name)
        .annotation(AnnotationKind::Primary.span(span));
    let mut title = level.primary_title(finding.message.as_str());
    if let Some(code) = code {
        title = title.id(code);
    }
    let group = title.element(snippet);
    match &finding.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// Keeps a span inside the text: it may point just behind the end.
fn within(text: &str, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let floor = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at))
    };
    let start = floor(span.start).unwrap_or_default();
    start..floor(span.end).unwrap_or(start).max(start)
}

/// Replaces what could move the cursor or hide a name by marks of the same length in bytes, so that spans still fit.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && c != '\t' && moves_or_hides(c) {
            shown.extend(std::iter::repeat_n('?', c.len_utf8()));
        } else {
            shown.push(c);
        }
    }
    shown
}
