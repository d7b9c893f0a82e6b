//! Recheck: which hooks are asked again after a rewrite, and which of their first answers still counts.

use super::{Dispatch, Next, Phase};
use crate::event::Event;
use crate::hook::{Hook, Mode, Recheck, Role};
use crate::matcher::Hit;
use crate::result::{HookId, HookResult, Reason, Verdict};
use crate::taxonomy::Class;

impl Dispatch<'_> {
    /// Begins to ask those again who answered about another input: all before the last hook that rewrote it.
    pub(super) fn begin_recheck(&mut self) {
        self.forget_allows();
        self.phase = Phase::Rechecking;
        self.cursor = 0;
    }

    /// Walks on to the next hook that is asked again, in the order and the company of the first asking.
    pub(super) fn next_recheck(&mut self, event: &Event) -> Option<Next> {
        let end = match self.author {
            Some(author) if !self.is_refused() => author,
            Some(_) | None => 0,
        };
        let next = self.next_wave(end, event);
        if next.is_none() {
            self.observe();
        }
        next
    }

    /// Tells whether a hook before the author of the input is asked again.
    pub(super) fn asks_again(&self, at: usize, hook: &Hook, event: &Event) -> Option<Hit> {
        let again = hook.recheck == Recheck::Yes
            && hook.role == Role::Decide
            && hook.mode == Mode::Enforce
            && !self.is_silent(at);
        again.then(|| self.hooks.selected(at, event).ok())?
    }

    fn is_silent(&self, at: usize) -> bool {
        let notes = self.notes.as_deref();
        notes.is_some_and(|notes| notes.silent.contains(&at))
    }

    /// Where the event's time is over: approvals of another input are forgotten, and on a gate a guard that has not
    /// seen the final input refuses.
    pub(super) fn end_recheck(&mut self, event: &Event) {
        let guard = match self.phase {
            Phase::Deciding => {
                self.forget_allows();
                let again = self.guard_in(0..self.author.unwrap_or(0), event, Self::asks_again);
                again.or_else(|| {
                    self.guard_in(
                        self.cursor..self.hooks.list().len(),
                        event,
                        Self::asks_first,
                    )
                })
            }
            Phase::Rechecking => self.guard_in(
                self.cursor..self.author.unwrap_or(0),
                event,
                Self::asks_again,
            ),
            Phase::Observing | Phase::Done => None,
        };
        if let (Some(guard), Class::Gate, false) = (guard, self.class, self.is_refused()) {
            self.out_of_time(guard);
        }
    }

    fn asks_first(&self, at: usize, hook: &Hook, event: &Event) -> Option<Hit> {
        let asked = hook.role == Role::Decide && hook.mode == Mode::Enforce;
        asked.then(|| self.hooks.selected(at, event).ok())?
    }

    fn guard_in(
        &self,
        range: std::ops::Range<usize>,
        event: &Event,
        asks: fn(&Self, usize, &Hook, &Event) -> Option<Hit>,
    ) -> Option<usize> {
        range.into_iter().find(|&at| {
            let hook = self.hooks.list().get(at);
            hook.is_some_and(|hook| hook.info.guard && asks(self, at, hook, event).is_some())
        })
    }

    fn out_of_time(&mut self, hook: usize) {
        let name = self.hooks.list().get(hook).map(|h| &*h.info.name);
        let mut reason = Reason::new(format!(
            "out of time: the guard `{}` could not be asked before the agent would have gone on without it. \
             Try again; if it happens often, raise the timeout or make the hooks before it faster.",
            name.unwrap_or_default()
        ));
        reason.by = Some(HookId::at(hook));
        self.fold(HookResult::from(Verdict::Deny {
            reasons: [reason].into(),
        }));
    }

    /// An approval of an input that was rewritten since is none.
    fn forget_allows(&mut self) {
        let Some(author) = self.author else {
            return;
        };
        if let Verdict::Allow { reasons } = &mut self.folded.verdict {
            let kept: Vec<Reason> = std::mem::take(reasons)
                .into_iter()
                .filter(|reason| reason.by.is_some_and(|by| by.index() >= author))
                .collect();
            self.folded.verdict = if kept.is_empty() {
                Verdict::Continue
            } else {
                Verdict::Allow {
                    reasons: kept.into(),
                }
            };
        }
    }
}
