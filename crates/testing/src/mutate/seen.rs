//! What the cases of a run cover of the hooks of their packages.

use crate::exercise::{self, Sighting};
use crate::package::HookKey;
use crate::ran::CaseRun;

/// What cases show, each by its place in the run.
pub(crate) struct Sightings<'r> {
    pub(super) ran: &'r [CaseRun],
    /// What each case shows of each hook.
    shown: Vec<(usize, Sighting)>,
    /// What the events show that came first.
    before: Vec<(usize, Sighting)>,
}

impl<'r> Sightings<'r> {
    pub(crate) fn new(ran: &'r [CaseRun], counts: fn(&CaseRun) -> bool) -> Self {
        let (mut shown, mut before) = (Vec::new(), Vec::new());
        for (at, ran) in ran.iter().enumerate().filter(|(_, ran)| counts(ran)) {
            let Some(evidence) = &ran.evidence else {
                continue;
            };
            let (own, earlier) = exercise::shown(&ran.case, evidence);
            shown.extend(own.into_iter().map(|one| (at, one)));
            before.extend(earlier.into_iter().map(|one| (at, one)));
        }
        Self { ran, shown, before }
    }

    /// Returns what cases show of one hook.
    pub(super) fn of(&self, key: &HookKey) -> Vec<(usize, &Sighting)> {
        of(key, self.shown.iter())
    }

    /// Returns what cases show of one hook by any of their events.
    pub(crate) fn anywhere(&self, key: &HookKey) -> Vec<(usize, &Sighting)> {
        of(key, self.shown.iter().chain(&self.before))
    }
}

fn of<'s>(
    key: &HookKey,
    all: impl Iterator<Item = &'s (usize, Sighting)>,
) -> Vec<(usize, &'s Sighting)> {
    let own = all.filter(|(_, shown)| shown.hook == *key);
    own.map(|(at, shown)| (*at, shown)).collect()
}
