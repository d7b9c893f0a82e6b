//! The steps of CI, in order: one file each, one row each.

pub(crate) mod build;
mod clippy;
mod decisions;
mod deny;
mod docs;
mod examples;
pub(crate) mod fleet_sim;
mod fmt;
mod fuzz;
pub(crate) mod generated;
mod packaging;
mod python;
mod requirements;
mod sizes;
mod tables;
mod test;
mod tools;
mod tour;
mod tree;
mod verify;
mod wasm;
mod words;

pub(crate) use crate::done::{Done, Failure, Outcome};
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

/// Every step, in the order of a run: the cheap ones that fail often come first.
#[rustfmt::skip]
pub(crate) static STEPS: &[Step] = &[
    Step { name: "fmt", about: "the source is formatted", heavy: false, run: fmt::run },
    Step { name: "clippy", about: "no lint of the workspace fires in any target", heavy: false, run: clippy::run },
    Step { name: "docs", about: "the documentation builds without a warning, and every public module has an example", heavy: true, run: docs::run },
    Step { name: "build", about: "the `anyhook` binary builds", heavy: true, run: build::run },
    Step { name: "tools", about: "the programs that tests drive are here: what is missing is installed", heavy: true, run: tools::run },
    Step { name: "test", about: "every test and every doctest passes", heavy: false, run: test::run },
    Step { name: "tree", about: "pure crates stay pure, the registry and the bare engine stay small, and no module imports from a floor above or in a ring", heavy: false, run: tree::run },
    Step { name: "wasm", about: "the pure crates build for wasm32-wasip2", heavy: true, run: wasm::run },
    Step { name: "examples", about: "every example passes its own tests", heavy: true, run: examples::run },
    Step { name: "generated", about: "committed generated files are what their generators write", heavy: false, run: generated::run },
    Step { name: "requirements", about: "every requirement names a proof that exists", heavy: false, run: requirements::run },
    Step { name: "decisions", about: "every decision that is cited has an entry", heavy: false, run: decisions::run },
    Step { name: "tables", about: "every file of a table's folder has its row, every row its file, and every host all its places", heavy: false, run: tables::run },
    Step { name: "sizes", about: "functions, files and blobs are small, and nothing is left for later", heavy: false, run: sizes::run },
    Step { name: "words", about: "pages and messages avoid the words that readers had to read twice", heavy: false, run: words::run },
    Step { name: "tour", about: "the README's commands do what the README says", heavy: true, run: tour::run },
    Step { name: "verify", about: "a real agent obeys a refusal, offline and under a scripted model", heavy: true, run: verify::run },
    Step { name: "fleet-sim", about: "a small fleet on three servers loses nothing and stores nothing twice, whatever is killed, cut and forged", heavy: true, run: fleet_sim::run },
    Step { name: "deny", about: "licences, bans and sources of all dependencies are accepted", heavy: true, run: deny::run },
    Step { name: "fuzz", about: "the laws of every reader hold for twenty thousand generated inputs each", heavy: true, run: fuzz::run },
    Step { name: "python", about: "the Python package builds as wheel and archive, and passes its tests where it is installed", heavy: true, run: python::run },
    Step { name: "packaging", about: "the program installs from every package and works there: archive, .deb, npm, wheel, installer", heavy: true, run: packaging::run },
];
