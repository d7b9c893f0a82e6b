//! `docs/ci.md`: the steps of CI, from their table.

use std::fmt::Write as _;

use crate::generators::{Generator, Written};
use crate::steps::{Failure, STEPS};
use crate::workspace::Workspace;

/// What writes the page.
pub(super) static GENERATOR: Generator = Generator {
    files,
    folder: None,
};

const HEAD: &str = "\
# What CI proves

<!-- Written by `cargo xtask generate` from crates/xtask/src/steps.rs. -->

`cargo xtask ci` runs these steps in this order and stops at the first failure, and `cargo xtask STEP` runs one.

`cargo xtask ci --quick` is for the minutes between two changes. It leaves out the slow steps. Its `clippy` checks what changed
since the last run and what depends on it. Its `test` runs the tests of the crates that your branch changes, with few cases
for each property and without the examples of the documentation. What your branch changes is what differs from the commit that
it shares with its upstream, or else with `main`; if that is nothing, the last commit counts. A change of `Cargo.lock` concerns
every crate.

| Step | It proves that | Quick |
|---|---|---|
";

fn files(_: &Workspace) -> Result<Vec<Written>, Failure> {
    let mut page = String::from(HEAD);
    for step in STEPS {
        let quick = if step.heavy { "no" } else { "yes" };
        writeln!(page, "| `{}` | {} | {quick} |", step.name, step.about)
            .map_err(|cause| Failure::because("the page", cause))?;
    }
    Ok(vec![Written::new("docs/ci.md", page)])
}
