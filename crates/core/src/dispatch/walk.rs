//! Walking the list of hooks: which is asked next, which together, and why the others are not asked.

use super::{
    AskedHook, Dispatch, DispatchPhase, DriverAction, HookReply, PendingHooks, StepRecording,
};
use crate::event::Event;
use crate::handler::Handler;
use crate::hook::{Concurrency, Hook, HookRole};
use crate::matcher::Hit;
use crate::report::{AskRound, SkipReason, StepOutcome};
use crate::result::{HookId, Kind};

impl Dispatch<'_> {
    pub(super) fn next_decider(&mut self, event: &Event) -> Option<DriverAction> {
        if self.is_refused() {
            self.leave(self.cursor, HookRole::Decide, event, SkipReason::Decided);
            self.observe();
            return None;
        }
        let next = self.next_wave(self.hooks.list().len(), event);
        if next.is_none() {
            // Those are asked again who answered about another input: all before the last hook that rewrote it.
            self.forget_allows();
            (self.phase, self.cursor) = (DispatchPhase::Rechecking, 0);
        }
        next
    }

    pub(super) fn next_observer(&mut self, event: &Event) -> Option<DriverAction> {
        let next = self.next_wave(self.hooks.list().len(), event);
        if next.is_none() {
            self.phase = DispatchPhase::Done;
        }
        next
    }

    pub(super) fn observe(&mut self) {
        self.phase = DispatchPhase::Observing;
        let mut hooks = self.hooks.list().iter();
        let first = hooks.position(|hook| hook.role == HookRole::Observe);
        self.cursor = first.unwrap_or(self.hooks.list().len());
    }

    /// A refusal ends the asking of deciders.
    pub(super) fn is_refused(&self) -> bool {
        self.folded.verdict.kind() >= Kind::Deny
    }

    /// Walks on to the next hook before `end` that is asked; declared neighbours of one priority go together.
    /// Hooks that are not asked separate no others.
    pub(super) fn next_wave(&mut self, end: usize, event: &Event) -> Option<DriverAction> {
        let hooks = self.hooks.list();
        let mut wave = PendingHooks::default();
        while let Some(hook) = hooks.get(self.cursor).filter(|_| self.cursor < end) {
            let at = self.cursor;
            let Some(hit) = self.asks(at, hook, event) else {
                self.cursor += 1;
                continue;
            };
            let together = self.goes_together(hook);
            let beside = wave.first().is_none_or(|first| {
                together
                    && hooks.get(first.hook).map(|h| h.info.priority) == Some(hook.info.priority)
            });
            if !beside {
                break;
            }
            self.cursor += 1;
            wave.push(self.waiting(at, hit));
            if !together {
                break;
            }
        }
        self.ask(wave)
    }

    /// Declared deciders go side by side, unless one is to go alone. Observers go one after the other.
    fn goes_together(&self, hook: &Hook) -> bool {
        matches!(hook.handler, Handler::Declared(_))
            && hook.turn == Concurrency::Together
            && self.phase != DispatchPhase::Observing
    }

    pub(super) fn waiting(&self, at: usize, hit: Hit) -> AskedHook {
        let asked = match self.phase {
            DispatchPhase::Rechecking => AskRound::Again,
            DispatchPhase::Deciding | DispatchPhase::Observing | DispatchPhase::Done => {
                AskRound::First
            }
        };
        AskedHook {
            hook: at,
            hit,
            asked,
            reply: HookReply::Nothing,
            took: None,
        }
    }

    /// Waits for these, where there are any.
    pub(super) fn ask(&mut self, wave: PendingHooks) -> Option<DriverAction> {
        let id = |waiting: &AskedHook| HookId::at(waiting.hook);
        let next = match &*wave {
            [] => return None,
            [one] => DriverAction::Ask(id(one)),
            all => DriverAction::Together(all.iter().map(id).collect()),
        };
        self.wave = wave;
        Some(next)
    }

    /// Tells whether this phase asks a hook, and records why not.
    #[inline]
    pub(super) fn asks(&mut self, at: usize, hook: &Hook, event: &Event) -> Option<Hit> {
        let role = match self.phase {
            DispatchPhase::Rechecking => return self.asks_again(at, hook, event),
            DispatchPhase::Deciding => HookRole::Decide,
            DispatchPhase::Observing | DispatchPhase::Done => HookRole::Observe,
        };
        if hook.role != role {
            return None;
        }
        match self.hooks.selected(at, event) {
            Ok(hit) => Some(hit),
            Err(why) => {
                self.record(&self.waiting(at, Hit::No), StepOutcome::NotAsked(why));
                None
            }
        }
    }

    /// Records the hooks of a role, from one on, that will not be asked any more.
    fn leave(&mut self, from: usize, role: HookRole, event: &Event, why: SkipReason) {
        if self.policy.record == StepRecording::Nothing {
            return;
        }
        for (at, hook) in self.hooks.list().iter().enumerate().skip(from) {
            if hook.role == role && self.asks(at, hook, event).is_some() {
                self.record(&self.waiting(at, Hit::No), StepOutcome::NotAsked(why));
            }
        }
    }

    /// Records everyone whom the end of the event's time left unasked.
    pub(super) fn leave_rest(&mut self, event: &Event) {
        if self.phase == DispatchPhase::Deciding {
            self.leave(self.cursor, HookRole::Decide, event, SkipReason::OutOfTime);
        }
        if matches!(
            self.phase,
            DispatchPhase::Deciding | DispatchPhase::Rechecking
        ) {
            self.observe();
        }
        if self.phase == DispatchPhase::Observing {
            self.leave(self.cursor, HookRole::Observe, event, SkipReason::OutOfTime);
        }
    }
}
