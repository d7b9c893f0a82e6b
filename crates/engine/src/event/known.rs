//! What is known of an event before a hook is asked about it: its session was halted, another process answered the very
//! same event a moment ago, or it is a prompt that the agent tells again.

use std::hash::Hash as _;

use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::event::Event;
use anyhook_core::hook::Hooks;
use anyhook_core::matcher::Hit;
use anyhook_core::report::{SkipReason, Step, StepOutcome};
use anyhook_core::result::{HookId, HookResult};

use super::kept;
use super::turn::EventRun;
use crate::files;
use crate::load::LoadOptions;
use crate::state::{Asker, HaltDuration, PendingHalt, SessionState};

/// The fields that say what an event is about, whichever host tells of it.
const ABOUT: &[&str] = &["tool_name", "tool_input", "prompt"];

/// Names an event by what it is about and by who is asked about it: what other hooks answered, of another manifest or
/// before this one was changed, is no answer of these. What it is about is what every host tells of it.
fn event_key(event: &Event, hooks: &Hooks, loading: LoadOptions) -> Option<String> {
    let data = event.data.json();
    let about: Vec<_> = ABOUT.iter().map(|field| data.get(*field)).collect();
    let about = serde_json::to_vec(&about).unwrap_or_default();
    let mut naming = files::NameHasher::default();
    (event.name.as_str(), about, loading).hash(&mut naming);
    let asked = hooks.list().iter();
    for hook in asked.filter(|hook| hook.selects(event) != Hit::No) {
        (&hook.info, &hook.copied).hash(&mut naming);
        serde_json::to_vec(hook).ok()?.hash(&mut naming);
    }
    Some(naming.name())
}

/// Says who asks, and in which words.
fn asker(event: &Event, host: &str) -> Asker {
    let data = serde_json::to_vec(&*event.data.json()).unwrap_or_default();
    Asker {
        host: host.to_owned(),
        payload: files::name_of(&[&data]),
        call: event.text("tool_use_id").map(String::from),
    }
}

impl EventRun<'_> {
    /// Returns what is known of an event before a hook is asked about it, waiting for another process that is at work on the
    /// very same event, but no longer than half of the time: its holder may be a process that only holds its lock.
    pub(super) fn known(&mut self, event: &Event) -> Option<DispatchOutcome> {
        let now = self.now();
        let flight = self.take_off(event);
        let prompt = self.prompt.clone();
        let heeds = kept::heeds(event, &self.can);
        if flight.is_none() && prompt.is_none() && !heeds && !kept::is_beginning(event) {
            return None;
        }
        let answer = |session: &mut SessionState| {
            let begins = prompt
                .as_ref()
                .is_some_and(|prompt| session.is_begun_by(prompt));
            let holds =
                |halted: &&PendingHalt| heeds && !(begins && halted.holds == HaltDuration::Turn);
            if let Some(halted) = session.halted.as_ref().filter(holds) {
                return Some(KnownAnswer::Halted(halted.clone()));
            }
            if prompt
                .as_ref()
                .is_some_and(|prompt| session.about.has_passed(prompt))
            {
                return Some(KnownAnswer::Passed);
            }
            let (key, who) = flight.as_ref()?;
            let asked = session.answer_for(key, who, event.name.class(), now);
            asked.map(KnownAnswer::Answered)
        };
        let known = if flight.is_none() && prompt.is_none() {
            self.look(answer)
        } else {
            self.update(answer)
        };
        let above = || {
            let mut halted = None;
            self.update_above(|session| halted.clone_from(&session.halted));
            halted.filter(|_| heeds).map(KnownAnswer::Halted)
        };
        let known = known.flatten().or_else(above)?;
        self.heeded = matches!(known, KnownAnswer::Halted(_));
        Some(known.finished(event, self.hooks))
    }

    /// Takes the right to answer an event, and returns its name and who asks. Only an event with hooks that start something
    /// is worth it: a rule is answered sooner than anybody could say what it answered before.
    fn take_off(&mut self, event: &Event) -> Option<(String, Asker)> {
        let mut asked = self.hooks.list().iter();
        asked
            .find(|hook| hook.is_declared() && !hook.is_rule() && hook.selects(event) != Hit::No)?;
        let (session, state) = self.session()?;
        let key = event_key(event, self.hooks, self.context.loading)?;
        let who = asker(event, self.context.host.id());
        match state.flight(session, &key, self.left() / 2) {
            Ok(guard) => self.flight = Some((key.clone(), who.clone(), guard)),
            Err(error) => self.trouble.push(format!(
                "another process may be asking the same hooks: {}",
                files::with_causes(&error)
            )),
        }
        Some((key, who))
    }
}

/// Why no hook is asked about an event.
enum KnownAnswer {
    /// The session was halted.
    Halted(PendingHalt),
    /// Another process answered the very same event a moment ago.
    Answered(HookResult),
    /// It is a prompt that is told again, and passed before.
    Passed,
}

impl KnownAnswer {
    fn finished(self, event: &Event, hooks: &Hooks) -> DispatchOutcome {
        let (result, why, remark) = match self {
            Self::Halted(halted) => {
                let remark = format!("halted at an earlier event: anyhook why {}", halted.report);
                (halted.refusal(hooks), SkipReason::Decided, Some(remark))
            }
            Self::Answered(result) => (result, SkipReason::SingleFlight, None),
            Self::Passed => {
                let remark =
                    "the agent tells of this prompt once more: its hooks were asked before";
                (
                    HookResult::default(),
                    SkipReason::SingleFlight,
                    Some(remark.to_owned()),
                )
            }
        };
        let asked = hooks.list().iter().zip(0..);
        let asked = asked.filter(|(hook, _)| hook.is_declared() && hook.selects(event) != Hit::No);
        let steps = asked.map(|(_, at)| Step {
            hook: HookId(at),
            became: StepOutcome::NotAsked(why),
            again: anyhook_core::report::AskRound::First,
            took: None,
        });
        DispatchOutcome {
            result,
            steps: steps.collect(),
            remarks: remark.map(String::into_boxed_str).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use anyhook_core::manifest::Manifest;
    use serde_json::json;

    use super::*;
    use crate::load::Strictness;

    const MANIFEST: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "priority": 1, "hooks": [
        {"type": "command", "command": "look", "timeout": 3}]}]}}"#;

    fn key(manifest: &str, event: &Event, loading: LoadOptions) -> String {
        let parsed = Manifest::parse(manifest).unwrap();
        let hooks = crate::load::hooks(&parsed.manifest, Path::new("hooks.json"));
        event_key(event, &hooks.into_iter().collect(), loading).unwrap()
    }

    fn call(command: &str) -> Event {
        let input = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        Event::new("tool:pre", input)
    }

    #[test]
    fn an_event_is_another_one_where_it_or_its_hooks_say_anything_else() {
        let (event, usual) = (call("ls"), LoadOptions::default());
        let other = |from: &str, to: &str| {
            let changed = MANIFEST.replacen(from, to, 1);
            assert_ne!(changed, MANIFEST, "{from}");
            key(&changed, &event, usual)
        };
        let strict = LoadOptions {
            strict: Strictness::Strict,
            ..usual
        };
        let keys = [
            key(MANIFEST, &event, usual),
            key(MANIFEST, &call("rm"), usual),
            key(MANIFEST, &event, strict),
            other("look", "look\", \"args\": [\"look\"], \"name\": \"look"),
            other("\"look\"", "\"look away\""),
            other("Bash", "Bas"),
            other("Bash", "Bash|Edit"),
            other("\"priority\": 1", "\"priority\": 2"),
            other("3}", "4}"),
            other("3}", "3, \"guard\": true}"),
            other("3}", "3, \"once\": true}"),
            other("3}", "3, \"async\": true}"),
            other("3}", "3, \"cwd\": \"a\"}"),
            other("3}", "3, \"shell\": \"bash\"}"),
            other("3}", "3, \"env\": {\"A\": \"1\"}}"),
            other("3}", "3, \"mode\": \"shadow\"}"),
            other("3}", "3, \"when\": \"true\"}"),
            other("3}", "3}, {\"type\": \"prompt\", \"prompt\": \"look\"}"),
        ];
        let different: BTreeSet<&String> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{keys:#?}");
        assert_eq!(key(MANIFEST, &call("ls"), usual), keys[0]);
    }

    #[test]
    fn a_hook_that_is_not_asked_about_an_event_is_no_part_of_it() {
        let other = r#"{"matcher": "Read", "hooks": [{"type": "command", "command": "read"}]}]}}"#;
        let more = MANIFEST.replace("]}}", &format!(", {other}"));
        let keys = [MANIFEST, &more].map(|text| key(text, &call("ls"), LoadOptions::default()));
        assert_eq!(keys[0], keys[1]);
    }
}
