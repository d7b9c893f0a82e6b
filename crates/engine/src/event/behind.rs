//! Hooks that go on in the background, behind an event that was answered: the same way, with the hook alone and no host.

use std::path::PathBuf;
use std::time::Duration;

use anyhook_core::can::Capabilities;
use anyhook_core::dispatch::DispatchOutcome;
use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Loss, LossKind, Substitute};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{Hook, OnFault, WaitMode};
use anyhook_core::manifest::DEADLINE;
use anyhook_core::report::{Report, StepOutcome};
use anyhook_core::result::{HookId, Kind};
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;
use serde::{Deserialize, Serialize};

use super::turn::{EventRun, hook_mark};
use super::written::{self, ASYNC, says_async};
use super::{Caller, Context, ask};
use crate::background::{self, demoted};
use crate::load::LoadOptions;
use crate::processes::ExclusiveReaper;
use crate::state::State;
use crate::stores::Jsonl;
use crate::world::World;

/// What is left, when a hook's own time is over, for its processes to be ended.
const AFTER: Duration = Duration::from_secs(5);

/// What a process needs to know that takes over one hook: the event itself stands behind it, as its host sent it.
#[derive(Serialize, Deserialize)]
struct BackgroundTask {
    version: String,
    /// The report of the event.
    parent: Box<str>,
    host: String,
    caller: Caller,
    hint: Option<String>,
    manifest: Option<PathBuf>,
    loading: LoadOptions,
    /// The hook from one process to the next.
    hook: String,
    /// What the others made of the event.
    data: Map,
}

/// The caller is the same program, unless it was replaced between two steps.
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl EventRun<'_> {
    /// Hands a hook over to a process that outlives this one: after the others, so that it reads what they made of the event.
    pub(super) fn hand_over(&mut self, id: HookId, event: &Event, finished: &mut DispatchOutcome) {
        let Some(hook) = self.hooks.get(id) else {
            return;
        };
        let Err(why) = self.ordered(hook, event) else {
            return;
        };
        let text = format!("it could not be sent into the background: {why}");
        let fault = Box::new(Fault::new(FaultKind::NotStarted, text));
        let verdict = Kind::Continue;
        let mut steps = finished.steps.iter_mut();
        if let Some(step) = steps.find(|step| step.hook == id) {
            step.became = StepOutcome::Failed { fault, verdict };
        }
    }

    fn ordered(&self, hook: &Hook, event: &Event) -> Result<(), String> {
        let context = self.context;
        let Some(program) = &context.world.supervisor else {
            return Err("no process is there to take it".to_owned());
        };
        let raw = event.origin.as_deref().and_then(|it| it.raw.as_deref());
        let order = BackgroundTask {
            version: VERSION.to_owned(),
            parent: self.id.clone(),
            host: context.host.id().to_owned(),
            caller: context.caller,
            hint: context.hint.map(str::to_owned),
            manifest: context.manifest.clone(),
            loading: context.loading,
            hook: hook_mark(hook),
            data: event.data.json().into_owned(),
        };
        let mut bytes = serde_json::to_vec(&order).map_err(|error| error.to_string())?;
        bytes.push(b'\n');
        bytes.extend_from_slice(raw.unwrap_or_default());
        background::hand_over(context.world, program, &bytes)
    }

    /// Reads what a hook's process left.
    pub(super) fn read(&mut self, hook: &Hook, raw: &Transcript, event: &Event) -> HandlerResult {
        let read = |raw: &Transcript| written::read(hook, raw, event);
        let instead = self
            .context
            .watch
            .and_then(|watch| watch.hear(hook, raw, &read));
        let raw = instead.as_ref().unwrap_or(raw);
        self.heard(hook, raw, read(raw))
    }

    /// Hears an answer. One of a background hook that was waited for, because there is no supervisor, decides nothing.
    ///
    /// A hook that prints `async` is waited for all the same, and that is a recorded loss. A guard that prints it does not say
    /// what it decides: unless it refuses, it has failed. One in the words of a host that would not wait decides nothing.
    fn heard(&mut self, hook: &Hook, raw: &Transcript, said: HandlerResult) -> HandlerResult {
        let is_printed = says_async(hook, &raw.stdout.kept);
        let is_waited = hook.pace == WaitMode::Waited;
        if self.is_behind || is_waited && !is_printed {
            return said;
        }
        if is_printed {
            let what = LossKind::Native(ASYNC.into());
            self.late.push(Loss::new(what, Substitute::Nothing, None));
        }
        let said = said?;
        if is_printed && hook.on_fault != OnFault::Continue {
            let text = "a guard printed `async`: it is unknown whether it refuses";
            let failed = || Box::new(Fault::new(FaultKind::InvalidAnswer, text));
            let refuses = said.verdict.kind() >= Kind::Deny;
            return refuses.then_some(said).ok_or_else(failed);
        }
        if is_waited && hook.speaks.is_none() {
            return Ok(said);
        }
        let (told, losses) = demoted(said);
        self.late.extend(losses);
        Ok(told)
    }
}

/// Carries an order out. What the hook says waits for the next event of the session that can tell it, and the report names
/// that of its event.
pub(crate) fn go_on(
    world: &World,
    state: Option<&dyn State>,
    store: Option<&Jsonl>,
    bytes: &[u8],
) -> Result<(), String> {
    const CUT: &str = "the order was cut off";
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(CUT)?;
    let (line, payload) = bytes.split_at_checked(end).ok_or(CUT)?;
    let order: BackgroundTask = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let host = anyhook_wires::host(&order.host).filter(|_| order.version == VERSION);
    let context = Context {
        hint: order.hint.as_deref(),
        manifest: order.manifest,
        loading: order.loading,
        store,
        state,
        ..Context::new(
            world,
            host.ok_or("the order is one of another version")?,
            order.caller,
        )
    };
    let event = context.read(payload.get(1..).unwrap_or_default());
    let mut event = event.map_err(|error| error.to_string())?;
    event.data = order.data.into();
    background::say_ready()?;
    context.go_on(event, &order.hook, &order.parent);
    Ok(())
}

impl Context<'_> {
    fn go_on(&self, mut event: Event, mark: &str, parent: &str) {
        let began = self.world.clock.since();
        let alone = ExclusiveReaper::now();
        let is_it = |hook: &Hook| hook.pace == WaitMode::Background && hook_mark(hook) == mark;
        let mut only = |hooks: Vec<Hook>, _: &Event| hooks.into_iter().filter(is_it).collect();
        let held = self.hold(&event, &mut only).unguarded();
        let hooks = held.about(&event);
        let own = hooks.list().iter().filter_map(|hook| hook.deadline).max();
        let mut turn = EventRun::begin(self, &held, &hooks, &event);
        turn.is_behind = true;
        turn.ends = began + own.unwrap_or(DEADLINE) + AFTER;
        turn.look_back(&event);
        let (mut finished, mut left) = ask::all(&mut turn, &mut event);
        left.settle();
        drop(left);
        let _ = alone.map(|alone| alone.end_rest());
        turn.say_once(&mut finished);
        let (texts, mut losses) = demoted(finished.result.clone());
        turn.can = Capabilities {
            later: turn.later(),
            ..Capabilities::NOTHING
        };
        let (said, unsaid) = texts.fit(Class::Notice, &[], &turn.can);
        losses.extend(unsaid);
        turn.post(&losses);
        let took = self.world.clock.since().saturating_sub(began);
        let mut report = Report {
            parent: Some(parent.into()),
            said: Some(said),
            losses,
            took: Some(took),
            ..turn.report(&event, finished)
        };
        report
            .remarks
            .insert(0, format!("in the background of {parent}").into());
        turn.keep(&mut report);
    }
}
