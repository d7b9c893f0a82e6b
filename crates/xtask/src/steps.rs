//! The steps of CI, in order: one file each, one row each.

pub(crate) mod build;
mod clippy;
mod deny;
mod doc_examples;
mod docs;
mod examples;
mod fmt;
mod fuzz;
mod generated;
mod python;
mod requirements;
mod sizes;
mod tables;
mod test;
mod tour;
mod tree;
mod wasm;

use std::fmt::{self as format, Display, Formatter};

use crate::workspace::Workspace;

/// One step of CI.
#[derive(Debug)]
pub(crate) struct Step {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// What it proves, as one clause.
    pub(crate) about: &'static str,
    /// Whether `--quick` leaves it out.
    pub(crate) heavy: bool,
    /// Does it.
    pub(crate) run: fn(&Workspace) -> Done,
}

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

/// Every step, in the order of a run: the cheap ones that fail often come first.
#[rustfmt::skip]
pub(crate) static STEPS: &[Step] = &[
    Step { name: "fmt", about: "the source is formatted", heavy: false, run: fmt::run },
    Step { name: "clippy", about: "no lint of the workspace fires in any target", heavy: false, run: clippy::run },
    Step { name: "docs", about: "the documentation builds without a warning", heavy: true, run: docs::run },
    Step { name: "build", about: "the `anyhook` binary builds", heavy: false, run: build::run },
    Step { name: "test", about: "every test and every doctest passes", heavy: false, run: test::run },
    Step { name: "tree", about: "pure crates stay pure, and the bare engine stays small", heavy: false, run: tree::run },
    Step { name: "wasm", about: "the pure crates build for wasm32-wasip2", heavy: true, run: wasm::run },
    Step { name: "examples", about: "every example passes its own tests", heavy: true, run: examples::run },
    Step { name: "generated", about: "committed generated files are what their generators write", heavy: false, run: generated::run },
    Step { name: "requirements", about: "every requirement names a proof that exists", heavy: false, run: requirements::run },
    Step { name: "tables", about: "every file of a table's folder has its row, and every row its file", heavy: false, run: tables::run },
    Step { name: "doc-examples", about: "every public item of the library crates is used in an example on its own page", heavy: false, run: doc_examples::run },
    Step { name: "sizes", about: "functions, files and blobs are small, and nothing is left for later", heavy: false, run: sizes::run },
    Step { name: "tour", about: "the README's commands do what the README says", heavy: true, run: tour::run },
    Step { name: "deny", about: "licences, bans and sources of all dependencies are accepted", heavy: true, run: deny::run },
    Step { name: "fuzz", about: "the laws of every reader hold for twenty thousand generated inputs each", heavy: true, run: fuzz::run },
    Step { name: "python", about: "the Python package builds as wheel and archive, and passes its tests where it is installed", heavy: true, run: python::run },
];
