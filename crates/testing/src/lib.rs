//! Tests of hook packages, run by the very line that agents call: `fn run(&[Case], &How, told) -> Vec<Ran>`.
//!
//! A package keeps its tests beside its hooks: `tests/test-config.json`, `tests/fixtures/*.json`, `tests/cases/*.yaml`, in
//! the format of the universal `hooks.json`. [`read`] reads them, with everything that is wrong in them; [`run`] plays
//! them; [`package`] does both, for a `cargo test` of one's own:
//!
//! ```no_run
//! #[test]
//! fn the_hooks_of_this_package_do_what_their_tests_say() -> Result<(), anyhook_testing::TestFailure> {
//!     anyhook_testing::package(env!("CARGO_MANIFEST_DIR"))
//! }
//! # fn main() {}
//! ```
//!
//! # Testing a module in Rust
//!
//! A [`TestCoordinator`] is a session whose surroundings keep what they were told, an [`EventRecorder`] keeps what was
//! emitted, and [`module`] makes every check that any module has to pass:
//!
//! ```
//! use anyhook::Session;
//! use anyhook::core::event::Event;
//! use anyhook::core::hook::Hook;
//! use anyhook::core::result::{HookResult, Kind};
//! use anyhook::mounts::Cleanup;
//! use anyhook_testing::TestCoordinator;
//! use serde_json::{Value, json};
//!
//! fn read_only(session: &Session, _: &Value) -> Cleanup {
//!     let look = |event: &Event| match event.text("tool_name").as_deref() {
//!         Some("write_file") => HookResult::deny("access denied: this session is read-only"),
//!         _ => HookResult::proceed(),
//!     };
//!     let handle = session.hooks().register(Hook::on("tool:pre", look).named("read-only").priority(10));
//!     Cleanup::new(move || handle.unregister())
//! }
//!
//! let coordinator = TestCoordinator::new();
//! coordinator.mount("read-only", read_only, json!({}));
//! let acted = coordinator.emit_blocking("tool:pre", json!({"tool_name": "write_file"}));
//! assert_eq!(acted.processed.result.verdict.kind(), Kind::Deny);
//! assert!(acted.processed.result.verdict.text().contains("denied"));
//!
//! anyhook_testing::module("read-only", read_only, json!({}))?;
//! # Ok::<(), anyhook_testing::TestFailure>(())
//! ```
//!
//! It has no dispatcher, no runner and no reader of answers of its own: a test that passes here passes because of the code
//! that runs in production.

pub mod attack;
mod behaviour;
mod bless;
mod case;
mod config;
mod coordinator;
mod coverage;
mod exercise;
mod files;
pub mod formats;
mod judge;
mod matching;
mod mocks;
mod mutant;
mod mutate;
mod network;
mod overrides;
mod package;
mod plan;
mod play;
mod problem;
mod programs;
mod ran;
mod recorder;
pub mod replay;
mod room;
mod roster;
mod run;
mod select;
mod spread;
mod suite;

use std::path::Path;

pub use behaviour::module;
pub use bless::{BlessedFile, UnblessedCase, bless};
pub use case::CaseMode;
pub use coordinator::{MockCoordinator, TestCoordinator, TestHooks};
pub use coverage::{
    Coverage, CoverageBranch, CoverageCount, EventCoverage, Goal, HookCoverage, coverage,
};
pub use exercise::HookReaction;
pub use judge::FailedExpectation;
pub use matching::JsonDifference;
pub use mocks::{MockApprover, MockContext, MockDisplay};
pub use mutant::Mutation;
pub use mutate::{
    MutantFate, MutationRun, MutationScope, Sketch, Survivor, TestedMutant, UnfitSuite, mutate,
};
pub use network::{IsolationMethod, NetworkAccess, cut};
pub use overrides::{keys, set, texts};
pub use package::Package;
pub use plan::Case;
pub use play::{Evidence, ProcessOutput};
pub use problem::Problem;
pub use ran::{CaseOutcome, CaseRun, CaseTally};
pub use recorder::EventRecorder;
pub use roster::HookIdentity;
pub use run::{TestOptions, run};
pub use select::Selection;
pub use suite::{Suite, read};

/// A package whose tests do not pass; its `Debug` form is the page for a person, which `cargo test` prints.
#[derive(thiserror::Error)]
#[error("{0}")]
pub struct TestFailure(String);

impl std::fmt::Debug for TestFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs every test of a package. Hooks find the programs of this process's `PATH`; one that calls `anyhook` itself needs
/// it there.
pub fn package(folder: impl AsRef<Path>) -> Result<(), TestFailure> {
    let suite = read(&[folder.as_ref().to_path_buf()]);
    let ran = run(&suite.cases, &TestOptions::default(), &mut |_| {});
    let tally = CaseTally::of(&ran, suite.problems.len());
    if tally.is_good() && !ran.is_empty() {
        return Ok(());
    }
    if ran.is_empty() && suite.problems.is_empty() {
        return Err(TestFailure(format!(
            "no test in `{}`",
            folder.as_ref().display()
        )));
    }
    Err(TestFailure(formats::plain(&ran, &suite.problems)))
}
