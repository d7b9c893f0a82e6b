//! A question that the host can put at a later event of the same call.
//!
//! Cursor tells of one command twice, and asks the person only the second time. The first time the question may be left
//! open for that, if it is certain that it comes: our own entry for the later event stands in the person's own settings of
//! this host, and every hook that asks is a rule which asks about the command alone, so that it asks again whatever else
//! the later event tells or does not tell. A script may look at anything. Where anything of it is uncertain, the question is
//! what it would be without this: a refusal that a person can lift.

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, Map};
use anyhook_core::hook::{AskFrequency, Hook, Hooks};
use anyhook_core::matcher::Hit;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_wires::settings::edit::{SettingsForm, find};
use anyhook_wires::settings::{Scope, Settings};
use anyhook_wires::{Host, HostRow};
use serde_json::json;

use super::{Caller, Context};
use crate::rules::Facts;
use crate::runners;

impl Context<'_> {
    /// Returns the later event at which every question of a result is put again, where that is certain.
    pub(super) fn asked_later(
        &self,
        event: &Event,
        hooks: &Hooks,
        can: &Capabilities,
        result: &HookResult,
    ) -> Option<&'static HostRow> {
        let Verdict::Ask { questions } = &result.verdict else {
            return None;
        };
        if self.caller == Caller::Person || can.says(Kind::Ask) {
            return None;
        }
        let later = self.host.asks_later(event)?;
        let told = told_later(self.host, event, later)?;
        let again = |hook: &Hook| {
            let is_each_time = hook.times == AskFrequency::Always && hook.speaks.is_none();
            is_each_time
                && hook.is_rule()
                && hook.selects(&told) != Hit::No
                && self.condition_holds(hook, &told)
        };
        let by = |id| hooks.get(id).is_some_and(again);
        let all = questions.iter().all(|question| question.by.is_some_and(by));
        (all && self.host.can(&told).says(Kind::Ask) && self.has_entry(later)).then_some(later)
    }

    fn condition_holds(&self, hook: &Hook, event: &Event) -> bool {
        let project = self.project(event);
        let facts = Facts::new(event, &project, self.world.home());
        let decided = runners::decided(hook, &facts);
        decided.is_ok_and(|decided| decided.is_none_or(|decided| decided.holds))
    }

    /// Tells whether an entry of ours for an event stands in the person's own settings of this host. What a project says
    /// is a stranger's.
    fn has_entry(&self, event: &HostRow) -> bool {
        let entry = || {
            let settings: &'static Settings = self.host.facts().settings?;
            let home = self.world.home()?;
            let mut files = settings.files_of(Scope::User, std::env::consts::OS);
            files.find(|file| {
                let Some(path) = file.path.strip_prefix("~/") else {
                    return false;
                };
                let text = std::fs::read_to_string(home.join(path)).unwrap_or_default();
                let found = find(&text, SettingsForm { settings, file }).unwrap_or_default();
                found
                    .iter()
                    .any(|entry| entry.event == event.name && entry.is_ours())
            })
        };
        entry().is_some()
    }
}

/// Makes the later event with nothing in it but what is certain to be told: the session, the folder, and the command.
fn told_later(host: &Host, event: &Event, later: &HostRow) -> Option<Event> {
    let data = event.data.json();
    let mut certain = Map::new();
    for field in ["session_id", "cwd", "tool_name"] {
        certain.insert(field.to_owned(), data.get(field)?.clone());
    }
    let command = data.get("tool_input")?.get("command")?.clone();
    certain.insert("tool_input".to_owned(), json!({"command": command}));
    let bare = Event {
        data: certain.into(),
        ..event.clone()
    };
    let payload = host.write_as(&bare, later.name).to_string();
    let told = host.read_event(payload.as_bytes(), Some(later.name)).ok()?;
    (told.name == event.name).then_some(told)
}
