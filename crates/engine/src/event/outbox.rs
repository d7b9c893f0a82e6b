//! The outbox: texts that one event could not deliver and a later event of the session may.

use anyhook_core::can::Visibility;
use anyhook_core::fit::{Loss, Substitute, UndeliveredText};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;

use super::turn::EventRun;

impl EventRun<'_> {
    /// Takes what waited for an event that can say it. No text that waited sends on an agent that may stop.
    pub(super) fn waiting(&mut self, class: Class, verdict: Kind) -> Vec<UndeliveredText> {
        let goes_on = class != Class::Continuation || verdict == Kind::Deny;
        let inject = self.can.inject.is_some() && goes_on;
        let notify = self.can.notify == Visibility::Yes;
        let waits = self.seen.is_none_or(|seen| seen.waiting);
        if !waits || !inject && !notify {
            return Vec::new();
        }
        let all = self.update(|session| {
            session.collect_outbox(|text| match text {
                UndeliveredText::Injection(_) => inject,
                UndeliveredText::Notice(_) => notify,
            })
        });
        all.unwrap_or_default()
    }

    /// Puts what could not be said into the outbox, for the session's next event that can.
    pub(super) fn post(&mut self, losses: &[Loss]) {
        let later: Vec<UndeliveredText> = {
            let waits = losses
                .iter()
                .filter(|loss| loss.became == Substitute::Later);
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
