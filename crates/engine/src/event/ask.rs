//! The driver: every process of a wave in one `poll`, no thread, no runtime. What an answer means is for the dispatch to say.

mod marks;
mod parts;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhook_core::dispatch::{
    Dispatch, DispatchOutcome, DispatchPolicy, DriverAction, StepRecording,
};
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Loss, LossKind};
use anyhook_core::handler::{Handler, HandlerResult};
use anyhook_core::hook::{AskFrequency, Hook, Hooks, WaitMode};
use anyhook_core::report::{AskRound, SkipReason, StepOutcome};
use anyhook_core::result::{HookId, Kind};
use anyhook_wires::hosts::universal::UNIVERSAL;

use super::turn::EventRun;
use super::written::ASYNC;
use super::{Caller, Context, PlaceHooks};
use crate::drivers::future::ask_alone;
use crate::processes::{Pool, PoolLimits};
use crate::registry::wait;
use crate::runners::{self, RunnerContext, RunnerReply, RunnerRequest};
use crate::world::World;

use marks::ProcessMarks;
use parts::Processes;

/// The room that is left, at the end of the time, for a group to be killed that ignored its TERM.
const GRACE: Duration = Duration::from_secs(1);

/// What is left, when a hook's own time is over, for its processes to be ended.
const AFTER: Duration = Duration::from_secs(2);

/// How often is looked whether a signal asks this process to end.
const LOOK: Duration = Duration::from_millis(100);

/// The asking of all hooks about one event.
struct DispatchRun<'r, 'a> {
    turn: &'r mut EventRun<'a>,
    dispatch: Dispatch<'a>,
    processes: Processes<'a>,
    /// When everything has to be over.
    last: Instant,
    /// Those whose one time was taken for this event: they may be asked again about what was rewritten.
    taken: Vec<HookId>,
    /// The gravest verdict that those gave at once who are asked now.
    gravest: Kind,
    /// Those that go on in the background.
    behind: Vec<HookId>,
}

/// Asks every hook that the dispatch says to ask, until there is nothing more. What hooks left running is in the pool:
/// settle it when the answer is out.
pub(super) fn all(turn: &mut EventRun<'_>, event: &mut Event) -> (DispatchOutcome, Pool) {
    let policy = DispatchPolicy {
        strict: turn.context.loading.strict,
        record: StepRecording::Steps,
    };
    let left = turn.left();
    let limits = PoolLimits {
        grace: GRACE.min(left / 4),
        ..PoolLimits::default()
    };
    let marks = ProcessMarks::of(turn.context.world);
    let mut round = DispatchRun {
        dispatch: Dispatch::begin(turn.hooks, event, policy),
        processes: Processes::new(Pool::new(limits), turn.hooks, marks),
        last: Instant::now() + left.saturating_sub(limits.grace),
        taken: Vec::new(),
        gravest: Kind::Continue,
        behind: Vec::new(),
        turn,
    };
    loop {
        let asked = match round.dispatch.next(event) {
            DriverAction::Ask(id) => vec![id],
            DriverAction::Together(ids) => ids,
            DriverAction::Wait | DriverAction::Done => break,
        };
        if round.is_over() {
            round.dispatch.expire(event);
            continue;
        }
        round.wave(&asked, event);
        round.collect(event);
    }
    let mut finished = round.dispatch.finish();
    finished.remarks.append(&mut round.processes.confined);
    for id in round.behind {
        round.turn.hand_over(id, event, &mut finished);
    }
    (finished, round.processes.pool)
}

impl DispatchRun<'_, '_> {
    fn is_over(&self) -> bool {
        let interrupted = &self.turn.context.world.interrupted;
        Instant::now() >= self.last || interrupted.load(Ordering::Relaxed)
    }

    /// Asks those whose turn it is. The last are the rules that look at what is below a folder: they need not look where a
    /// refusal as grave stands already.
    fn wave(&mut self, asked: &[HookId], event: &Event) {
        let hooks = self.turn.hooks;
        let wave: Vec<(HookId, &Hook)> = (asked.iter())
            .filter_map(|id| Some((*id, hooks.get(*id)?)))
            .collect();
        let declared = wave.iter().map(|(_, hook)| *hook);
        let declared: Vec<&Hook> = declared.filter(|hook| hook.is_declared()).collect();
        let shared = if declared.is_empty() {
            RunnerContext::default()
        } else {
            self.turn.share(event, &declared)
        };
        self.gravest = Kind::Continue;
        let looks = |(id, hook)| {
            (
                id,
                hook,
                self.turn.asking(hook, event, &shared).needs_a_look(),
            )
        };
        let (last, now): (Vec<_>, Vec<_>) = (wave.into_iter().map(looks))
            .partition(|(_, _, decides): &(_, _, Option<Kind>)| decides.is_some());
        for (id, hook, decides) in now.into_iter().chain(last) {
            if self.gravest >= Kind::Deny && decides.is_some_and(|kind| kind <= self.gravest) {
                self.dispatch.skip(id, SkipReason::Decided);
                continue;
            }
            self.ask(id, hook, event, &shared);
        }
    }

    fn ask(&mut self, id: HookId, hook: &Hook, event: &Event, shared: &RunnerContext) {
        let (began, asked) = (Instant::now(), self.dispatch.asked(id));
        let action = match &hook.handler {
            Handler::InProcess(_) if self.is_used(hook, id) => {
                return self.dispatch.skip(id, SkipReason::Once);
            }
            Handler::InProcess(_) => {
                let said = wait(ask_alone(hook, event, asked, hook.deadline));
                return self.dispatch.answer(id, said, Some(began.elapsed()));
            }
            Handler::Declared(action) => action,
        };
        let asking = RunnerRequest {
            asked: asked.max(self.turn.asked),
            ..self.turn.asking(hook, event, shared)
        };
        let mut parts = match runners::prepare_parts(action, &asking) {
            Ok(parts) => parts,
            // A hook that does not look at this event has its one time still before it.
            Err(why) => return self.dispatch.skip(id, why),
        };
        for part in &mut parts {
            let watch = self.turn.context.watch;
            if let (Ok(RunnerReply::Said(said)), Some(watch)) = (&mut part.prepared, watch) {
                **said = watch.take(hook, std::mem::take(said));
            }
        }
        if self.is_used(hook, id) {
            return self.dispatch.skip(id, SkipReason::Once);
        }
        if hook.pace == WaitMode::Background && self.turn.context.world.supervisor.is_some() {
            self.behind.push(id);
            return self.dispatch.skip(id, SkipReason::Background);
        }
        let left = self.last.saturating_duration_since(Instant::now());
        if let Some(answer) = self.processes.start(id, parts, left, event.name.class()) {
            if let (Ok(said), true) = (&answer.said, hook.counts()) {
                self.gravest = self.gravest.max(said.verdict.kind());
            }
            self.dispatch.answer(id, answer.said, Some(began.elapsed()));
        }
    }

    /// Takes a hook's one time in the session, and tells whether it was gone already.
    fn is_used(&mut self, hook: &Hook, id: HookId) -> bool {
        if hook.times == AskFrequency::Always || self.taken.contains(&id) {
            return false;
        }
        let is_ours = self.turn.once(hook);
        if is_ours {
            self.taken.push(id);
        }
        !is_ours
    }

    /// Waits until every process of the wave has ended.
    fn collect(&mut self, event: &Event) {
        while !self.processes.pool.is_idle() {
            let is_over = self.is_over();
            if is_over {
                self.processes.pool.end_all();
            }
            let until = (!is_over).then(|| self.last.min(Instant::now() + LOOK));
            for (key, transcript) in self.processes.pool.turn(until) {
                let answer = self.processes.ended(key, transcript, event, self.turn);
                if let Some(answer) = answer {
                    self.dispatch
                        .answer(answer.id, answer.said, Some(answer.took));
                }
            }
        }
    }
}

/// Asks declared hooks for a program that is the agent and mounted their package: about an event of its own, within a time.
/// Returns what they say together, or the first failure.
#[doc(hidden)]
pub fn alone(
    world: &World,
    hooks: &Hooks,
    mut event: Event,
    asked: AskRound,
    within: Duration,
) -> HandlerResult {
    let context = Context::new(world, &UNIVERSAL, Caller::Person);
    let held = PlaceHooks::default();
    let mut turn = EventRun::begin(&context, &held, hooks, &event);
    turn.asked = asked;
    turn.keeps = false;
    turn.ends = world.clock.since() + within.saturating_add(AFTER);
    let (finished, mut left) = all(&mut turn, &mut event);
    left.settle();
    let mut steps = finished.steps.into_iter();
    let failed = steps.find_map(|step| failure(step.became));
    let mut said = failed.map_or(Ok(finished.result), Err)?;
    for loss in turn.late {
        let notice = Notice::new(too_late(&loss)).at(Level::Warning);
        said.effects.edit().notify.push(notice);
    }
    Ok(said)
}

/// Returns why a hook gave no answer.
fn failure(became: StepOutcome) -> Option<Box<Fault>> {
    match became {
        StepOutcome::Failed { fault, .. } => Some(fault),
        // A gate must not be open because its guard's turn never came.
        StepOutcome::NotAsked(SkipReason::OutOfTime) => {
            let text = "it was not asked: the run was ended, or its time was over";
            Some(Box::new(Fault::new(FaultKind::OutOfTime, text)))
        }
        StepOutcome::NotAsked(why) => Some(Box::new(Fault::not_asked(why))),
        StepOutcome::Said(_) | StepOutcome::Would(_) => None,
    }
}

/// Says what a hook said that goes on in the background, where it decides nothing any more.
fn too_late(loss: &Loss) -> String {
    let what = match &loss.what {
        LossKind::Verdict(kind) => format!("`{}`", kind.as_str()),
        LossKind::Rewrite(field) => format!("the rewrite of `{field}`"),
        LossKind::Native(native) if native == ASYNC => {
            return format!("a hook printed `{ASYNC}`, and was waited for all the same");
        }
        _ => "an answer".to_owned(),
    };
    format!("{what} of a hook that goes on in the background came too late, and is lost")
}
