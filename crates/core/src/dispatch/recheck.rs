//! Recheck: which hooks are asked again after a rewrite, and which of their first answers still counts.

use super::{Dispatch, DispatchPhase, DriverAction};
use crate::event::Event;
use crate::hook::{Hook, Recheck};
use crate::matcher::Hit;
use crate::result::{HookId, HookResult, Verdict};
use crate::taxonomy::Class;

impl Dispatch<'_> {
    /// Walks on to the next hook that is asked again, in the order and the company of the first asking.
    pub(super) fn next_recheck(&mut self, event: &Event) -> Option<DriverAction> {
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
        let notes = self.notes.as_deref();
        let is_silent = notes.is_some_and(|notes| notes.silent.contains(&at));
        let again = hook.recheck == Recheck::Yes && !is_silent;
        again.then(|| self.asks_first(at, hook, event))?
    }

    /// Where the event's time is over: approvals of another input are forgotten, and on a gate a guard that has not
    /// seen the final input refuses.
    pub(super) fn end_recheck(&mut self, event: &Event) {
        let author = self.author.unwrap_or(0);
        let (again, first) = match self.phase {
            DispatchPhase::Deciding => (0..author, self.cursor..self.hooks.list().len()),
            DispatchPhase::Rechecking => (self.cursor..author, 0..0),
            DispatchPhase::Observing | DispatchPhase::Done => return,
        };
        if self.phase == DispatchPhase::Deciding {
            self.forget_allows();
        }
        let guard = self.guard_in(again, event, Self::asks_again);
        let guard = guard.or_else(|| self.guard_in(first, event, Self::asks_first));
        if let (Some(guard), Class::Gate, false) = (guard, self.class, self.is_refused()) {
            self.out_of_time(guard);
        }
    }

    fn asks_first(&self, at: usize, hook: &Hook, event: &Event) -> Option<Hit> {
        let counts = hook.counts();
        counts.then(|| self.hooks.selected(at, event).ok())?
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
        let text = format!(
            "out of time: the guard `{}` could not be asked before the agent would have gone on without it. \
             Try again; if it happens often, raise the timeout or make the hooks before it faster.",
            name.unwrap_or_default()
        );
        let mut said = HookResult::deny(text);
        said.stamp(HookId::at(hook));
        self.fold(said);
    }

    /// An approval of an input that was rewritten since is none.
    pub(super) fn forget_allows(&mut self) {
        let (Some(author), Verdict::Allow { reasons }) = (self.author, &mut self.folded.verdict)
        else {
            return;
        };
        let all = std::mem::take(reasons).into_iter();
        let kept = all.filter(|reason| reason.by.is_some_and(|by| by.index() >= author));
        *reasons = kept.collect();
        if reasons.is_empty() {
            self.folded.verdict = Verdict::Continue;
        }
    }
}
