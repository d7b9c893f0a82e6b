//! What the cases of a run cover of the hooks of their packages.

use crate::exercise::{self, Shown};
use crate::package::HookKey;
use crate::ran::Ran;

/// What cases show, each by its place in the run.
pub(crate) struct Seen<'r> {
    pub(super) ran: &'r [Ran],
    /// What each case shows of each hook.
    shown: Vec<(usize, Shown)>,
    /// What the events show that came first.
    before: Vec<(usize, Shown)>,
}

impl<'r> Seen<'r> {
    pub(crate) fn new(ran: &'r [Ran], counts: fn(&Ran) -> bool) -> Self {
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
    pub(super) fn of(&self, key: &HookKey) -> Vec<(usize, &Shown)> {
        of(key, self.shown.iter())
    }

    /// Returns what cases show of one hook by any of their events.
    pub(crate) fn anywhere(&self, key: &HookKey) -> Vec<(usize, &Shown)> {
        of(key, self.shown.iter().chain(&self.before))
    }
}

fn of<'s>(key: &HookKey, all: impl Iterator<Item = &'s (usize, Shown)>) -> Vec<(usize, &'s Shown)> {
    let own = all.filter(|(_, shown)| shown.hook == *key);
    own.map(|(at, shown)| (*at, shown)).collect()
}
