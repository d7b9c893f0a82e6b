//! The store of this process: for tests, and for an agent that looks at its own reports.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhook_core::ports::{Query, Store, StoreError};
use anyhook_core::report::Report;

use super::kept::{Digests, kept};
use super::{Keep, is_wanted};

/// How many reports are kept; the oldest goes first.
const MOST: usize = 10_000;

/// Keeps the newest 10,000 reports.
#[derive(Debug, Default)]
pub struct Memory {
    keep: Keep,
    reports: Mutex<VecDeque<Report>>,
}

impl Memory {
    /// Makes an empty store.
    pub fn new(keep: Keep) -> Self {
        Self {
            keep,
            reports: Mutex::default(),
        }
    }

    fn reports(&self) -> MutexGuard<'_, VecDeque<Report>> {
        // A thread that panicked left the list as it was: every change to it is one step.
        self.reports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn append(&self, report: &Report) -> Result<(), StoreError> {
        let kept = kept(report, self.keep, &Digests::default())?;
        let report = serde_json::from_value::<Report>(kept).map_err(|source| StoreError {
            what: format!("cannot keep the report `{}`", report.id),
            source: Some(source.into()),
        })?;
        let mut reports = self.reports();
        if reports.len() >= MOST {
            reports.pop_front();
        }
        reports.push_back(report);
        Ok(())
    }

    fn find(&self, query: &Query) -> Result<Vec<Report>, StoreError> {
        let reports = self.reports();
        let wanted = reports.iter().rev().filter(|r| is_wanted(r, query));
        let last = query.last.unwrap_or(usize::MAX);
        let mut found: Vec<Report> = wanted.take(last).cloned().collect();
        found.reverse();
        Ok(found)
    }
}
