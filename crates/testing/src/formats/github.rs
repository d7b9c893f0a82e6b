//! Annotations of GitHub Actions: one line for each failure, shown beside the file.

use anyhook::text::tame;

use crate::formats::{LEAK, lines};
use crate::problem::Problem;
use crate::ran::CaseRun;

/// One line that GitHub shows beside a file.
#[derive(Debug)]
pub struct Annotation<'a> {
    /// `error` or `warning`.
    pub level: &'a str,
    /// The file.
    pub file: &'a str,
    /// The line.
    pub line: u32,
    /// The column, where one is known.
    pub column: Option<u32>,
    /// Its title.
    pub title: &'a str,
    /// What it says, of one line or more.
    pub text: &'a str,
}

impl Annotation<'_> {
    /// Writes it as a workflow command.
    pub fn written(&self) -> String {
        let column = self.column.map(|column| format!(",col={column}"));
        format!(
            "::{} file={},line={}{},title={}::{}\n",
            self.level,
            property(self.file),
            self.line,
            column.unwrap_or_default(),
            property(self.title),
            data(self.text)
        )
    }
}

/// Returns what failed and what is wrong in files.
pub fn github(ran: &[CaseRun], problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        let annotation = Annotation {
            level: "error",
            file: &problem.file.display().to_string(),
            line: problem.finding.at.line,
            column: Some(problem.finding.at.column),
            title: "hook test",
            text: &problem.finding.message,
        };
        text.push_str(&annotation.written());
    }
    for ran in ran {
        let of = |level, line, title: &str, text: &str| {
            Annotation {
                level,
                file: &ran.case.place(),
                line,
                column: None,
                title: &format!("{title} {}", ran.case.id),
                text,
            }
            .written()
        };
        if ran.outcome.is_bad() {
            let mut told: Vec<String> = ran.outcome.sentence().into_iter().collect();
            told.extend(lines(ran));
            told.push(ran.replay.clone());
            text.push_str(&of(
                "error",
                ran.line(),
                ran.outcome.as_str(),
                &told.join("\n"),
            ));
        }
        if ran.leaks() {
            text.push_str(&of("warning", ran.case.line(), "leak", LEAK));
        }
    }
    text
}

fn data(text: &str) -> String {
    tame(text).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
