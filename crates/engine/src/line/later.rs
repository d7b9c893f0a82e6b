//! A question that the host can put at a later event of the same call (D19).
//!
//! Cursor tells of one command twice, and asks the person only the second time. The first time the question may be left
//! open for that, if it is certain that it comes: our own entry for the later event stands in the person's own settings of
//! this host, and every hook that asks would be asked about that event too. Where anything of it is uncertain, the question
//! is what it would be without this: a refusal that a person can lift.

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::hook::{Hook, Hooks, Times};
use anyhook_core::matcher::Hit;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_wires::NativeEvent;
use anyhook_wires::settings::edit::{Form, find};
use anyhook_wires::settings::{Scope, Settings};

use super::{Caller, Line};
use crate::rules::{Facts, When};

impl Line<'_> {
    /// Returns the later event at which every question of a result is put again, where that is certain.
    pub(super) fn asked_later(
        &self,
        event: &Event,
        hooks: &Hooks,
        can: &Can,
        result: &HookResult,
    ) -> Option<&'static NativeEvent> {
        let Verdict::Ask { questions } = &result.verdict else {
            return None;
        };
        if self.caller == Caller::Person || can.says(Kind::Ask) {
            return None;
        }
        let later = self.host.asks_later(event)?;
        let payload = self.host.write_as(event, later.name).to_string();
        let told = self.host.read_event(payload.as_bytes(), Some(later.name));
        let told = told.ok().filter(|told| told.name == event.name)?;
        let again = |hook: &Hook| {
            let is_each_time = hook.times == Times::Always && hook.speaks.is_none();
            is_each_time && hook.selects(&told) != Hit::No && self.condition_holds(hook, &told)
        };
        let by = |id| hooks.get(id).is_some_and(again);
        let all = questions.iter().all(|question| question.by.is_some_and(by));
        (all && self.host.can(&told).says(Kind::Ask) && self.has_entry(later)).then_some(later)
    }

    fn condition_holds(&self, hook: &Hook, event: &Event) -> bool {
        let Some(text) = &hook.condition else {
            return true;
        };
        let project = self.project(event);
        let home = self.world.places.as_ref().map(|places| &*places.home);
        let facts = Facts::new(event, &project, home);
        When::read(text).is_ok_and(|when| when.decide(&facts).is_ok_and(|decided| decided.holds))
    }

    /// Tells whether an entry of ours for an event stands in the person's own settings of this host. What a project says
    /// is a stranger's.
    fn has_entry(&self, event: &NativeEvent) -> bool {
        let entry = || {
            let settings: &'static Settings = self.host.settings()?;
            let home = &self.world.places.as_ref()?.home;
            let mut files = settings.files_of(Scope::User, std::env::consts::OS);
            files.find(|file| {
                let Some(path) = file.path.strip_prefix("~/") else {
                    return false;
                };
                let text = std::fs::read_to_string(home.join(path)).unwrap_or_default();
                let found = find(&text, Form { settings, file }).unwrap_or_default();
                found
                    .iter()
                    .any(|entry| entry.event == event.name && entry.is_ours())
            })
        };
        entry().is_some()
    }
}
