//! The loop, without I/O: a state machine that says whom to ask next and folds what comes back.
//!
//! A driver owns time, processes and the event. It calls [`Dispatch::next`], asks the hooks that it is told to ask, hands
//! in each answer with [`Dispatch::answer`], and calls `next` again until it says [`Next::Done`]. All decisions are taken
//! in `next`, in declaration order, so the order in which answers arrive has no meaning (D10).
//!
//! ```
//! use anyhook_core::dispatch::{Dispatch, Next, Policy};
//! use anyhook_core::event::Event;
//! use anyhook_core::hook::{Hook, Hooks};
//! use anyhook_core::result::{HookResult, Kind};
//! use serde_json::json;
//!
//! let hooks: Hooks = [Hook::in_process("tool:pre", "no-writes", |_: &Event| HookResult::deny("read-only"))]
//!     .into_iter()
//!     .collect();
//! let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
//! let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
//! while let Next::Ask(id) = dispatch.next(&mut event) {
//!     dispatch.answer(id, Ok(HookResult::deny("read-only")), None);
//! }
//! assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
//! ```

use std::sync::Arc;
use std::time::Duration;

mod fold;
mod recheck;

use crate::event::Event;
use crate::fault::{Fault, FaultKind};
use crate::handler::{Handler, Said};
use crate::hook::{Hook, Hooks, Mode, Role, Turn};
use crate::matcher::Hit;
use crate::report::{Asked, Became, Step, WhyNot};
use crate::result::{HookId, HookResult, Kind, Reason, Verdict};
use crate::taxonomy::Class;

/// Fields that the emitter gave and no hook may change (D6).
const INFRASTRUCTURE: &[&str] = &["timestamp", "session_id"];

/// How one dispatch is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// What a failure means besides the hook's own rule.
    pub faults: Faults,
    /// Whether each step is kept for a report.
    pub record: Record,
}

/// What failures mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Faults {
    /// What each hook's own rule says.
    #[default]
    AsDeclared,
    /// On a gate, a refusal (`--strict`).
    Strict,
}

/// Whether steps are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Record {
    /// They are.
    #[default]
    Steps,
    /// They are not; nothing is allocated for a hook that has nothing to say.
    Nothing,
}

/// What a driver is to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Ask this hook.
    Ask(HookId),
    /// Ask these hooks, side by side if it can.
    Together(Vec<HookId>),
    /// Hand in the answers that are still missing.
    Wait,
    /// Nothing more: call [`Dispatch::finish`].
    Done,
}

/// What a dispatch came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// What all hooks said together.
    pub result: HookResult,
    /// What happened to each hook, in order; empty if nothing was recorded.
    pub steps: Vec<Step>,
    /// Rewrites of infrastructure that were dropped, in words.
    pub remarks: Vec<Box<str>>,
}

/// One event on its way through the hooks.
#[derive(Debug)]
pub struct Dispatch<'h> {
    hooks: &'h [Arc<Hook>],
    class: Class,
    mutable: &'static [&'static str],
    policy: Policy,
    phase: Phase,
    cursor: usize,
    wave: Wave,
    folded: HookResult,
    /// The last hook whose rewrite made the input what it is: all before it answered about another one.
    author: Option<usize>,
    failed: Vec<usize>,
    steps: Vec<Step>,
    remarks: Vec<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Deciding,
    Rechecking,
    Observing,
    Done,
}

/// The hooks that were asked and not yet folded, in declaration order.
#[derive(Debug)]
enum Wave {
    None,
    One(Waiting),
    Many(Vec<Waiting>),
}

#[derive(Debug)]
struct Waiting {
    hook: usize,
    hit: Hit,
    asked: Asked,
    came: Came,
}

#[derive(Debug)]
enum Came {
    Nothing,
    Answer(Said, Option<Duration>),
    Skipped(WhyNot),
}

impl<'h> Dispatch<'h> {
    /// Begins. The hooks of this moment are the hooks of this dispatch (D12).
    pub fn begin(hooks: &'h Hooks, event: &Event, policy: Policy) -> Self {
        Self::over(hooks.list(), event, policy)
    }

    /// Begins, over hooks that are already in order.
    pub fn over(hooks: &'h [Arc<Hook>], event: &Event, policy: Policy) -> Self {
        let steps = match policy.record {
            Record::Steps => Vec::with_capacity(hooks.len()),
            Record::Nothing => Vec::new(),
        };
        Self {
            hooks,
            class: event.name.class(),
            mutable: event.name.mutable(),
            policy,
            phase: Phase::Deciding,
            cursor: 0,
            wave: Wave::None,
            folded: HookResult::default(),
            author: None,
            failed: Vec::new(),
            steps,
            remarks: Vec::new(),
        }
    }

    /// Folds what came back, applies its rewrites to the event, and says whom to ask next.
    pub fn next(&mut self, event: &mut Event) -> Next {
        loop {
            if self.is_waiting() {
                return Next::Wait;
            }
            if let Some(again) = self.fold_wave(event) {
                return again;
            }
            let wave = match self.phase {
                Phase::Deciding => self.next_deciders(event),
                Phase::Rechecking => self.phase_after(Phase::Observing),
                Phase::Observing => self.next_observer(event),
                Phase::Done => return Next::Done,
            };
            if let Some(next) = wave {
                return next;
            }
        }
    }

    /// Takes a hook's answer. An answer of a hook that was not asked is ignored.
    pub fn answer(&mut self, id: HookId, said: Said, took: Option<Duration>) {
        self.came(id, Came::Answer(said, took));
    }

    /// Takes the news that a hook was not asked after all, and why.
    pub fn skip(&mut self, id: HookId, why: WhyNot) {
        self.came(id, Came::Skipped(why));
    }

    /// Tells whether a hook that is being asked is asked again about a rewritten input.
    pub fn asked(&self, id: HookId) -> Asked {
        let wave: &[Waiting] = match &self.wave {
            Wave::None => &[],
            Wave::One(one) => std::slice::from_ref(one),
            Wave::Many(many) => many,
        };
        wave.iter()
            .find(|w| w.hook == id.index())
            .map_or(Asked::First, |w| w.asked)
    }

    /// Ends the asking: the event's time is over. On a gate, a guard that was not asked yet refuses (D11).
    pub fn expire(&mut self, event: &Event) {
        let fault = || {
            Fault::new(
                FaultKind::OutOfTime,
                "the event's time was over before it answered",
            )
        };
        self.each_waiting(|waiting| {
            if matches!(waiting.came, Came::Nothing) {
                waiting.came = Came::Answer(Err(Box::new(fault())), None);
            }
        });
        if self.phase == Phase::Deciding {
            let unasked = self.hooks.get(self.cursor..).unwrap_or_default();
            let guard = unasked.iter().position(|hook| {
                hook.info.guard && hook.mode == Mode::Enforce && hook.selects(event) != Hit::No
            });
            if let (Some(guard), Class::Gate) = (guard, self.class) {
                self.out_of_time(self.cursor + guard);
            }
        }
        self.skip_rest(event, WhyNot::OutOfTime);
        self.phase = Phase::Done;
    }

    /// Ends, and says what it came to.
    pub fn finish(self) -> Finished {
        let mut result = self.folded;
        result.effects.tidy();
        Finished {
            result,
            steps: self.steps,
            remarks: self.remarks,
        }
    }

    fn out_of_time(&mut self, hook: usize) {
        let name = self
            .hooks
            .get(hook)
            .map(|h| h.info.name.clone())
            .unwrap_or_default();
        let mut reason = Reason::new(format!(
            "out of time: the guard `{name}` could not be asked before the agent would have gone on without it. \
             Try again; if it happens often, raise the timeout or make the hooks before it faster."
        ));
        reason.by = Some(id_of(hook));
        self.fold(HookResult::from(Verdict::Deny {
            reasons: [reason].into(),
        }));
    }

    fn is_waiting(&self) -> bool {
        match &self.wave {
            Wave::None => false,
            Wave::One(one) => matches!(one.came, Came::Nothing),
            Wave::Many(many) => many.iter().any(|w| matches!(w.came, Came::Nothing)),
        }
    }

    fn came(&mut self, id: HookId, came: Came) {
        let mut came = Some(came);
        self.each_waiting(|waiting| {
            if waiting.hook == id.index()
                && matches!(waiting.came, Came::Nothing)
                && let Some(came) = came.take()
            {
                waiting.came = came;
            }
        });
    }

    fn each_waiting(&mut self, mut with: impl FnMut(&mut Waiting)) {
        match &mut self.wave {
            Wave::None => {}
            Wave::One(one) => with(one),
            Wave::Many(many) => many.iter_mut().for_each(with),
        }
    }

    /// Walks on to the next hook that is asked; declared neighbours of one priority go together.
    fn next_deciders(&mut self, event: &Event) -> Option<Next> {
        if self.folded.verdict.kind() >= Kind::Deny {
            return self.phase_after(Phase::Observing);
        }
        let mut wave: Vec<Waiting> = Vec::new();
        while let Some(hook) = self.hooks.get(self.cursor) {
            if wave
                .first()
                .is_some_and(|first| !self.is_beside(first.hook, hook))
            {
                break;
            }
            let at = self.cursor;
            self.cursor += 1;
            let Some(hit) = self.asks(at, hook, event, Role::Decide) else {
                continue;
            };
            let waiting = Waiting {
                hook: at,
                hit,
                asked: Asked::First,
                came: Came::Nothing,
            };
            if !goes_together(hook) {
                self.wave = Wave::One(waiting);
                return Some(Next::Ask(id_of(at)));
            }
            wave.push(waiting);
        }
        if wave.is_empty() {
            self.begin_recheck(event)
        } else {
            Some(self.ask(wave))
        }
    }

    fn is_beside(&self, first: usize, hook: &Hook) -> bool {
        let priority = self.hooks.get(first).map(|first| first.info.priority);
        goes_together(hook) && priority == Some(hook.info.priority)
    }

    fn ask(&mut self, mut wave: Vec<Waiting>) -> Next {
        let ids: Vec<HookId> = wave.iter().map(|w| id_of(w.hook)).collect();
        if let (&[id], Some(one)) = (&*ids, wave.pop()) {
            self.wave = Wave::One(one);
            return Next::Ask(id);
        } else if let Some(last) = wave.pop() {
            wave.push(last);
        }
        self.wave = Wave::Many(wave);
        Next::Together(ids)
    }

    /// Tells whether a hook is asked, and records why not.
    fn asks(&mut self, at: usize, hook: &Hook, event: &Event, role: Role) -> Option<Hit> {
        if hook.role != role {
            return None;
        }
        let hit = hook.selects(event);
        let why = if hit == Hit::No {
            if hook.event == event.name {
                WhyNot::NoMatch
            } else {
                WhyNot::OtherEvent
            }
        } else if let Some(same) = self.same(at, hook, event) {
            WhyNot::Same(id_of(same))
        } else {
            return Some(hit);
        };
        self.record(at, Asked::First, Became::NotAsked(why), None);
        None
    }

    fn same(&self, at: usize, hook: &Hook, event: &Event) -> Option<usize> {
        if matches!(hook.handler, Handler::InProcess(_)) {
            return None;
        }
        let before = self.hooks.get(..at)?;
        before
            .iter()
            .position(|other| other.is_same(hook) && other.selects(event) != Hit::No)
    }

    fn phase_after(&mut self, phase: Phase) -> Option<Next> {
        if phase == Phase::Observing {
            self.skip_deciders();
            self.cursor = 0;
        }
        self.phase = phase;
        None
    }

    fn next_observer(&mut self, event: &Event) -> Option<Next> {
        while let Some(hook) = self.hooks.get(self.cursor) {
            let at = self.cursor;
            self.cursor += 1;
            if let Some(hit) = self.asks(at, hook, event, Role::Observe) {
                self.wave = Wave::One(Waiting {
                    hook: at,
                    hit,
                    asked: Asked::First,
                    came: Came::Nothing,
                });
                return Some(Next::Ask(id_of(at)));
            }
        }
        self.phase = Phase::Done;
        None
    }

    /// Records the deciders that a refusal left unasked.
    fn skip_deciders(&mut self) {
        for at in self.cursor..self.hooks.len() {
            if self
                .hooks
                .get(at)
                .is_some_and(|hook| hook.role == Role::Decide)
            {
                self.record(at, Asked::First, Became::NotAsked(WhyNot::Decided), None);
            }
        }
    }

    fn skip_rest(&mut self, event: &Event, why: WhyNot) {
        for (at, hook) in self.hooks.iter().enumerate().skip(self.cursor) {
            if hook.selects(event) != Hit::No {
                self.record(at, Asked::First, Became::NotAsked(why), None);
            }
        }
    }

    fn record(&mut self, at: usize, again: Asked, became: Became, took: Option<Duration>) {
        if self.policy.record == Record::Steps {
            self.steps.push(Step {
                hook: id_of(at),
                became,
                again,
                took,
            });
        }
    }
}

impl Waiting {
    fn again(self) -> Self {
        Self {
            asked: Asked::Again,
            came: Came::Nothing,
            ..self
        }
    }
}

fn goes_together(hook: &Hook) -> bool {
    matches!(hook.handler, Handler::Declared(_)) && hook.turn == Turn::Together
}

fn id_of(at: usize) -> HookId {
    HookId(u32::try_from(at).unwrap_or(u32::MAX))
}
