//! The outbox: texts that one event could not deliver and a later event of the session may.

use anyhook_core::can::{Can, Shown};
use anyhook_core::fit::{Became, Loss, Undelivered};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::Class;

use super::remember::Memory;

impl Memory<'_> {
    /// Lets a text wait for the session's next event that can say it.
    pub(super) fn wait(&mut self, text: Undelivered) {
        let refused = self.update(|session| session.post(text).is_err());
        if refused.unwrap_or(true) {
            self.trouble
                .push("a text for a later event of this session could not be kept".to_owned());
        }
    }

    /// Adds what waited for an event that can say it. No text that waited sends on an agent that may stop.
    pub(super) fn deliver(
        &mut self,
        mut result: HookResult,
        class: Class,
        can: &Can,
    ) -> HookResult {
        let goes_on = class != Class::Continuation || result.verdict.kind() == Kind::Deny;
        let (inject, notify) = (can.inject.is_some() && goes_on, can.notify == Shown::Yes);
        let waits = self.seen.is_none_or(|seen| seen.waiting);
        if !waits || !inject && !notify {
            return result;
        }
        let waiting = self
            .update(|session| {
                session.collect_outbox(|text| match text {
                    Undelivered::Injection(_) => inject,
                    Undelivered::Notice(_) => notify,
                })
            })
            .unwrap_or_default();
        // Whose words they were stands in the report of the event that they came from: here the place in the list of hooks
        // may be another program's.
        for undelivered in waiting {
            match undelivered {
                Undelivered::Injection(mut injection) => {
                    injection.by = None;
                    result.effects.edit().inject.push(injection);
                }
                Undelivered::Notice(mut notice) => {
                    notice.by = None;
                    result.effects.edit().notify.push(notice);
                }
            }
        }
        result
    }

    /// Puts what could not be said into the outbox, for the session's next event that can.
    pub(super) fn post(&mut self, losses: &[Loss]) {
        let later: Vec<Undelivered> = {
            let waits = losses.iter().filter(|loss| loss.became == Became::Later);
            waits.filter_map(|loss| loss.text.clone()).collect()
        };
        if later.is_empty() {
            return;
        }
        let refused = self.update(|session| {
            later
                .into_iter()
                .filter_map(|text| session.post(text).err())
                .count()
        });
        if refused.is_none_or(|refused| refused > 0) {
            self.trouble
                .push("texts for a later event of this session could not be kept".to_owned());
        }
    }
}
