//! The page of one rule.

use anyhook::lint::{Lint, LintSample};

use super::formats::word;
use crate::ui::{self, paint};

/// Writes it.
pub(super) fn of(lint: &Lint) -> String {
    let head = format!("{} {}", lint.code, lint.slug);
    let mut page = format!(
        "{}  {}\n\n{}\n\n",
        paint(ui::BOLD, &head),
        word(lint.severity),
        lint.about
    );
    for paragraph in lint.page.split("\n\n") {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        page.push_str(&(ui::wrap(&words.join(" "), ui::width().min(100)).join("\n") + "\n"));
        page.push('\n');
    }
    page.push_str(&sample(&paint(ui::DENY, "bad"), &lint.bad));
    page.push_str(&sample(&paint(ui::PASS, "good"), &lint.good));
    page
}

fn sample(word: &str, sample: &LintSample) -> String {
    let mut text = String::new();
    for file in &sample.files {
        let name = if file.executable { " (executable)" } else { "" };
        let hosts = sample.host.iter().map(|host| format!(" --host {host}"));
        let hosts: String = hosts.collect();
        text.push_str(&format!(
            "{word}: {}{name}{}\n",
            file.path,
            paint(ui::DIM, &hosts)
        ));
        for line in file.text.trim_end_matches('\n').split('\n') {
            text.push_str(&format!("    {}\n", line.replace('\r', "\\r")));
        }
        text.push('\n');
    }
    text
}
