//! Holding what reaches the model to the limits of the session: the same function as a `Session` uses.
//!
//! What was fitted is what the host is told, so this stands behind fitting: a text that became a notice or waits in the
//! outbox costs nothing, and one that comes out of the outbox is counted where it is delivered.

use anyhook_core::can::Shown;
use anyhook_core::effects::{Injection, Level, Lifetime, Notice};
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::fault::FaultKind;
use anyhook_core::fit::{Became, Loss, Lost, Undelivered};
use anyhook_core::hook::Hooks;
use anyhook_core::manifest::Lowered;
use anyhook_core::report::Audited;
use anyhook_core::result::{HookId, HookResult};
use serde_json::json;

use super::answer::Answer;
use super::turn::Turn;
use super::{Caller, Context};
use crate::files;
use crate::limits::{Limits, Settings};
use crate::text::plain;
use crate::world::Places;

/// Whose a text from the outbox is: the report of the event that it is from says more.
const EARLIER: &str = "a hook of an earlier event";

/// What the limits made of the texts of one event.
#[derive(Default)]
struct Within {
    losses: Vec<Loss>,
    audit: Vec<Audited>,
    remarks: Vec<Box<str>>,
    /// The texts that were refused: the hook's place, its name, and why.
    refused: Vec<(Option<HookId>, String, String)>,
    over: Option<String>,
}

/// Holds every text that would reach the model to the limits.
pub(super) fn hold(answer: &mut Answer, turn: &mut Turn<'_>, event: &Event) {
    // Settings are read where there is something to hold to them: most events say nothing to the model.
    if answer.said.effects.inject().is_empty() {
        return;
    }
    let (context, mut within) = (turn.context, Within::default());
    let settings = context.limits(&turn.held.loaded.session, &mut within);
    let places = context.world.places.as_ref();
    let places = places.filter(|_| context.caller != Caller::Again);
    let folder = places.map(Places::values);
    let limits = Limits {
        settings: &settings,
        kept: turn.session(),
        files: folder.as_deref(),
    };
    let texts = std::mem::take(&mut answer.said.effects.edit().inject);
    let one = |text| within.one(&limits, event, turn.hooks, text);
    answer.said.effects.edit().inject = texts.into_iter().filter_map(one).collect();
    within.tell(turn, &mut answer.said);
    answer.losses.append(&mut within.losses);
    answer.audit.append(&mut within.audit);
    answer.finished.remarks.append(&mut within.remarks);
}

impl Context<'_> {
    /// Returns what the person configured, lowered by what files ask for. What cannot be read is told, and the defaults
    /// hold: no mistake takes the limits away.
    fn limits(&self, lowered: &Lowered, within: &mut Within) -> Settings {
        let session = self.world.config().session.clone();
        let session = session.unwrap_or_else(|error| {
            let why = files::with_causes(&error);
            let text = format!("the limits of a session have their defaults: {why}");
            within.remarks.push(text.into());
            Settings::default()
        });
        session.lowered(lowered)
    }
}

impl Within {
    /// Tells the person what was refused, once per session and hook, and what is over the budget, once per turn.
    fn tell(&self, turn: &mut Turn<'_>, said: &mut HookResult) {
        let mut tell = Vec::new();
        for (by, name, why) in &self.refused {
            let hook = by.and_then(|by| turn.hooks.get(by));
            let text = format!("the hook `{name}` failed: {why}");
            if turn.refused(hook, name, &text) {
                tell.push(text);
            }
        }
        if let Some(text) = &self.over
            && turn.over_budget()
        {
            tell.push(text.clone());
        }
        for text in tell {
            let notice = Notice::new(plain(&format!("anyhook: {text}"))).at(Level::Warning);
            match turn.can.notify {
                Shown::Yes => said.effects.edit().notify.push(notice),
                Shown::No => turn.post(&[Loss {
                    what: Lost::Notice,
                    became: Became::Later,
                    by: None,
                    text: Some(Undelivered::Notice(notice)),
                }]),
            }
        }
    }

    fn one(
        &mut self,
        limits: &Limits<'_>,
        event: &Event,
        hooks: &Hooks,
        injection: Injection,
    ) -> Option<Injection> {
        let by = injection.by;
        let hook = by.and_then(|by| hooks.get(by));
        let name = hook.map_or(EARLIER, |hook| &hook.info.name);
        let mut held = limits.hold(name, &event.name, injection);
        self.audit.append(&mut held.audit);
        self.remarks.append(&mut held.remarks);
        let lost = |what, became, text| Loss {
            what,
            became,
            by,
            text,
        };
        if let Some(why) = held.refused {
            self.audit.push(failed(name, event, &why));
            let text = Some(Undelivered::Injection(held.injection));
            self.losses
                .push(lost(Lost::Injection, Became::Nothing, text));
            self.refused.push((by, name.to_owned(), why));
            return None;
        }
        if held.over {
            let text = format!(
                "hooks said more to the model in this turn than `session.injection_budget_per_turn` allows, `{name}` among \
                 them"
            );
            self.over.get_or_insert(text);
        }
        if held.injection.text.is_empty() {
            return None;
        }
        if held.is_cut() {
            let what = Lost::Length(held.whole);
            self.losses.push(lost(what, Became::Injection, None));
        }
        // The host keeps the conversation.
        let stored = held.injection.lifetime == Lifetime::Stored;
        self.audit.push(held.delivered(stored));
        Some(held.injection)
    }
}

fn failed(name: &str, event: &Event, why: &str) -> Audited {
    let data = json!({
        "hook_name": name, "hook_event": event.name.as_str(),
        "kind": FaultKind::OverLimit.as_str(), "error": why,
    });
    Audited::new(events::HOOK_ERROR, data)
}
