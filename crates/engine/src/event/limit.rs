//! Holding what reaches the model to the limits of the session: the same function as a `Session` uses.
//!
//! What was fitted is what the host is told, so this stands behind fitting: a text that became a notice or waits in the
//! outbox costs nothing, and one that comes out of the outbox is counted where it is delivered.

use anyhook_core::can::Visibility;
use anyhook_core::effects::{Level, Lifetime, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Loss, LossKind, Substitute, UndeliveredText};
use anyhook_core::result::HookResult;

use super::answer::AnswerDraft;
use super::turn::{EventRun, hook_mark};
use super::{Caller, Context};
use crate::files;
use crate::limits::{InjectionLimits, LimitedText, TextLimits, hook_error};
use crate::text::plain;
use crate::world::UserFolders;

/// Whose a text from the outbox is: the report of the event that it is from says more.
const EARLIER: &str = "a hook of an earlier event";

/// Holds every text that would reach the model to the limits.
pub(super) fn hold(answer: &mut AnswerDraft, turn: &mut EventRun<'_>, event: &Event) {
    // Settings are read where there is something to hold to them: most events say nothing to the model.
    if answer.said.effects.inject().is_empty() {
        return;
    }
    let context = turn.context;
    let settings = context.limits(&mut answer.finished.remarks);
    let places = context.world.places.as_ref();
    let places = places.filter(|_| context.caller != Caller::Again);
    let folder = places.map(UserFolders::values);
    let session = turn.session().map(|(key, state)| (key.clone(), state));
    let limits = TextLimits {
        settings: &settings,
        kept: session.as_ref().map(|(key, state)| (key, *state)),
        files: folder.as_deref(),
    };
    let mut over = None;
    for injection in std::mem::take(&mut answer.said.effects.edit().inject) {
        let hook = injection.by.and_then(|by| turn.hooks.get(by));
        let name = hook.map_or(EARLIER, |hook| &hook.info.name);
        let mut held = limits.hold(name, &event.name, injection);
        if held.over && held.refused.is_none() {
            over.get_or_insert(name);
        }
        answer.audit.append(&mut held.audit);
        answer.finished.remarks.append(&mut held.remarks);
        if let Some(why) = answer.take(held, name, event) {
            let text = format!("the hook `{name}` failed: {why}");
            let mark = hook.map_or_else(|| name.to_owned(), hook_mark);
            if turn.is_news(|_| format!("fault:{mark}")) {
                tell(turn, &mut answer.said, &text);
            }
        }
    }
    if let Some(name) = over
        && turn.is_news(|session| format!("over-budget:{}", session.turn))
    {
        let text = format!(
            "hooks said more to the model in this turn than `session.injection_budget_per_turn` allows, `{name}` among them"
        );
        tell(turn, &mut answer.said, &text);
    }
}

impl Context<'_> {
    /// Returns what the person configured. What cannot be read is told, and the defaults hold: no mistake takes the limits
    /// away.
    fn limits(&self, remarks: &mut Vec<Box<str>>) -> InjectionLimits {
        let session = self.world.config().session.clone();
        session.unwrap_or_else(|error| {
            let why = files::with_causes(&error);
            let text = format!("the limits of a session have their defaults: {why}");
            remarks.push(text.into());
            InjectionLimits::default()
        })
    }
}

impl AnswerDraft {
    /// Takes what may be said of a text; returns why nothing of it may be.
    fn take(&mut self, held: LimitedText<'_>, name: &str, event: &Event) -> Option<String> {
        let by = held.injection.by;
        if let Some(why) = held.refused {
            let fault = Fault::new(FaultKind::OverLimit, &*why);
            self.audit
                .push(hook_error(name, event.name.as_str(), &fault));
            let text = UndeliveredText::Injection(held.injection);
            self.losses.push(Loss {
                became: Substitute::Nothing,
                ..Loss::later(text)
            });
            return Some(why);
        }
        if held.injection.text.is_empty() {
            return None;
        }
        if held.is_cut() {
            let what = LossKind::Length(held.whole);
            self.losses.push(Loss::new(what, Substitute::Injection, by));
        }
        // The host keeps the conversation.
        let stored = held.injection.lifetime == Lifetime::Stored;
        self.audit.push(held.delivered(stored));
        self.said.effects.edit().inject.push(held.injection);
        None
    }
}

/// Tells the person, now or at an event that can tell it.
fn tell(turn: &mut EventRun<'_>, said: &mut HookResult, text: &str) {
    let notice = Notice::new(plain(&format!("anyhook: {text}"))).at(Level::Warning);
    match turn.can.notify {
        Visibility::Yes => said.effects.edit().notify.push(notice),
        Visibility::No => turn.post(&[Loss::later(UndeliveredText::Notice(notice))]),
    }
}
