//! What the cases of a run cover of the hooks that are broken.

use crate::exercise::{self, Shown};
use crate::package::HookKey;
use crate::ran::{Outcome, Ran};

/// What the cases that passed show, each by its place in the run.
pub(super) struct Seen<'r> {
    pub(super) ran: &'r [Ran],
    /// What each case shows of each hook.
    pub(super) shown: Vec<(usize, Shown)>,
    /// What the events show that came first.
    before: Vec<Shown>,
}

impl<'r> Seen<'r> {
    pub(super) fn new(ran: &'r [Ran]) -> Self {
        let passed = ran.iter().enumerate();
        let passed = passed.filter(|(_, ran)| ran.outcome == Outcome::Passed);
        let (mut shown, mut before) = (Vec::new(), Vec::new());
        for (at, ran) in passed {
            let Some(evidence) = &ran.evidence else {
                continue;
            };
            let own = exercise::shown(&ran.case, evidence);
            shown.extend(own.into_iter().map(|one| (at, one)));
            before.extend(exercise::shown_before(&ran.case, evidence));
        }
        Self { ran, shown, before }
    }

    /// Returns what cases show of one hook.
    pub(super) fn of(&self, key: &HookKey) -> Vec<(usize, &Shown)> {
        let own = self.shown.iter().filter(|(_, shown)| shown.hook == *key);
        own.map(|(at, shown)| (*at, shown)).collect()
    }

    /// Returns what cases show of one hook by any of their events.
    pub(super) fn anywhere(&self, key: &HookKey) -> Vec<&Shown> {
        let all = self.shown.iter().map(|(_, one)| one).chain(&self.before);
        all.filter(|shown| shown.hook == *key).collect()
    }
}
