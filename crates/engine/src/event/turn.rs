//! One event of a session: what it was about, who is asked, and what one process of a session leaves for the next.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhook_core::can::{Capabilities, Deferral, Visibility};
use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::{Data, Event};
use anyhook_core::fit::{Loss, UndeliveredText};
use anyhook_core::hook::{Hook, HookDialect, Hooks};
use anyhook_core::report::{AskRound, Heading, Report, Step, StepOutcome};
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::taxonomy::Class;
use tempfile::NamedTempFile;

use super::answer::{self, AnswerDraft};
use super::{Caller, Context, PlaceHooks, ask};
use crate::approvals::BookError;
use crate::files::{self, FileError};
use crate::limits::forgotten;
use crate::models::ConfiguredModel;
use crate::processes::Pool;
use crate::runners::{RunnerContext, RunnerRequest};
use crate::state::{
    Asker, FlightAnswer, FlightGuard, HostPrompt, OnceMark, PriorState, SessionKey, SessionState,
    State, StateError, Tally,
};
use crate::text::plain;
use crate::world::RunMode;

/// Refusals of a stop in a row before the agent may stop all the same.
const REFUSALS: u64 = 8;

/// One event, from its beginning until the session and the record keep what came of it.
pub(super) struct EventRun<'a> {
    pub(super) context: &'a Context<'a>,
    /// The hooks that are asked.
    pub(super) hooks: &'a Hooks,
    /// What else holds where the event happens.
    pub(super) held: &'a PlaceHooks,
    /// The id of its report.
    pub(super) id: Box<str>,
    /// What its host can hear. It is what the event said when it came: a hook that rewrites `permission_mode` moves nothing.
    pub(super) can: Capabilities,
    /// When hooks have to be over, by the clock of the world.
    pub(super) ends: Duration,
    /// Whether it happens, or is only told.
    pub(super) pass: RunMode,
    /// Whether the hooks go on in the background, behind an event that was answered.
    pub(super) is_behind: bool,
    /// What processes are told about their first asking here: one that was asked before is asked again.
    pub(super) asked: AskRound,
    /// Whether a snapshot is taken where a rule asks for one.
    pub(super) keeps: bool,
    /// The data as they came, for the record and for a hook of the same host, which reads the original bytes.
    pub(super) came: Option<Data>,
    /// What was said too late, or could not be kept.
    pub(super) late: Vec<Loss>,
    /// What the session has seen, where a condition asks about it.
    pub(super) tally: Option<Arc<Tally>>,
    /// Which model is asked, read once for all hooks that need to know.
    pub(super) configured: Arc<OnceLock<ConfiguredModel>>,
    /// The file of the payload for `anyhook get`.
    pub(super) payload: Option<NamedTempFile>,
    /// The session, and where it is remembered. Where no manifest holds there is nothing to remember.
    kept: Option<(SessionKey, &'a dyn State)>,
    /// The project in which the session begins, until that is kept.
    project: Option<String>,
    /// The event's name among those of the session, and the right to answer it.
    pub(super) flight: Option<(String, Asker, FlightGuard)>,
    /// What the session was like when it was last looked at.
    pub(super) seen: Option<SessionGlance>,
    /// The session of the agent that started this one, where that is another one.
    pub(super) parent: Option<SessionKey>,
    /// Whether the event is refused for a halt that was kept before.
    pub(super) heeded: bool,
    /// The prompt that the event is, as it came.
    pub(super) prompt: Option<HostPrompt>,
    /// Whether nothing was remembered of the session before.
    fresh: bool,
    /// What went wrong with our own files.
    pub(super) trouble: Vec<String>,
}

/// What a session had when this event last looked at it. Each look is a file that is locked, read and understood, so no
/// stage looks again for what was not there: what another process leaves meanwhile is for the next event.
#[derive(Clone, Copy)]
pub(super) struct SessionGlance {
    /// Whether texts wait for an event that can say them.
    pub(super) waiting: bool,
    /// Whether a halt is kept.
    pub(super) halted: bool,
    /// Whether files are compared with what they were before git brought others.
    pub(super) brought: bool,
}

impl SessionGlance {
    fn of(session: &SessionState) -> Self {
        Self {
            waiting: !session.outbox.is_empty() || session.outbox_refused > 0,
            halted: session.halted.is_some(),
            brought: session.brought.is_some(),
        }
    }
}

impl Context<'_> {
    /// Returns the session of an event, where it has one.
    pub(super) fn session(&self, event: &Event) -> Option<SessionKey> {
        let session = event.session().filter(|session| !session.is_empty())?;
        // Hosts that read each other's hook files tell of one session in several forms.
        let host = self.host.facts().also_reads.first();
        let host = host.copied().unwrap_or(self.host.id());
        Some(SessionKey::new(host, session))
    }
}

impl<'a> EventRun<'a> {
    /// Begins. Of the data only what is needed is kept: a holder of the data makes a rewrite copy them.
    pub(super) fn begin(
        context: &'a Context<'a>,
        held: &'a PlaceHooks,
        hooks: &'a Hooks,
        event: &Event,
    ) -> Self {
        let kept = match (context.session(event), context.state) {
            (Some(session), Some(state)) if !held.files().is_empty() => Some((session, state)),
            _ => None,
        };
        let is_known = event.origin.as_ref().is_some_and(|it| it.project.is_some());
        let begins = kept.is_some() && !is_known && context.told_project().is_none();
        let project = || context.project(event).to_str().map(str::to_owned);
        let origin = event.origin.as_deref();
        let is_same =
            |speaks: &HookDialect| origin.is_some_and(|origin| origin.host == speaks.host);
        let mut speaks = (hooks.list().iter()).filter_map(|hook| hook.speaks.as_deref());
        let is_read = context.store.is_some() || speaks.any(is_same);
        Self {
            context,
            hooks,
            held,
            id: (context.world.ids)(),
            can: context.host.can(event),
            ends: Duration::MAX,
            pass: match context.caller {
                Caller::Host | Caller::Person => RunMode::Real,
                Caller::Again => RunMode::Told,
            },
            is_behind: false,
            asked: AskRound::First,
            keeps: true,
            came: is_read.then(|| event.data.clone()),
            late: Vec::new(),
            tally: None,
            configured: Arc::default(),
            payload: None,
            project: begins.then(project).flatten(),
            kept,
            flight: None,
            parent: context.parent(event),
            heeded: false,
            prompt: context.prompt(event),
            seen: None,
            fresh: false,
            trouble: Vec::new(),
        }
    }

    /// Returns how one hook is asked.
    pub(super) fn asking<'s>(
        &'s self,
        hook: &'s Hook,
        event: &'s Event,
        shared: &'s RunnerContext,
    ) -> RunnerRequest<'s> {
        RunnerRequest {
            hook,
            event,
            asked: self.asked,
            world: self.context.world,
            shared,
        }
    }

    /// What is left of the time for this event.
    pub(super) fn left(&self) -> Duration {
        self.ends.saturating_sub(self.context.world.clock.since())
    }

    /// Asks the hooks, and keeps at once what other processes of the session have to know of it.
    pub(super) fn decide(&mut self, event: &mut Event) -> (DispatchOutcome, Option<Pool>) {
        // Where it is decided: a second process with the same prompt is in the same turn.
        self.begin_turn();
        self.recollect(event);
        let (mut finished, left) = ask::all(self, event);
        if finished.result.verdict.kind() >= Kind::Ask {
            let shared = self.plain(event, &[]);
            self.word(&mut finished.result.verdict, event, &shared);
        }
        self.remember_written(event, &finished);
        self.mark(&mut finished);
        self.ask_of_brought(event, &mut finished);
        self.note_brought(&mut finished);
        self.snapshot(event, &mut finished);
        self.conclude(event, &mut finished);
        (finished, Some(left))
    }

    /// Tells whether a text may wait for a later event.
    pub(super) fn later(&self) -> Deferral {
        if self.kept.is_some() {
            Deferral::Outbox
        } else {
            Deferral::Never
        }
    }

    pub(super) fn update<T>(&mut self, change: impl FnOnce(&mut SessionState) -> T) -> Option<T> {
        let (key, state) = self.kept.as_ref()?;
        let mut change = Some(change);
        let mut came = None;
        let (seen, project) = (&mut self.seen, &mut self.project);
        let done = state.update(key, &mut |session| {
            if let Some(project) = project.take() {
                session.project.get_or_insert(project);
            }
            if let Some(change) = change.take() {
                came = Some(change(session));
                *seen = Some(SessionGlance::of(session));
            }
        });
        match done {
            Ok(loaded) => {
                self.fresh |= loaded == PriorState::Fresh;
                self.trouble.extend(forgotten(&loaded).map(String::from));
            }
            Err(error) => {
                let text = format!(
                    "what this session remembers could not be kept: {}",
                    files::with_causes(&error)
                );
                if !self.trouble.contains(&text) {
                    self.trouble.push(text);
                }
                // Other events of the session are at work: what comes later in this one may still be remembered.
                if !is_busy(&error) {
                    self.kept = None;
                }
            }
        }
        came
    }

    /// Looks at the session. It is locked only where it has something to keep by now, or cannot be read.
    pub(super) fn look<T>(&mut self, look: impl FnOnce(&mut SessionState) -> T) -> Option<T> {
        let kept = self.kept.as_ref().filter(|_| self.project.is_none());
        let Some(mut session) = kept.and_then(|(key, state)| state.look(key)) else {
            return self.update(look);
        };
        self.seen = Some(SessionGlance::of(&session));
        Some(look(&mut session))
    }

    /// Returns the session and where it is remembered.
    pub(super) fn session(&self) -> Option<(&SessionKey, &'a dyn State)> {
        self.kept.as_ref().map(|(key, state)| (key, *state))
    }

    /// Tells the person what went wrong with our own files.
    pub(super) fn tell(&mut self, trouble: impl IntoIterator<Item = String>) {
        self.trouble.extend(trouble);
    }

    /// Tells the person of an error, and goes on without.
    pub(super) fn told<T>(&mut self, what: &str, done: Result<T, BookError>) -> Option<T> {
        let error = done.as_ref().err().map(|error| files::with_causes(error));
        self.tell(error.map(|why| format!("{what}: {why}")));
        done.ok()
    }

    pub(super) fn now(&self) -> i64 {
        self.context.world.clock.now()
    }

    /// Keeps what was decided, in one step: how often in a row the agent was sent on, and the answer for the other process
    /// that is asked the same, which takes it as it is.
    fn conclude(&mut self, event: &Event, finished: &mut DispatchOutcome) {
        let flight = self.flight.take();
        let is_end = event.name.class() == Class::Continuation;
        let mut losses = Vec::new();
        if flight.is_none() && !is_end {
            return;
        }
        let (now, can) = (self.now(), self.can);
        self.update(|session| {
            if is_end {
                losses = cap_refusals(session, event, &can, finished);
            }
            if let Some((key, asker, _)) = &flight {
                session.remember(FlightAnswer {
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
        self.post(&losses);
        self.late.extend(losses);
    }

    /// Takes a hook's one time in this session. Without a memory every time is the first. Where many processes of a session
    /// are at work at once, this waits longer than anything else does: what happens once must not happen twice.
    pub(super) fn once(&mut self, hook: &Hook) -> bool {
        if self.is_behind {
            return true;
        }
        let (mark, now) = (hook_mark(hook), self.now());
        let last = self.context.budget() / 2;
        while let Some((key, state)) = self.kept.as_ref() {
            let mut first = None;
            let done = state.update(key, &mut |session| {
                first = Some(session.first(OnceMark::Once(&mark), now));
            });
            if let (Ok(_), Some(first)) = (&done, first) {
                return first;
            }
            if !done.is_err_and(|error| is_busy(&error)) || self.context.world.clock.since() >= last
            {
                break;
            }
        }
        let first = self.update(|session| session.first(OnceMark::Once(&mark), now));
        first.unwrap_or(true)
    }

    /// Tells the person, once per session, of every failing hook and of every file that could not be used.
    pub(super) fn say_once(&mut self, finished: &mut DispatchOutcome) {
        let now = self.now();
        let remarks = self.held.loaded.remarks.iter();
        let told = remarks.map(|remark| (remark.mark.clone(), format!("anyhook: {}", remark.text)));
        let notices: Vec<(String, String)> = told.chain(self.failures(finished)).collect();
        if notices.is_empty() {
            return;
        }
        let first = self.update(|session| {
            let first = |(mark, _): &(String, String)| session.first(OnceMark::Said(mark), now);
            notices.iter().map(first).collect::<Vec<bool>>()
        });
        // Without a memory everything is said each time: twice is better than never.
        let first = first.unwrap_or_else(|| vec![true; notices.len()]);
        for ((_, text), _) in notices.into_iter().zip(first).filter(|(_, first)| *first) {
            let notice = Notice::new(plain(&text)).at(Level::Warning);
            finished.result.effects.edit().notify.push(notice);
        }
    }

    /// Tells whether the person hears something for the first time in the session, by the mark of it.
    pub(super) fn is_news(&mut self, mark: impl FnOnce(&SessionState) -> String) -> bool {
        let now = self.now();
        let first = self.update(|session| {
            let mark = mark(session);
            session.first(OnceMark::Said(&mark), now)
        });
        // Without a memory everything is said each time: twice is better than never.
        first.unwrap_or(true)
    }

    /// Returns the mark of each hook that failed, with what to tell of it.
    fn failures(&self, finished: &DispatchOutcome) -> Vec<(String, String)> {
        let at = if self.is_behind {
            " in the background"
        } else {
            ""
        };
        let failed = |step: &Step| {
            let hook = self.hooks.get(step.hook)?;
            let StepOutcome::Failed { fault, .. } = &step.became else {
                return None;
            };
            let (mark, name) = (hook_mark(hook), &hook.info.name);
            let text = format!("anyhook: the hook `{name}` failed{at}: {}", fault.text);
            hook.is_declared().then(|| (format!("fault:{mark}"), text))
        };
        finished.steps.iter().filter_map(failed).collect()
    }

    /// Makes the report of what was decided.
    pub(super) fn report(&self, event: &Event, finished: DispatchOutcome) -> Report {
        let remarks = self.held.loaded.remarks.iter();
        let remarks = remarks.map(|remark| remark.text.as_str().into());
        Report {
            id: self.id.clone(),
            at: Some(self.now()),
            result: finished.result,
            hooks: Arc::clone(self.hooks.roster()),
            steps: finished.steps,
            remarks: finished.remarks.into_iter().chain(remarks).collect(),
            ..Report::about(Heading::from(event))
        }
    }

    /// Keeps what came of it, in the session and in the record. Returns the report, and what the host hears.
    pub(super) fn commit(
        &mut self,
        event: &Event,
        answer: AnswerDraft,
        took: Duration,
    ) -> (Report, HookResult) {
        let mut report = self.report(event, answer.finished);
        report.said = Some(self.with_id(answer.said));
        report.losses = answer.losses;
        report.losses.append(&mut self.late);
        report.audit = answer.audit;
        report.took = Some(took);
        report.action = self.action(event, answer.approval);
        if self.project.is_some() {
            self.update(|_| ());
        }
        self.answered(event, &mut report);
        self.keep(&mut report);
        let heard = answer::with_code(report.said.as_ref(), answer.code.as_deref(), &self.can);
        (report, heard)
    }

    /// Names the report in a refusal, so that a person can ask why.
    fn with_id(&self, mut said: HookResult) -> HookResult {
        if self.context.caller == Caller::Host
            && let Verdict::Deny { reasons } | Verdict::Halt { reasons } = &mut said.verdict
            && let Some(last) = reasons.last_mut()
        {
            last.text = self.context.reason_with_id(&last.text, &self.id).into();
        }
        said
    }

    /// Puts the report into the store, and tells what went wrong with our own files. That never changes a verdict.
    pub(super) fn keep(&mut self, report: &mut Report) {
        if self.context.caller == Caller::Host && self.context.world.places.is_none() {
            self.trouble.push(
                "there is no home folder, so your own hooks were not asked and nothing is recorded; set HOME to one that is there"
                    .to_owned(),
            );
        }
        report
            .remarks
            .extend(self.trouble.iter().map(|trouble| trouble.as_str().into()));
        // An event that no manifest holds for, and about which nothing was said, leaves no trace.
        let silent = self.held.files().is_empty() && report.result.is_identity();
        let store = self
            .context
            .store
            .filter(|store| !silent || store.is_required());
        if let Some(store) = store
            && let Err(error) = store.append(report)
        {
            let why = files::with_causes(&error);
            if store.is_required() {
                refuse_unkept(report, &why);
            }
            self.trouble
                .push(format!("the report could not be stored: {why}"));
        }
        if self.can.notify == Visibility::No {
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

/// Tells whether another process had what was wanted.
fn is_busy(error: &StateError) -> bool {
    matches!(error, StateError::File(FileError::Busy { .. }))
}

/// Blocks an action whose report could not be kept, where one is required.
fn refuse_unkept(report: &mut Report, why: &str) {
    if report.event.name.class() != Class::Gate || report.answer().verdict.kind() >= Kind::Deny {
        return;
    }
    let text = format!(
        "This action is blocked because its record could not be written, and `audit.required` asks for one: {}. Tell the user.",
        plain(why)
    );
    report.said = Some(HookResult::deny(text));
}

/// Lets an agent stop that was sent on too often in a row. A text for the model sends it on as well: the model hears it
/// only by going on, so it waits then.
fn cap_refusals(
    session: &mut SessionState,
    event: &Event,
    can: &Capabilities,
    finished: &mut DispatchOutcome,
) -> Vec<Loss> {
    let counter = format!("refused:{}", event.name);
    let result = &mut finished.result;
    let is_refused = result.verdict.kind() == Kind::Deny;
    let has_text = can.inject.is_some() && !result.effects.inject().is_empty();
    let is_sent_on = is_refused || has_text && result.verdict.kind() < Kind::Deny;
    if !is_sent_on {
        session.reset(&counter);
        return Vec::new();
    }
    if session.count(&counter) <= REFUSALS {
        return Vec::new();
    }
    session.reset(&counter);
    let verdict = if is_refused {
        std::mem::take(&mut result.verdict)
    } else {
        Verdict::Continue
    };
    let mut text = format!("the agent was sent on {REFUSALS} times in a row and may stop now");
    if is_refused {
        text = format!("{text}: {}", verdict.text());
    }
    finished.remarks.push(text.as_str().into());
    let given = result.effects.edit();
    given.notify.push(Notice::new(text).at(Level::Warning));
    let texts = std::mem::take(&mut given.inject).into_iter();
    let texts = texts.map(UndeliveredText::Injection);
    texts.map(Loss::later).collect()
}

/// Names a hook from one process to the next: by its file, its event and its own name.
#[doc(hidden)]
pub fn hook_mark(hook: &Hook) -> String {
    let source = hook.info.source.as_ref();
    let file = source.map(|source| &*source.file).unwrap_or_default();
    format!("{file}#{}#{}", hook.event, hook.info.name)
}
