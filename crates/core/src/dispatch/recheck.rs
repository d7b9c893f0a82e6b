//! A decision holds only for the input it saw (D7): who is asked again, and what their first answer is still worth.

use super::{Came, Dispatch, Next, Phase, Waiting};
use crate::event::Event;
use crate::hook::{Mode, Recheck, Role};
use crate::matcher::Hit;
use crate::report::Asked;
use crate::result::{Reason, Verdict};

impl Dispatch<'_> {
    /// Asks those again who answered about another input (D7).
    pub(super) fn begin_recheck(&mut self, event: &Event) -> Option<Next> {
        let Some(author) = self.author else {
            return self.phase_after(Phase::Observing);
        };
        self.phase = Phase::Rechecking;
        let wave: Vec<Waiting> = (0..author)
            .filter(|at| !self.failed.contains(at))
            .filter_map(|at| {
                let hook = self.hooks.get(at)?;
                let hit = hook.selects(event);
                let again = hook.recheck == Recheck::Yes
                    && hook.role == Role::Decide
                    && hook.mode == Mode::Enforce
                    && hit != Hit::No
                    && self.same(at, hook, event).is_none();
                again.then_some(Waiting {
                    hook: at,
                    hit,
                    asked: Asked::Again,
                    came: Came::Nothing,
                })
            })
            .collect();
        self.forget_allows(author);
        if wave.is_empty() {
            None
        } else {
            Some(self.ask(wave))
        }
    }

    /// An approval of an input that was rewritten since is none (D7).
    fn forget_allows(&mut self, author: usize) {
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
