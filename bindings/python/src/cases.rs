//! The tests of a hook package, one by one, for pytest.

use std::path::PathBuf;

use anyhook_testing::{Suite, TestOptions, formats, read, run};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

/// The tests of a package, a folder of tests, or a file of cases.
#[pyclass(frozen, module = "anyhook._core")]
pub(crate) struct Cases {
    suite: Suite,
}

#[pymethods]
impl Cases {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> Self {
        Self {
            suite: py.detach(|| read(&[path])),
        }
    }

    /// Lists what is wrong with the files.
    fn problems(&self) -> Vec<String> {
        let problems = self.suite.problems.iter();
        problems
            .map(|problem| format!("{}: {}", problem.place(), problem.finding.message))
            .collect()
    }

    /// Lists the cases: (name, line).
    fn names(&self) -> Vec<(String, u32)> {
        let cases = self.suite.cases.iter();
        cases
            .map(|case| (case.name().to_owned(), case.line()))
            .collect()
    }

    /// Runs one case: its outcome in a word, the reason that goes with it, and the page for a person.
    fn run(&self, py: Python<'_>, at: usize) -> PyResult<(&'static str, Option<String>, String)> {
        let case = self.suite.cases.get(at);
        let case = case.ok_or_else(|| PyIndexError::new_err("there is no such case"))?;
        let ran = py.detach(|| {
            run(
                std::slice::from_ref(case),
                &TestOptions::default(),
                &mut |_| {},
            )
        });
        let one = ran.first();
        let one = one.ok_or_else(|| PyIndexError::new_err("the case was not run"))?;
        let reason = one.outcome.reason().map(str::to_owned);
        Ok((one.outcome.as_str(), reason, formats::plain(&ran, &[])))
    }
}
