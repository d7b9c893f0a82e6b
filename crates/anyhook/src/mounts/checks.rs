//! The checks of a module before a session mounts it: one row and one function each.
//!
//! A check judges what was [watched](super::watch): a session of its own mounted the module, asked its handlers
//! about samples of what they listen to, and unmounted it.

use std::sync::LazyLock;

use anyhook_core::event::EventName;
use anyhook_core::fault::FaultKind;
use anyhook_core::taxonomy::suggest;
use serde::Serialize;

use super::module::{ExecutionMode, ModuleProblem, MountError};
use super::watch::Observation;

/// One check.
///
/// ```
/// use anyhook::mounts::{CHECKS, Check, Weight};
///
/// let Check { weight, about, .. } = CHECKS.iter().find(|check| check.slug == "mounts").unwrap();
/// assert_eq!((*weight, *about), (Weight::Required, "It can be mounted."));
/// ```
#[derive(Debug, Serialize)]
pub struct Check {
    /// Its name for people, in words and hyphens.
    #[serde(rename = "check")]
    pub slug: &'static str,
    /// What its failure means.
    pub weight: Weight,
    /// What holds where it passes, as one sentence.
    pub about: &'static str,
    /// What to do where it does not hold.
    #[serde(skip)]
    pub(super) fix: &'static str,
}

/// What the failure of a check means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The module does not pass.
    Required,
    /// It passes, and could be better.
    Recommended,
}

/// What a check came to.
///
/// ```
/// use anyhook::mounts::CheckStatus;
/// let skipped = CheckStatus::Skipped { why: "it could not be loaded" };
/// assert!(!CheckStatus::Passed.is_failure() && !skipped.is_failure());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "judged", rename_all = "snake_case")]
pub enum CheckStatus {
    /// It holds.
    Passed,
    /// It does not.
    Failed {
        /// Why, as a fragment.
        why: String,
        /// What to do about it.
        fix: String,
    },
    /// It cannot be known.
    Skipped {
        /// Why.
        why: &'static str,
    },
}

impl CheckStatus {
    /// Tells whether it is one.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }
}

/// Every check, in order.
pub static CHECKS: LazyLock<Vec<Check>> = LazyLock::new(|| {
    let rows = include_str!("checks.txt").lines();
    rows.filter_map(check).collect()
});

/// Reads a row of the table.
fn check(row: &'static str) -> Option<Check> {
    let mut cells = row.split(" | ");
    let (slug, weight) = (cells.next()?, cells.next()?);
    Some(Check {
        slug,
        weight: match weight {
            "required" => Weight::Required,
            _ => Weight::Recommended,
        },
        about: cells.next()?,
        fix: cells.next()?,
    })
}

/// Says why a module does not pass a check.
pub(super) fn why(slug: &'static str, watched: &Observation) -> Option<ModuleProblem> {
    let failed = |error: &MountError| ModuleProblem {
        check: slug,
        what: error.text.clone(),
        fix: error.help.clone(),
    };
    let what = match slug {
        "loads" => return watched.not_found.as_ref().map(failed),
        "mounts" => return watched.not_mounted.as_ref().map(failed),
        "handlers" => return watched.seen_by(slug),
        "events" => return watched.seen_by(slug).or_else(|| unknown_event(watched)),
        "registers" if watched.registered.is_empty() => {
            Some("it registers no handler, so it is never asked".to_owned())
        }
        "session-ready" => {
            let failed = watched.not_ready.first()?;
            Some(format!(
                "when the session became ready: {}",
                failed.fault.text
            ))
        }
        "results" => watched
            .failing(|kind| kind == FaultKind::InvalidAnswer)
            .or_else(|| {
                let wordless = watched.asked.iter().find(|asked| asked.is_wordless)?;
                Some(format!(
                    "{}: it refuses or asks without a word",
                    wordless.place()
                ))
            }),
        // A handler that cannot be asked at all fails a check of its own.
        "exceptions" if watched.seen_by("handlers").is_none() => {
            watched.failing(|kind| !matches!(kind, FaultKind::InvalidAnswer | FaultKind::TimedOut))
        }
        "in-time" => {
            let late = watched.asked.iter().find(|asked| asked.is_late())?;
            Some(format!("{}: it had no answer in time", late.place()))
        }
        "cleanup-runs" => not_cleaned(watched),
        "cleanup" if watched.cleanups == 0 && watched.asking == ExecutionMode::InProcess => {
            Some("`mount` returns no cleanup, and registers none".to_owned())
        }
        "priority" => {
            let mut all = watched.registered.iter();
            let odd = all.find(|one| !(10..=90).contains(&one.priority))?;
            Some(format!("{odd} leaves no room before or after it"))
        }
        "names" => {
            let unnamed = watched.registered.iter().find(|one| !one.is_named)?;
            Some(format!("{unnamed} is named after its place in a file"))
        }
        "custom-events" => {
            let hidden = watched.hidden_event()?;
            Some(format!(
                "it emits `{hidden}` without declaring it in `observable_events`"
            ))
        }
        _ => None,
    };
    what.map(|what| ModuleProblem {
        check: slug,
        what,
        fix: None,
    })
}

fn unknown_event(watched: &Observation) -> Option<ModuleProblem> {
    watched.registered.iter().find_map(|one| {
        let is_known = EventName::new(&one.event).spec().is_some() || one.event.contains('*');
        let near = suggest(&one.event).filter(|_| !is_known)?;
        Some(ModuleProblem {
            check: "events",
            what: format!("{one}: no event of the catalogue is called so"),
            fix: Some(format!("did you mean `{near}`?")),
        })
    })
}

fn not_cleaned(watched: &Observation) -> Option<String> {
    let failed = watched.not_cleaned.first();
    let failed = failed.map(|failed| format!("its cleanup failed: {}", failed.fault.text));
    failed.or_else(|| {
        let left = watched.left.first()?;
        Some(format!(
            "the handler `{left}` is still there after it was unmounted"
        ))
    })
}
