//! The fast path: hooks of this process that answer at once are asked here, one after the other, without a step outside.
//!
//! It decides nothing of its own. It asks whom [`Dispatch::next`] would have told the driver to ask, in the same order,
//! and stops at the first that has something to say; `next` folds that as it folds every answer. A driver that never
//! calls it comes to the same outcome, which is a law of this crate's tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use super::{Came, Dispatch, Phase, Wave};
use crate::event::Event;
use crate::fault::Fault;
use crate::handler::{BoxFuture, Handled, Handler, Said};
use crate::hook::{Hook, Role, Times};
use crate::matcher::Hit;
use crate::report::{Asked, Became};
use crate::result::Verdict;

impl<'h> Dispatch<'h> {
    /// Asks the hooks of this process whose turn it is, for as long as they answer at once and have nothing to say. A
    /// future is polled once; one that is not ready is returned, and its answer is to be handed in for the hook that
    /// [`Dispatch::asking`] names. Then call [`Dispatch::next`].
    ///
    /// A panic is caught and is a fault of the hook that panicked. Hooks with a deadline, or with one time only, are
    /// left to `next` and the driver, which has the clock and the memory.
    ///
    /// ```
    /// use std::task::{Context, Waker};
    ///
    /// use anyhook_core::dispatch::{Dispatch, Next, Policy};
    /// use anyhook_core::event::Event;
    /// use anyhook_core::hook::{Hook, Hooks};
    /// use anyhook_core::result::HookResult;
    /// use serde_json::json;
    ///
    /// let hooks: Hooks = [
    ///     Hook::in_process("tool:pre", "watch", |_: &Event| ()),
    ///     Hook::in_process("tool:pre", "pnpm", |_: &Event| {
    ///         HookResult::proceed().modify("tool_input", "pnpm i")
    ///     }),
    /// ]
    /// .into_iter()
    /// .collect();
    /// let mut event = Event::new("tool:pre", json!({"tool_input": "npm i"}));
    /// let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
    ///
    /// // Both answer at once, and only the second has something to fold.
    /// let context = &mut Context::from_waker(Waker::noop());
    /// assert!(dispatch.ready(&event, context).is_none());
    /// assert!(dispatch.fold_answer(&mut event));
    /// assert_eq!(event.text("tool_input").as_deref(), Some("pnpm i"));
    ///
    /// assert!(dispatch.ready(&event, context).is_none());
    /// assert!(!dispatch.fold_answer(&mut event));
    /// assert_eq!(dispatch.next(&mut event), Next::Done);
    /// ```
    pub fn ready<'a>(
        &mut self,
        event: &'a Event,
        context: &mut Context<'_>,
    ) -> Option<BoxFuture<'a, Said>>
    where
        'h: 'a,
    {
        let deciding = self.phase == Phase::Deciding && !self.is_refused();
        if !matches!(self.wave, Wave::None) || !(deciding || self.phase == Phase::Observing) {
            return None;
        }
        // One frame for the whole walk: entering one for each hook would cost as much as asking it. The cursor stays on a
        // hook until it has answered, so after a panic it tells whose it was.
        match catch_unwind(AssertUnwindSafe(|| self.walk(event, context))) {
            Ok(pending) => pending,
            Err(panic) => {
                let at = self.cursor;
                self.hear(at, Hit::Name, Err(Box::new(Fault::of_panic(&*panic))));
                None
            }
        }
    }

    fn walk<'a>(
        &mut self,
        event: &'a Event,
        context: &mut Context<'_>,
    ) -> Option<BoxFuture<'a, Said>>
    where
        'h: 'a,
    {
        let hooks: &'h [_] = self.hooks;
        loop {
            let Some(hook) = hooks.get(self.cursor) else {
                if self.walks_on() {
                    continue;
                }
                return None;
            };
            let (at, hook): (usize, &'h Hook) = (self.cursor, hook);
            let Handler::InProcess(handler) = &hook.handler else {
                return None;
            };
            let hit = if self.asks_plainly(hook, event) {
                Hit::Name
            } else if hook.deadline.is_some() || hook.times == Times::Once {
                return None;
            } else if let Some(hit) = self.asks(at, hook, event) {
                hit
            } else {
                self.cursor += 1;
                continue;
            };
            // What says nothing holds nothing to be dropped, and looking for it would cost more than asking the hook.
            match handler.handle(event) {
                Handled::Ready(said) if is_nothing(&said) => std::mem::forget(said),
                Handled::Ready(said) => {
                    self.hear(at, hit, said);
                    return None;
                }
                Handled::Pending(mut future) => match future.as_mut().poll(context) {
                    Poll::Ready(said) if is_nothing(&said) => std::mem::forget(said),
                    Poll::Ready(said) => {
                        self.hear(at, hit, said);
                        return None;
                    }
                    Poll::Pending => {
                        self.wave = Wave::One(self.waiting(at, hit));
                        self.cursor += 1;
                        return Some(future);
                    }
                },
            }
            if self.is_recording() {
                self.record(at, Asked::First, Became::Said(None), None);
            }
            self.cursor = at + 1;
        }
    }

    /// Ends the phase at the end of the list, and tells whether observers are to be asked now.
    #[inline]
    fn walks_on(&mut self) -> bool {
        match self.phase {
            // No hook rewrote, so none is asked again.
            Phase::Deciding if self.author.is_none() => self.observe(),
            Phase::Observing => self.phase = Phase::Done,
            Phase::Deciding | Phase::Rechecking | Phase::Done => {}
        }
        self.phase == Phase::Observing
    }

    /// Tells of most hooks that they are asked: those that decide about every event of one name, without a condition.
    #[inline]
    fn asks_plainly(&self, hook: &Hook, event: &Event) -> bool {
        self.phase == Phase::Deciding
            && hook.role == Role::Decide
            && hook.times == Times::Always
            && hook.deadline.is_none()
            && hook.event == event.name
            && hook.when.is_all()
    }

    /// Keeps an answer for the next fold, and walks on.
    fn hear(&mut self, at: usize, hit: Hit, said: Said) {
        let mut waiting = self.waiting(at, hit);
        waiting.came = Came::of(said, None);
        self.wave = Wave::One(waiting);
        self.cursor = at + 1;
    }
}

#[inline]
fn is_nothing(said: &Said) -> bool {
    matches!(said, Ok(result) if matches!(result.verdict, Verdict::Continue) && result.effects.get().is_none())
}
