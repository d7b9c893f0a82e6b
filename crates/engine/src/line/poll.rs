//! The driver of the command line: every process of a wave in one `poll`, no thread, no runtime.

mod marks;
mod parts;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhook_core::dispatch::{Dispatch, Finished, Next, Policy};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler, Said};
use anyhook_core::hook::{Hook, Hooks, Pace, Times};
use anyhook_core::report::{Asked, Became, WhyNot};
use anyhook_core::result::{HookId, HookResult, Kind};
use anyhook_core::transcript::Transcript;

use crate::processes::{Limits, Pool};
use crate::runners::{self, Asking, Prepared, PreparedPart, Shared};
use crate::world::World;
use marks::Marks;
use parts::Processes;

/// What a driver needs besides the hooks and the event.
pub(super) struct Driving<'a> {
    /// The world.
    pub(super) world: &'a World,
    /// How long all hooks of this event may take together.
    pub(super) budget: Duration,
    /// How an answer of a hook is read out of what its process left.
    pub(super) read: &'a dyn Fn(&Hook, &Transcript, &Event) -> Said,
    /// Hears what a hook without a process says, and returns what it is taken to say.
    pub(super) hear: &'a dyn Fn(&Hook, HookResult) -> HookResult,
    /// Writes the event, with the rewrites so far, for these hooks.
    pub(super) share: &'a mut dyn FnMut(&Event, &[&Hook]) -> Shared,
    /// What processes are told about their first asking here: one that was asked before is asked again.
    pub(super) asked: Asked,
    /// Takes a hook's one time in this session, and tells whether it was still there.
    pub(super) once: &'a mut dyn FnMut(&Hook) -> bool,
    /// Those whose one time was taken for this event: they may be asked again about what was rewritten.
    pub(super) taken: Vec<HookId>,
    /// The gravest verdict that those gave at once who are asked now.
    pub(super) gravest: Kind,
    /// Hands over a hook that goes on in the background, about what it is asked about. Nothing where no supervisor can
    /// take it: it is waited for then.
    pub background: Option<&'a mut Away<'a>>,
}

/// Hands over a hook that goes on in the background, and says in words why that failed.
pub(super) type Away<'a> = dyn FnMut(&Hook, &Event, Vec<PreparedPart>) -> Result<(), String> + 'a;

impl std::fmt::Debug for Driving<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driving")
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// The room that is left, at the end of the budget, for a group to be killed that ignored its TERM.
const GRACE: Duration = Duration::from_secs(1);

/// How often is looked whether a signal asks this process to end.
const LOOK: Duration = Duration::from_millis(100);

fn is_interrupted(with: &Driving<'_>) -> bool {
    with.world.interrupted.load(Ordering::Relaxed)
}

/// Asks every hook that the dispatch says to ask, until there is nothing more. What hooks left running is in the pool:
/// settle it when the answer is out.
pub(super) fn drive(
    hooks: &Hooks,
    event: &mut Event,
    policy: Policy,
    with: &mut Driving<'_>,
) -> (Finished, Pool) {
    let began = Instant::now();
    let grace = GRACE.min(with.budget / 4);
    let last_call = began + with.budget.saturating_sub(grace);
    let mut dispatch = Dispatch::begin(hooks, event, policy);
    let pool = Pool::new(Limits {
        grace,
        ..Limits::default()
    });
    let mut processes = Processes::new(pool, hooks, Marks::of(with.world));
    let mut away: Vec<HookId> = Vec::new();
    loop {
        let asked = match dispatch.next(event) {
            Next::Ask(id) => vec![id],
            Next::Together(ids) => ids,
            Next::Wait | Next::Done => break,
        };
        if Instant::now() >= last_call || is_interrupted(with) {
            dispatch.expire(event);
            continue;
        }
        let wave = asked.iter().filter_map(|id| hooks.get(*id));
        let declared: Vec<&Hook> = wave.filter(|hook| hook.is_declared()).collect();
        let shared = if declared.is_empty() {
            Shared::default()
        } else {
            (with.share)(event, &declared)
        };
        with.gravest = Kind::Continue;
        let (now, last) = in_turn(asked, hooks, event, &shared, with);
        for (id, decides) in now.into_iter().chain(last) {
            if with.gravest >= Kind::Deny && decides.is_some_and(|kind| kind <= with.gravest) {
                dispatch.skip(id, WhyNot::Decided);
                continue;
            }
            ask(
                &mut dispatch,
                &mut processes,
                hooks,
                id,
                event,
                &shared,
                last_call,
                with,
                &mut away,
            );
        }
        collect(&mut dispatch, &mut processes, event, last_call, with);
    }
    let mut finished = dispatch.finish();
    finished.remarks.append(&mut processes.confined);
    send_away(&mut finished, hooks, event, &away, with);
    (finished, processes.pool)
}

/// Whom to ask; of a rule that has to look at what is below a folder, also what it decides.
type Turns = Vec<(HookId, Option<Kind>)>;

/// Parts those that are asked now from the rules that look at what is below a folder, whose turn is the last.
fn in_turn(
    asked: Vec<HookId>,
    hooks: &Hooks,
    event: &Event,
    shared: &Shared,
    with: &Driving<'_>,
) -> (Turns, Turns) {
    let decides = |id: HookId| {
        let asking = Asking {
            hook: hooks.get(id)?,
            event,
            asked: with.asked,
            world: with.world,
            shared,
        };
        asking.needs_a_look()
    };
    let turns = asked.into_iter().map(|id| (id, decides(id)));
    turns.partition(|(_, decides)| decides.is_none())
}

/// Hands over the hooks that go on in the background: after the others, so that they read what the others made of the
/// event.
fn send_away(
    finished: &mut Finished,
    hooks: &Hooks,
    event: &Event,
    away: &[HookId],
    with: &mut Driving<'_>,
) {
    let list: Vec<&Hook> = away.iter().filter_map(|id| hooks.get(*id)).collect();
    if list.is_empty() {
        return;
    }
    let shared = Shared {
        // The file goes away with this process; a hook in the background reads its standard input.
        payload_file: None,
        ..(with.share)(event, &list)
    };
    for (id, hook) in away.iter().zip(list) {
        let (Handler::Declared(action), Some(take)) = (&hook.handler, &mut with.background) else {
            continue;
        };
        let asking = Asking {
            hook,
            event,
            asked: Asked::First,
            world: with.world,
            shared: &shared,
        };
        let parts = runners::prepare_parts(action, &asking);
        if let Err(why) = take(hook, event, parts) {
            let text = format!("it could not be sent into the background: {why}");
            let fault = Box::new(Fault::new(FaultKind::NotStarted, text));
            let verdict = Kind::Continue;
            let failed = Became::Failed { fault, verdict };
            let mut steps = finished.steps.iter_mut();
            if let Some(step) = steps.find(|step| step.hook == *id) {
                step.became = failed;
            }
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "the parts of one asking; a struct would be used once"
)]
fn ask(
    dispatch: &mut Dispatch<'_>,
    processes: &mut Processes<'_>,
    hooks: &Hooks,
    id: HookId,
    event: &Event,
    shared: &Shared,
    last_call: Instant,
    with: &mut Driving<'_>,
    away: &mut Vec<HookId>,
) {
    let Some(hook) = hooks.get(id) else { return };
    let asked = dispatch.asked(id);
    match &hook.handler {
        Handler::InProcess(_) if is_used(hook, id, with) => dispatch.skip(id, WhyNot::Once),
        Handler::InProcess(handler) => {
            let began = Instant::now();
            let said = in_process(&**handler, event, asked);
            dispatch.answer(id, said, Some(began.elapsed()));
        }
        Handler::Declared(action) => {
            let began = Instant::now();
            let asking = Asking {
                hook,
                event,
                asked: asked.max(with.asked),
                world: with.world,
                shared,
            };
            let mut parts = runners::prepare_parts(action, &asking);
            for part in &mut parts {
                if let Prepared::Said(said) = &mut part.prepared {
                    **said = (with.hear)(hook, std::mem::take(said));
                }
            }
            let skipped = parts.iter().find_map(|part| match &part.prepared {
                Prepared::Skip(why) => Some(*why),
                _ => None,
            });
            parts.retain(|part| !matches!(part.prepared, Prepared::Skip(_)));
            match skipped {
                // A hook that does not look at this event has its one time still before it.
                Some(why) if parts.is_empty() => dispatch.skip(id, why),
                _ if is_used(hook, id, with) => dispatch.skip(id, WhyNot::Once),
                _ if hook.pace == Pace::Background && with.background.is_some() => {
                    away.push(id);
                    dispatch.skip(id, WhyNot::Background);
                }
                _ => {
                    let left = last_call.saturating_duration_since(Instant::now());
                    if let Some(answer) = processes.start(id, parts, left, event.name.class()) {
                        if let (Ok(said), true) = (&answer.said, hook.counts()) {
                            with.gravest = with.gravest.max(said.verdict.kind());
                        }
                        dispatch.answer(id, answer.said, Some(began.elapsed()));
                    }
                }
            }
        }
    }
}

/// Takes a hook's one time in the session, and tells whether it was gone already.
fn is_used(hook: &Hook, id: HookId, with: &mut Driving<'_>) -> bool {
    if hook.times == Times::Always || with.taken.contains(&id) {
        return false;
    }
    let is_ours = (with.once)(hook);
    if is_ours {
        with.taken.push(id);
    }
    !is_ours
}

/// Asks code of this process; its panic is a fault.
fn in_process(handler: &dyn HookHandler, event: &Event, asked: Asked) -> Said {
    let caught = catch_unwind(AssertUnwindSafe(|| match handler.handle_as(event, asked) {
        Handled::Ready(said) => said,
        Handled::Pending(future) => pollster::block_on(future),
    }));
    caught.unwrap_or_else(|_| {
        Err(Box::new(Fault::new(
            FaultKind::Panicked,
            "the handler panicked",
        )))
    })
}

/// Waits until every process of the wave has ended.
fn collect(
    dispatch: &mut Dispatch<'_>,
    processes: &mut Processes<'_>,
    event: &Event,
    last_call: Instant,
    with: &mut Driving<'_>,
) {
    while !processes.pool.is_idle() {
        let now = Instant::now();
        let is_over = now >= last_call || is_interrupted(with);
        if is_over {
            processes.pool.end_all();
        }
        let until = (!is_over).then(|| last_call.min(now + LOOK));
        for (key, transcript) in processes.pool.turn(until) {
            if let Some(answer) = processes.ended(key, transcript, event, with.read) {
                dispatch.answer(answer.id, answer.said, Some(answer.took));
            }
        }
    }
}
