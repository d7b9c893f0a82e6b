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
//!     Fate, How, Mutated, Mutation, Scope, Sketch, Survivor, Tried, Unfit, mutate,
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
//! let how = How::default();
//! let ran = anyhook_testing::run(&suite.cases, &how, &mut |_| {});
//!
//! let Mutated { tried, left_out } = mutate(&suite, &ran, Scope::Everything, &how, &mut |_| {})?;
//! assert_eq!(left_out, 0);
//! let [Tried { fate: Fate::Killed { by }, .. }, Tried { hook, mutation, fate }] = &tried[..] else {
//!     panic!()
//! };
//! assert_eq!((by.as_str(), hook.name.as_str()), ("a", "frozen"));
//! assert_eq!(*mutation, Mutation::ExitCode);
//! let Fate::Survived(Survivor { sketch: Sketch { text, .. }, .. }) = fate else {
//!     panic!()
//! };
//! assert!(text.contains("exit-code: 2"), "{text}");
//!
//! // What fails already proves nothing, and neither does what was not run.
//! let failed: Result<_, Unfit> = mutate(&suite, &[], Scope::Everything, &how, &mut |_| {});
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
use crate::ran::{Outcome, Ran, Tally};
use crate::roster::{Hook, Tested, roster};
use crate::run::How;
use crate::suite::Suite;
pub(crate) use seen::Seen;
pub use sketch::Sketch;

/// Which hooks are broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every hook of the packages; one that no case asks survives everything.
    Everything,
    /// Those that the cases of this run ask: the caller chose the cases.
    Reached,
}

/// What came of a run of mutants.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutated {
    /// Every mutant, in the order of the hooks.
    pub tried: Vec<Tried>,
    /// How many hooks were not broken, because no case that was chosen asks them.
    pub left_out: usize,
}

/// One mutant, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The hook.
    pub hook: Hook,
    /// How it was broken.
    pub mutation: Mutation,
    /// What came of it.
    #[serde(flatten)]
    pub fate: Fate,
}

/// What comes of a mutant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
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
pub enum Unfit {
    /// They fail.
    #[error("the tests have to pass before their hooks are broken")]
    Failed,
    /// There are none.
    #[error("no case was run, so that none could notice a hook that is broken")]
    NotRun,
}

impl Mutated {
    /// Returns the mutants that survived.
    pub fn survivors(&self) -> impl Iterator<Item = (&Tried, &Survivor)> {
        self.tried.iter().filter_map(|tried| match &tried.fate {
            Fate::Survived(survivor) => Some((tried, survivor)),
            Fate::Killed { .. } => None,
        })
    }

    /// Returns how many mutants were killed.
    pub fn killed(&self) -> usize {
        let is_killed = |tried: &&Tried| matches!(tried.fate, Fate::Killed { .. });
        self.tried.iter().filter(is_killed).count()
    }
}

/// Breaks the hooks of a suite whose cases passed, each way in turn, and tells each mutant in the order of the hooks.
pub fn mutate(
    suite: &Suite,
    ran: &[Ran],
    scope: Scope,
    how: &How,
    told: &mut (dyn FnMut(&Tried) + Send),
) -> Result<Mutated, Unfit> {
    let tally = Tally::of(ran, suite.problems.len());
    if !tally.is_good() {
        return Err(Unfit::Failed);
    }
    if ran.is_empty() {
        return Err(Unfit::NotRun);
    }
    let seen = Seen::new(ran, |ran| ran.outcome == Outcome::Passed);
    let mut hooks = roster(suite);
    let all = hooks.len();
    if scope == Scope::Reached {
        let is_asked = |tested: &Tested| {
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
    Ok(Mutated { tried, left_out })
}
