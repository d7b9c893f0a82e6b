//! The result of a step.

use std::fmt::{self as format, Display, Formatter};

/// How a step ended.
pub(crate) type Done = Result<Outcome, Failure>;

/// How a step ended when nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It proved what it is there to prove.
    Passed,
    /// There was nothing to prove it on; the text says what is missing.
    Skipped(String),
}

/// Why a step did not pass, one line for each finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) Vec<String>);

impl Failure {
    /// A failure of one line.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(vec![text.into()])
    }

    /// A failure while doing something, with its cause.
    pub(crate) fn because(doing: impl Display, cause: impl Display) -> Self {
        Self::new(format!("{doing}: {cause}"))
    }

    /// Passed where there are no findings, a failure that lists them otherwise.
    pub(crate) fn unless_empty(findings: Vec<String>) -> Done {
        if findings.is_empty() {
            Ok(Outcome::Passed)
        } else {
            Err(Self(findings))
        }
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut Formatter<'_>) -> format::Result {
        out.write_str(&self.0.join("\n"))
    }
}
