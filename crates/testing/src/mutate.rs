//! Mutation: breaks each hook in turn and demands that some case fails.
//!
//! A mutant changes what the dispatcher sees of one hook (its answer, its matcher, its condition, or that it is there at
//! all), never what a case expects. It is killed by the first case that fails. One that no case notices survives, and is
//! told with a case to paste.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_testing::{
//!     MutantFate, TestOptions, MutationRun, Mutation, MutationScope, Sketch, Survivor, TestedMutant, UnfitSuite, mutate,
//! };
//!
//! let package = tempfile::tempdir()?;
//! fs::create_dir_all(package.path().join("hooks/tests/cases"))?;
//! fs::write(
//!     package.path().join("hooks/hooks.json"),
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
//!         {"type": "command", "name": "frozen", "command": "echo frozen >&2; exit 2"}
//!     ]}]}}"#,
//! )?;
//! // It looks at the words, and not at the refusal.
//! fs::write(
//!     package.path().join("hooks/tests/cases/a.yaml"),
//!     "name: a\nevent: pre-tool-use\nexpected:\n  stderr-contains: [frozen]\n",
//! )?;
//! let suite = anyhook_testing::read(&[package.path().to_path_buf()]);
//! let how = TestOptions::default();
//! let ran = anyhook_testing::run(&suite.cases, &how, &mut |_| {});
//!
//! let MutationRun { tried, left_out } = mutate(&suite, &ran, MutationScope::Everything, &how, &mut |_| {})?;
//! assert_eq!(left_out, 0);
//! let [TestedMutant { fate: MutantFate::Killed { by }, .. }, TestedMutant { hook, mutation, fate }] = &tried[..] else {
//!     panic!()
//! };
//! assert_eq!((by.as_str(), hook.name.as_str()), ("a", "frozen"));
//! assert_eq!(*mutation, Mutation::ExitCode);
//! let MutantFate::Survived(Survivor { sketch: Sketch { text, .. }, .. }) = fate else {
//!     panic!()
//! };
//! assert!(text.contains("exit-code: 2"), "{text}");
//!
//! // What fails already proves nothing, and neither does what was not run.
//! let failed: Result<_, UnfitSuite> = mutate(&suite, &[], MutationScope::Everything, &how, &mut |_| {});
//! assert!(failed.is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod make;
mod order;
mod run;
mod seen;
pub(crate) mod sketch;

use serde::Serialize;

use crate::mutant::{Mutant, Mutation};
use crate::ran::{CaseOutcome, CaseRun, CaseTally};
use crate::roster::{HookIdentity, TestedHook, roster};
use crate::run::TestOptions;
use crate::suite::Suite;
pub(crate) use seen::Sightings;
pub use sketch::Sketch;

/// Which hooks are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationScope {
    /// Every hook of the packages; one that no case asks survives everything.
    Everything,
    /// Those that the cases of this run ask: the caller chose the cases.
    Reached,
}

/// What came of a run of mutants.
#[derive(Debug, Clone, PartialEq)]
pub struct MutationRun {
    /// Every mutant, in the order of the hooks.
    pub tried: Vec<TestedMutant>,
    /// How many hooks were not broken, because no case that was chosen asks them.
    pub left_out: usize,
}

/// One mutant, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestedMutant {
    /// The hook.
    pub hook: HookIdentity,
    /// How it was broken.
    pub mutation: Mutation,
    /// What came of it.
    #[serde(flatten)]
    pub fate: MutantFate,
}

/// What comes of a mutant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum MutantFate {
    /// A case fails, as it has to.
    Killed {
        /// The case.
        by: String,
    },
    /// All cases pass.
    Survived(Survivor),
}

/// A mutant that no case notices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Survivor {
    /// Why not.
    pub why: String,
    /// A case that may notice it.
    #[serde(rename = "case")]
    pub sketch: Sketch,
}

/// Tests that cannot be held against mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnfitSuite {
    /// They fail.
    #[error("the tests have to pass before their hooks are broken")]
    Failed,
    /// There are none.
    #[error("no case was run, so that none could notice a hook that is broken")]
    NotRun,
}

impl MutationRun {
    /// Returns the mutants that survived.
    pub fn survivors(&self) -> impl Iterator<Item = (&TestedMutant, &Survivor)> {
        self.tried.iter().filter_map(|tried| match &tried.fate {
            MutantFate::Survived(survivor) => Some((tried, survivor)),
            MutantFate::Killed { .. } => None,
        })
    }

    /// Returns how many mutants were killed.
    pub fn killed(&self) -> usize {
        let is_killed = |tried: &&TestedMutant| matches!(tried.fate, MutantFate::Killed { .. });
        self.tried.iter().filter(is_killed).count()
    }
}

/// Breaks the hooks of a suite whose cases passed, each way in turn, and tells each mutant in the order of the hooks.
pub fn mutate(
    suite: &Suite,
    ran: &[CaseRun],
    scope: MutationScope,
    how: &TestOptions,
    told: &mut (dyn FnMut(&TestedMutant) + Send),
) -> Result<MutationRun, UnfitSuite> {
    let tally = CaseTally::of(ran, suite.problems.len());
    if !tally.is_good() {
        return Err(UnfitSuite::Failed);
    }
    if ran.is_empty() {
        return Err(UnfitSuite::NotRun);
    }
    let seen = Sightings::new(ran, |ran| ran.outcome == CaseOutcome::Passed);
    let mut hooks = roster(suite);
    let all = hooks.len();
    if scope == MutationScope::Reached {
        let is_asked = |tested: &TestedHook| {
            seen.anywhere(&tested.key)
                .iter()
                .any(|(_, one)| one.is_asked())
        };
        hooks.retain(is_asked);
    }
    let left_out = all - hooks.len();
    let mutants = hooks.iter();
    let mutants = mutants.flat_map(|tested| make::mutants(tested, &seen));
    let mutants: Vec<Mutant<'_>> = mutants.collect();
    let tried = run::all(&mutants, &seen, how, told);
    Ok(MutationRun { tried, left_out })
}
