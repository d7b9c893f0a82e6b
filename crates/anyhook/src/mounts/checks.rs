//! The checks of a module before a session mounts it: one file and one row for each check.
//!
//! A check judges what was [watched](super::watch): a session of its own mounted the module, asked its handlers
//! about samples of what they listen to, and unmounted it.

mod cleanup;
mod cleanup_runs;
mod custom_events;
mod enabled_events;
mod events;
mod exceptions;
mod handlers;
mod in_time;
mod loads;
mod mounts;
mod names;
mod priority;
mod registers;
mod results;
mod session_ready;

use super::watch::Watched;

/// One check.
///
/// ```
/// use anyhook::mounts::{CHECKS, Check, Weight};
///
/// let Check { weight, about, .. } = CHECKS.iter().find(|check| check.slug == "mounts").unwrap();
/// assert_eq!((*weight, *about), (Weight::Required, "It can be mounted."));
/// ```
#[derive(Debug)]
pub struct Check {
    /// Its name for people, in words and hyphens.
    pub slug: &'static str,
    /// What its failure means.
    pub weight: Weight,
    /// What holds where it passes, as one sentence.
    pub about: &'static str,
    pub(super) judge: fn(&Watched) -> Judged,
}

/// What the failure of a check means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The module does not do.
    Required,
    /// It does, and would do better.
    Recommended,
}

/// What a check came to.
///
/// ```
/// use anyhook::mounts::Judged;
/// let judged = Judged::failed("it registers nothing", "register a handler while it is mounted");
/// assert!(judged.is_failure() && !Judged::Passed.is_failure());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// It holds.
    Passed,
    /// It does not.
    Failed {
        /// Why, as a fragment.
        why: String,
        /// What to do about it.
        fix: String,
    },
    /// It cannot be known, for this reason.
    Skipped(&'static str),
}

impl Judged {
    /// Makes a failure.
    pub fn failed(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Failed {
            why: why.into(),
            fix: fix.into(),
        }
    }

    /// Tells whether it is one.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

/// Every check, those that are required first, in the order in which a module meets them.
pub static CHECKS: &[&Check] = &[
    &loads::ROW,
    &mounts::ROW,
    &registers::ROW,
    &handlers::ROW,
    &session_ready::ROW,
    &results::ROW,
    &exceptions::ROW,
    &in_time::ROW,
    &cleanup_runs::ROW,
    &cleanup::ROW,
    &priority::ROW,
    &names::ROW,
    &events::ROW,
    &enabled_events::ROW,
    &custom_events::ROW,
];
