//! Results for programs, and in short for a person.

mod github;
mod json;
mod junit;
mod thorough;

use anyhook::text::tame;

use crate::problem::Problem;
use crate::ran::CaseRun;

pub use github::{Annotation, github};
pub use json::{json, list};
pub use junit::junit;
pub use thorough::{coverage, github_survivors, mutation};

/// What is said of a case whose hook left something running.
pub const LEAK: &str = "LEAK: a hook left a process behind, which was ended";

/// Writes what went wrong, without colour and without what a terminal would obey.
pub fn plain(ran: &[CaseRun], problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        text.push_str(&format!("error {problem}\n"));
    }
    for ran in ran.iter().filter(|ran| ran.outcome.is_bad()) {
        let why = ran
            .outcome
            .sentence()
            .map(|why| format!(": {why}"))
            .unwrap_or_default();
        text.push_str(&format!(
            "{} {} ({}:{}){why}\n",
            ran.outcome.as_str(),
            ran.case.id,
            ran.case.place(),
            ran.line()
        ));
        for line in lines(ran) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    tame(&text)
}

/// Says what does not hold, a line each.
pub(crate) fn lines(ran: &CaseRun) -> Vec<String> {
    let mut lines = Vec::new();
    for failure in &ran.failures {
        lines.push(format!("{}: {}", failure.about, failure.message));
        for one in &failure.differences {
            let found = one
                .found
                .as_ref()
                .map_or_else(|| "nothing".to_owned(), ToString::to_string);
            let at = if one.at.is_empty() {
                "the whole"
            } else {
                &one.at
            };
            lines.push(format!("  {at}: expected {}, found {found}", one.expected));
        }
    }
    lines
}
