//! A mistake in a file of tests, with its place.

use std::path::{Path, PathBuf};

use anyhook::core::manifest::{Code, Finding, LineIndex, Place, Severity};
use serde::de::DeserializeOwned;

/// Something wrong in a file: its cases cannot run, all others do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}", self.place(), self.finding.message)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The file's text, where it could be read.
    pub text: Option<Box<str>>,
    /// What is wrong, and where in the text.
    pub finding: Finding,
}

impl Problem {
    /// A problem with a file as a whole.
    pub(crate) fn of_file(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_path_buf(),
            text: None,
            finding: finding(start(), message, None),
        }
    }

    /// A problem at a place of a file.
    pub(crate) fn at(file: &Path, text: &str, finding: Finding) -> Self {
        Self {
            file: file.to_path_buf(),
            text: Some(text.into()),
            finding,
        }
    }

    /// Returns `file:line:column`, or the file alone where nothing in it could be pointed at.
    pub fn place(&self) -> String {
        let file = self.file.display();
        match &self.text {
            None => file.to_string(),
            Some(_) => format!("{file}:{}:{}", self.finding.at.line, self.finding.at.column),
        }
    }
}

/// Makes the finding of an error. What a file says stands on one line of it, without anything that a terminal would obey.
pub(crate) fn finding(at: Place, message: impl Into<String>, help: Option<String>) -> Finding {
    Finding {
        code: Code::BadValue,
        severity: Severity::Error,
        message: anyhook::text::line(&message.into()),
        help,
        at,
    }
}

/// The place of a text's first character.
pub(crate) fn start() -> Place {
    Place {
        span: 0..0,
        line: 1,
        column: 1,
    }
}

/// Reads JSON, or tells what is wrong with it, and where: `serde_json` counts columns in bytes.
pub(crate) fn json<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let lines = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1));
        let before: usize = lines.map(str::len).sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        let at = (0..=at).rev().find(|at| text.is_char_boundary(*at));
        let at = at.unwrap_or_default();
        let place = LineIndex::new(0, text).place(at..(at + 1).min(text.len()));
        let message = error.to_string();
        // The place stands beside it.
        let what = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(what, _)| what);
        Problem::at(file, text, finding(place, what, None))
    })
}
