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
use crate::hook::{Hook, Times};
use crate::matcher::Hit;
use crate::report::{Asked, Became};
use crate::result::HookId;

impl<'h> Dispatch<'h> {
    /// Asks the hooks of this process whose turn it is, for as long as they answer at once and have nothing to say. A
    /// future is polled once; one that is not ready is returned, and its answer is to be handed in. Then call
    /// [`Dispatch::next`].
    ///
    /// A panic is caught and is a fault of the hook that panicked. Hooks with a deadline, or with one time only, are
    /// left to `next` and the driver, which has the clock and the memory.
    pub fn ready<'a>(
        &mut self,
        event: &'a Event,
        context: &mut Context<'_>,
    ) -> Option<(HookId, BoxFuture<'a, Said>)>
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
    ) -> Option<(HookId, BoxFuture<'a, Said>)>
    where
        'h: 'a,
    {
        let hooks: &'h [_] = self.hooks;
        while let Some(hook) = hooks.get(self.cursor) {
            let at = self.cursor;
            let hook: &'h Hook = hook;
            let Handler::InProcess(handler) = &hook.handler else {
                return None;
            };
            if hook.deadline.is_some() || hook.times == Times::Once {
                return None;
            }
            let Some(hit) = self.asks(at, hook, event) else {
                self.cursor += 1;
                continue;
            };
            let said = match handler.handle(event) {
                Handled::Ready(said) => said,
                Handled::Pending(mut future) => match future.as_mut().poll(context) {
                    Poll::Ready(said) => said,
                    Poll::Pending => {
                        let waiting = self.waiting(at, hit);
                        self.wave = Wave::One(waiting);
                        self.cursor += 1;
                        return Some((super::id_of(at), future));
                    }
                },
            };
            match said {
                Ok(said) if said.is_identity() => {
                    self.record(at, Asked::First, Became::Said(None), None);
                    self.cursor += 1;
                }
                said => {
                    self.hear(at, hit, said);
                    return None;
                }
            }
        }
        None
    }

    /// Keeps an answer for the next fold, and walks on.
    fn hear(&mut self, at: usize, hit: Hit, said: Said) {
        let mut waiting = self.waiting(at, hit);
        waiting.came = Came::Answer(said, None);
        self.wave = Wave::One(waiting);
        self.cursor = at + 1;
    }
}
