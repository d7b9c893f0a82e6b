//! Remembering: what a session knows from one process to the next (D25).

use std::hash::Hash as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhook_core::can::{Can, Shown};
use anyhook_core::dispatch::Finished;
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::fit::{Became as LossBecame, Loss, Undelivered};
use anyhook_core::handler::Handler;
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::manifest::Action;
use anyhook_core::matcher::Hit;
use anyhook_core::report::{Became, Report, Step, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};
use anyhook_core::taxonomy::Class;

use super::Line;
use crate::approvals::BookError;
use crate::files;
use crate::limits::begin_turn;
use crate::load::{Loading, Remark, plain};
use crate::state::{Asker, Flight, FlightGuard, Loaded, Mark, SessionKey, SessionState, State};

/// Refusals of a stop in a row before the agent may stop all the same (D8).
const REFUSALS: u64 = 8;

/// The fields that say what an event is about, whichever host tells of it.
const ABOUT: &[&str] = &["tool_name", "tool_input", "prompt"];

/// The same event within this time is one event (D25).
const SAME: Duration = Duration::from_secs(2);

/// What a session remembers, as one event sees it.
pub(super) struct Memory<'l> {
    line: &'l Line<'l>,
    kept: Option<(SessionKey, &'l dyn State)>,
    /// Whether a manifest holds here.
    attended: bool,
    /// The event's name among those of the session, and the right to answer it.
    flight: Option<(String, Asker, FlightGuard)>,
    /// What the session was like when it was last looked at.
    seen: Option<Seen>,
    /// Whether nothing was remembered of the session before.
    fresh: bool,
    trouble: Vec<String>,
}

/// What a session had when this event last looked at it. Each look is a file that is locked, read and understood, so nobody
/// looks again for what was not there: what another process leaves meanwhile is for the next event.
#[derive(Clone, Copy)]
struct Seen {
    /// Whether texts wait for an event that can say them.
    waiting: bool,
    /// Whether some hook's failure stands.
    failing: bool,
}

impl Seen {
    fn of(session: &SessionState) -> Self {
        Self {
            waiting: !session.outbox.is_empty() || session.outbox_refused > 0,
            failing: !session.faults.is_empty(),
        }
    }
}

impl Line<'_> {
    /// Returns the session of an event, where it has one.
    pub(super) fn session(&self, event: &Event) -> Option<SessionKey> {
        let session = event.session().filter(|session| !session.is_empty())?;
        // Hosts that read each other's hook files tell of one session in several forms.
        let host = self.host.also_reads().first();
        let host = host.copied().unwrap_or(self.host.id());
        Some(SessionKey::new(host, session))
    }

    /// Opens the memory of an event's session. Where no manifest holds there is nothing to remember (D16).
    pub(super) fn recall<'l>(&'l self, event: &Event, manifests: &[PathBuf]) -> Memory<'l> {
        let attended = !manifests.is_empty();
        let kept = match (self.session(event), self.state) {
            (Some(session), Some(state)) if attended => Some((session, state)),
            _ => None,
        };
        Memory {
            line: self,
            attended,
            kept,
            flight: None,
            seen: None,
            fresh: false,
            trouble: Vec::new(),
        }
    }
}

/// Names an event by what it is about and by who is asked about it: what other hooks answered, of another manifest or
/// before this one was changed, is no answer of these. What it is about is what every host tells of it.
fn event_key(event: &Event, hooks: &Hooks, loading: Loading) -> String {
    let data = event.data.json();
    let about: Vec<_> = ABOUT.iter().map(|field| data.get(*field)).collect();
    let about = serde_json::to_vec(&about).unwrap_or_default();
    let mut naming = files::Naming::default();
    (event.name.as_str(), about, loading).hash(&mut naming);
    let asked = hooks.list().iter();
    for hook in asked.filter(|hook| hook.selects(event) != Hit::No) {
        hook.hash(&mut naming);
    }
    naming.name()
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

impl Memory<'_> {
    /// Tells whether anything can be remembered.
    pub(super) fn is_there(&self) -> bool {
        self.kept.is_some()
    }

    fn update<T>(&mut self, change: impl FnOnce(&mut SessionState) -> T) -> Option<T> {
        let (key, state) = self.kept.as_ref()?;
        let mut change = Some(change);
        let mut came = None;
        let seen = &mut self.seen;
        let done = state.update(key, &mut |session| {
            if let Some(change) = change.take() {
                came = Some(change(session));
                *seen = Some(Seen::of(session));
            }
        });
        match done {
            Ok(Loaded::WasUnreadable(why)) => {
                self.trouble.push(format!(
                    "what this session remembered could not be read and is forgotten: {why}"
                ));
            }
            Ok(Loaded::Fresh) => self.fresh = true,
            Ok(Loaded::Found) => {}
            Err(error) => {
                self.trouble.push(format!(
                    "what this session remembers could not be kept: {}",
                    files::with_causes(&error)
                ));
                self.kept = None;
            }
        }
        came
    }

    /// Returns the session and where it is remembered.
    pub(super) fn session(&self) -> Option<(&SessionKey, &dyn State)> {
        self.kept.as_ref().map(|(key, state)| (key, *state))
    }

    /// Tells the person what went wrong with our own files.
    pub(super) fn tell(&mut self, trouble: Vec<String>) {
        self.trouble.extend(trouble);
    }

    /// Tells the person of an error, and goes on without.
    pub(super) fn told<T>(&mut self, what: &str, done: Result<T, BookError>) -> Option<T> {
        let error = done.as_ref().err().map(|error| files::with_causes(error));
        self.tell(
            error
                .map(|why| format!("{what}: {why}"))
                .into_iter()
                .collect(),
        );
        done.ok()
    }

    fn now(&self) -> i64 {
        self.line.world.clock.now()
    }

    /// Returns the answer that another process gave to the very same event a moment ago, waiting for it if it is still at
    /// work, but never longer than `patience`. Only an event with hooks that start something is worth it: a rule is
    /// answered sooner than anybody could say what it answered before.
    pub(super) fn same_event(
        &mut self,
        event: &Event,
        hooks: &Hooks,
        patience: Duration,
    ) -> Option<Finished> {
        let declared =
            |hook: &&std::sync::Arc<Hook>| hook.is_declared() && hook.selects(event) != Hit::No;
        let starts = |hook: &&std::sync::Arc<Hook>| match &hook.handler {
            Handler::Declared(action) => !matches!(**action, Action::Rule(_)),
            Handler::InProcess(_) => false,
        };
        let mut asked = hooks.list().iter().filter(declared);
        asked.find(starts)?;
        let (session, state) = self.kept.as_ref()?;
        let key = event_key(event, hooks, self.line.loading);
        let who = asker(event, self.line.host.id());
        match state.flight(session, &key, patience) {
            Ok(guard) => self.flight = Some((key.clone(), who.clone(), guard)),
            Err(error) => self.trouble.push(format!(
                "another process may be asking the same hooks: {}",
                files::with_causes(&error)
            )),
        }
        let now = self.now();
        let result = self
            .update(|session| session.answer_for(&key, (&who, event.name.class()), now, SAME))??;
        let asked = hooks
            .list()
            .iter()
            .zip(0..)
            .filter(|(hook, _)| declared(hook));
        let steps = asked.map(|(_, at)| Step {
            hook: HookId(at),
            became: Became::NotAsked(WhyNot::SingleFlight),
            again: anyhook_core::report::Asked::First,
            took: None,
        });
        Some(Finished {
            result,
            steps: steps.collect(),
            remarks: Vec::new(),
        })
    }

    /// Keeps what was decided, in one step: how often in a row the agent was sent on, and the answer for the other process
    /// that is asked the same, which takes it as it is.
    pub(super) fn conclude(&mut self, event: &Event, finished: &mut Finished) {
        let flight = self.flight.take();
        let is_end = event.name.class() == Class::Continuation;
        if flight.is_none() && !is_end {
            return;
        }
        let now = self.now();
        self.update(|session| {
            if is_end {
                cap_refusals(session, event, finished);
            }
            if let Some((key, asker, _)) = &flight {
                session.remember(Flight {
                    key: key.clone(),
                    at: now,
                    asker: asker.clone(),
                    taken: Vec::new(),
                    result: finished.result.clone(),
                });
            }
        });
        // The first event of a session is the moment to forget the old ones.
        if let (true, Some((_, state))) = (self.fresh && flight.is_some(), &self.kept) {
            state.sweep(now);
        }
    }

    /// Takes a hook's one time in this session. Without a memory every time is the first.
    pub(super) fn once(&mut self, hook: &Hook) -> bool {
        self.first_of_session(&hook_mark(hook))
    }

    /// Tells whether this is the first time in the session that something is done. Without a memory every time is.
    pub(super) fn first_of_session(&mut self, what: &str) -> bool {
        let now = self.now();
        self.update(|session| session.first(Mark::Once(what), now))
            .unwrap_or(true)
    }

    /// Tells the person, once per session, of every failing hook and of every file that could not be used (D13, D23).
    pub(super) fn say_once(&mut self, remarks: &[Remark], hooks: &Hooks, finished: &mut Finished) {
        let (failed, worked) = outcomes(hooks, finished);
        let now = self.now();
        let told = remarks
            .iter()
            .map(|remark| (remark.mark.clone(), format!("anyhook: {}", remark.text)));
        let faults = failed
            .iter()
            .map(|(mark, text)| (format!("fault:{mark}"), format!("anyhook: {text}")));
        let notices: Vec<(String, String)> = told.chain(faults).collect();
        let mends = !worked.is_empty() && self.seen.is_none_or(|seen| seen.failing);
        if notices.is_empty() && !mends {
            return;
        }
        let first = self.update(|session| {
            for mark in &worked {
                session.succeeded(mark);
            }
            for (mark, text) in &failed {
                session.failed(mark, text, now);
            }
            let first = |(mark, _): &(String, String)| session.first(Mark::Said(mark), now);
            notices.iter().map(first).collect::<Vec<bool>>()
        });
        // Without a memory everything is said each time: twice is better than never.
        let first = first.unwrap_or_else(|| vec![true; notices.len()]);
        for ((_, text), _) in notices.into_iter().zip(first).filter(|(_, first)| *first) {
            let notice = Notice::new(plain(&text)).at(Level::Warning);
            finished.result.effects.edit().notify.push(notice);
        }
    }

    /// Begins a turn, where a prompt does (D18).
    pub(super) fn begin_turn(&mut self, event: &Event) {
        if event.name.as_str() == events::PROMPT_SUBMIT {
            self.update(begin_turn);
        }
    }

    /// Records that a text of a hook was refused; tells whether the person hears it for the first time.
    pub(super) fn refused(&mut self, hook: Option<&Hook>, name: &str, text: &str) -> bool {
        let now = self.now();
        let mark = hook.map_or_else(|| name.to_owned(), hook_mark);
        let said = format!("fault:{mark}");
        let first = self.update(|session| {
            session.failed(&mark, text, now);
            session.first(Mark::Said(&said), now)
        });
        // Without a memory everything is said each time: twice is better than never.
        first.unwrap_or(true)
    }

    /// Tells whether this turn is over its budget for the first time.
    pub(super) fn over_budget(&mut self) -> bool {
        let now = self.now();
        let first = self.update(|session| {
            let mark = format!("over-budget:{}", session.turn);
            session.first(Mark::Said(&mark), now)
        });
        first.unwrap_or(true)
    }

    /// Lets a text wait for the session's next event that can say it.
    pub(super) fn wait(&mut self, text: Undelivered) {
        let refused = self.update(|session| session.post(text).is_err());
        if refused.unwrap_or(true) {
            self.trouble
                .push("a text for a later event of this session could not be kept".to_owned());
        }
    }

    /// Adds what waited for an event that can say it.
    pub(super) fn deliver(&mut self, mut result: HookResult, can: &Can) -> HookResult {
        let (inject, notify) = (can.inject.is_some(), can.notify == Shown::Yes);
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
        // may be somebody else's.
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
            let waits = losses
                .iter()
                .filter(|loss| loss.became == LossBecame::Later);
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

    /// Puts the report into the store, and tells what went wrong with our own files. That never changes a verdict (D24).
    pub(super) fn keep(&mut self, report: &mut Report, can: &Can) {
        report
            .remarks
            .extend(self.trouble.iter().map(|trouble| trouble.as_str().into()));
        // An event that no manifest holds for, and about which nothing was said, leaves no trace.
        let silent = !self.attended && report.result.is_identity();
        if let Some(store) = self.line.store.filter(|_| !silent)
            && let Err(error) = store.append(report)
        {
            self.trouble.push(format!(
                "the report could not be stored: {}",
                files::with_causes(&error)
            ));
        }
        if can.notify == Shown::No {
            return;
        }
        for trouble in std::mem::take(&mut self.trouble) {
            let notice = Notice::new(format!("anyhook: {trouble}")).at(Level::Warning);
            if let Some(said) = &mut report.said {
                said.effects.edit().notify.push(notice);
            }
        }
    }
}

/// Lets an agent stop that was sent on too often in a row (D8).
fn cap_refusals(session: &mut SessionState, event: &Event, finished: &mut Finished) {
    let counter = format!("refused:{}", event.name);
    if finished.result.verdict.kind() != Kind::Deny {
        session.reset(&counter);
        return;
    }
    if session.count(&counter) <= REFUSALS {
        return;
    }
    session.reset(&counter);
    let verdict = std::mem::take(&mut finished.result.verdict);
    let text = format!(
        "the agent was sent on {REFUSALS} times in a row and may stop now: {}",
        verdict.text()
    );
    finished.remarks.push(text.as_str().into());
    let notify = &mut finished.result.effects.edit().notify;
    notify.push(Notice::new(text).at(Level::Warning));
}

/// Returns the hooks that failed, each with what to tell of it, and those that answered.
fn outcomes(hooks: &Hooks, finished: &Finished) -> (Vec<(String, String)>, Vec<String>) {
    let (mut failed, mut worked) = (Vec::new(), Vec::new());
    for step in &finished.steps {
        let Some(hook) = hooks.get(step.hook).filter(|hook| hook.is_declared()) else {
            continue;
        };
        match &step.became {
            Became::Failed { fault, .. } => {
                let text = format!("the hook `{}` failed: {}", hook.info.name, fault.text);
                failed.push((hook_mark(hook), text));
            }
            Became::Said(_) | Became::Would(_) => worked.push(hook_mark(hook)),
            Became::NotAsked(_) => {}
        }
    }
    (failed, worked)
}

/// Names a hook from one process to the next: by its place and its definition.
pub(crate) fn hook_mark(hook: &Hook) -> String {
    let source = hook.info.source.as_ref();
    let file = source.map(|source| &*source.file).unwrap_or_default();
    format!("{file}#{}#{}", hook.event, hook.info.name)
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

    fn key(manifest: &str, event: &Event, loading: Loading) -> String {
        let parsed = Manifest::parse(manifest).unwrap();
        let hooks = crate::load::hooks(&parsed.manifest, Path::new("hooks.json"));
        event_key(event, &hooks.into_iter().collect(), loading)
    }

    fn call(command: &str) -> Event {
        let input = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        Event::new("tool:pre", input)
    }

    #[test]
    fn an_event_is_another_one_where_it_or_its_hooks_say_anything_else() {
        let (event, usual) = (call("ls"), Loading::default());
        let other = |from: &str, to: &str| {
            let changed = MANIFEST.replacen(from, to, 1);
            assert_ne!(changed, MANIFEST, "{from}");
            key(&changed, &event, usual)
        };
        let strict = Loading {
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
        let keys = [MANIFEST, &more].map(|text| key(text, &call("ls"), Loading::default()));
        assert_eq!(keys[0], keys[1]);
    }
}
