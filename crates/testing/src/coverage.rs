//! Coverage: which hooks the cases ask, the outcomes, and the branches of matchers and conditions that were taken.
//!
//! What counts, one each: that a hook is asked; that a command or a prompt on an event that it can stop is seen to do
//! more than let pass (a `guard` to refuse or to ask); each name of a matcher that is a list; a hit and a miss of one
//! that is a pattern; a hit and a miss of a `when`. The percentage is the share of these that some case shows, by its event
//! or by one that came first.
//!
//! ```
//! use std::fs;
//!
//! use anyhook_testing::{CoverageBranch, CoverageCount, Coverage, HookCoverage, HookIdentity, TestOptions, EventCoverage, HookReaction, coverage};
//!
//! let package = tempfile::tempdir()?;
//! fs::create_dir_all(package.path().join("hooks/tests/cases"))?;
//! fs::write(
//!     package.path().join("hooks/hooks.json"),
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash|Write", "hooks": [
//!         {"type": "command", "name": "frozen", "command": "echo frozen >&2; exit 2"}
//!     ]}]}}"#,
//! )?;
//! fs::write(
//!     package.path().join("hooks/tests/cases/a.yaml"),
//!     "name: a\nevent: pre-tool-use\nexpected:\n  exit-code: 2\n",
//! )?;
//! let suite = anyhook_testing::read(&[package.path().to_path_buf()]);
//! let ran = anyhook_testing::run(&suite.cases, &TestOptions::default(), &mut |_| {});
//!
//! let found: Coverage = coverage(&suite, &ran);
//! let HookCoverage { hook, rows, branches, goals, sketch } = &found.hooks[0];
//! let HookIdentity { name, line, .. } = hook;
//! assert_eq!((name.as_str(), *line), ("frozen", 2));
//! let EventCoverage { event, cases, .. } = &rows[0];
//! assert_eq!((event.as_str(), cases[&HookReaction::Denied]), ("pre-tool-use", 1));
//! let [CoverageBranch { cases: 1, .. }, CoverageBranch { branch, cases: 0, .. }] = &branches[..] else { panic!() };
//! assert_eq!(branch, "Write");
//! assert!(!goals.is_empty() && sketch.is_none());
//!
//! // Asked, seen to refuse, and one name of two.
//! let CoverageCount { covered, total } = found.counted();
//! assert_eq!((covered, total, found.counted().percent()), (3, 4, 75.0));
//! assert!(found.counted().is_below(75.1) && !found.counted().is_below(75.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod count;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::exercise::HookReaction;
use crate::mutate::{Sightings, Sketch};
use crate::ran::CaseRun;
use crate::roster::{HookIdentity, TestedHook, roster};
use crate::suite::Suite;

/// What the cases of a run show of all hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// Every hook of every package, in the order of the files.
    pub hooks: Vec<HookCoverage>,
}

/// What the cases show of one hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookCoverage {
    /// The hook.
    #[serde(flatten)]
    pub hook: HookIdentity,
    /// What came of it, for each event that a case sent it.
    #[serde(rename = "events")]
    pub rows: Vec<EventCoverage>,
    /// The branches of its matcher and its condition.
    pub branches: Vec<CoverageBranch>,
    /// What counts, each with whether some case shows it.
    pub goals: Vec<Goal>,
    /// A case that asks it, where none does.
    #[serde(rename = "case", skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
}

/// One event and one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct EventCoverage {
    /// The event.
    pub event: String,
    /// How many cases saw what.
    #[serde(flatten)]
    pub cases: BTreeMap<HookReaction, usize>,
    /// How many cases sent the event, and the hook was not asked.
    pub not_asked: usize,
}

/// A way that an event may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CoverageBranch {
    /// Whose branch: `matcher` or `when`.
    pub of: &'static str,
    /// A name of a list, else `hit` or `miss`.
    pub branch: String,
    /// How many cases went it.
    pub cases: usize,
}

/// One thing that counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Goal {
    /// What is to be seen, in words.
    pub goal: String,
    /// Whether some case shows it.
    pub is_covered: bool,
}

/// How much of what counts is covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoverageCount {
    /// What some case shows.
    pub covered: usize,
    /// All that counts.
    pub total: usize,
}

impl CoverageCount {
    /// Returns the share in percent; without anything to cover it is all of it.
    #[expect(clippy::cast_precision_loss, reason = "no package has 2^52 hooks")]
    pub fn percent(self) -> f64 {
        if self.total == 0 {
            return 100.0;
        }
        self.covered as f64 * 100.0 / self.total as f64
    }

    /// Tells whether the share is smaller than this.
    pub fn is_below(self, percent: f64) -> bool {
        self.percent() < percent
    }
}

impl HookCoverage {
    /// Tells whether some case asks it.
    pub fn is_asked(&self) -> bool {
        self.rows.iter().any(|row| !row.cases.is_empty())
    }
}

impl Coverage {
    /// Counts what is covered.
    pub fn counted(&self) -> CoverageCount {
        let goals = self.hooks.iter().flat_map(|hook| &hook.goals);
        goals.fold(CoverageCount::default(), |counted, goal| CoverageCount {
            covered: counted.covered + usize::from(goal.is_covered),
            total: counted.total + 1,
        })
    }
}

/// Tells what the cases that were run show of the hooks of their packages.
pub fn coverage(suite: &Suite, ran: &[CaseRun]) -> Coverage {
    let seen = Sightings::new(ran, |_| true);
    let of = |tested: &TestedHook| count::covered(tested, &seen.anywhere(&tested.key));
    Coverage {
        hooks: roster(suite).iter().map(of).collect(),
    }
}
