//! Selecting the cases to run.

use std::borrow::Cow;
use std::path::Path;

use anyhook::core::event::EventName;
use anyhook::wires::tools;
use regex_lite::Regex;

use crate::plan::Case;
use crate::problem::Problem;
use crate::suite::Suite;

/// What a person asked for; each list that is not empty narrows the choice.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Names, stems of files, or patterns with `*`.
    pub cases: Vec<String>,
    /// Events, in any spelling.
    pub events: Vec<String>,
    /// Tools, by any name of theirs.
    pub tools: Vec<String>,
}

impl Selection {
    /// Keeps what is asked for. Who asks for cases by name, and finds some, is not told what is wrong with others.
    pub fn narrow(&self, suite: &mut Suite) {
        let all = suite.cases.len();
        suite.cases.retain(|case| self.takes(case));
        suite.not_asked += all - suite.cases.len();
        if !suite.cases.is_empty() {
            suite.problems.retain(|problem| self.concerns(problem));
        }
    }

    fn takes(&self, case: &Case) -> bool {
        let any = |wanted: &[String], is_it: &dyn Fn(&String) -> bool| {
            wanted.is_empty() || wanted.iter().any(is_it)
        };
        any(&self.cases, &|pattern| {
            [&*case.id, case.name(), &stem(&case.file)]
                .iter()
                .any(|name| is_meant(pattern, name))
        }) && any(&self.events, &|event| EventName::new(event) == case.event)
            && any(&self.tools, &|tool| {
                case.tool()
                    .is_some_and(|name| tools::canonical(name) == tools::canonical(tool))
            })
    }

    fn concerns(&self, problem: &Problem) -> bool {
        let is_case = problem
            .file
            .parent()
            .is_some_and(|folder| folder.ends_with("cases"));
        let stem = stem(&problem.file);
        !is_case
            || self.cases.is_empty()
            || self.cases.iter().any(|pattern| is_meant(pattern, &stem))
    }
}

fn stem(file: &Path) -> Cow<'_, str> {
    file.file_stem().unwrap_or_default().to_string_lossy()
}

/// Tells whether a pattern means a text: `*` is any text, everything else itself.
fn is_meant(pattern: &str, text: &str) -> bool {
    let parts: Vec<String> = pattern.split('*').map(regex_lite::escape).collect();
    let pattern = Regex::new(&format!("(?s)^{}$", parts.join(".*")));
    pattern.is_ok_and(|pattern| pattern.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        let meant = [
            ("deny", "deny"),
            ("deny", "deny-2"),
            ("*deny*", "rm-denied-now"),
            ("rm-*-now", "rm-denied-now"),
            ("*-then", "rm-denied-now"),
            ("a*b*c", "abc"),
            ("*", ""),
            ("a[x=1]", "a[x=1]"),
            ("ab*b", "ab"),
        ];
        let meant = meant.map(|(pattern, text)| is_meant(pattern, text));
        assert_eq!(
            meant,
            [true, false, false, true, false, true, true, true, false]
        );
    }
}
