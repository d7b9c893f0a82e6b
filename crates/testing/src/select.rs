//! Selecting the cases to run.

use anyhook::core::event::EventName;
use anyhook::wires::tools;

use crate::names::is_meant;
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
            [&*case.id, case.name(), &case.stem()]
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
        let stem = problem
            .file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        !is_case
            || self.cases.is_empty()
            || self.cases.iter().any(|pattern| is_meant(pattern, &stem))
    }
}
