//! The loop, without I/O: a state machine that says which hook to ask next and folds the answers.
//!
//! A driver owns time, processes and the event. It calls [`Dispatch::next`], asks the hooks that it is told to ask, hands
//! in each answer with [`Dispatch::answer`], and calls `next` again until it says [`DriverAction::Done`]. All decisions are taken
//! in `next`, in declaration order, so the order in which answers arrive has no meaning.
//!
//! It ends. Each hook is asked once, once more for each earlier neighbour of its priority that rewrites the input, and
//! once to recheck: a dispatch of n hooks is over within `n * (n + 5) / 2 + 1` calls of `next` that do not wait.
//!
//! ```
//! use anyhook_core::dispatch::{Dispatch, DriverAction, DispatchPolicy};
//! use anyhook_core::event::Event;
//! use anyhook_core::hook::{Hook, Hooks};
//! use anyhook_core::result::{HookResult, Kind};
//! use serde_json::json;
//!
//! let hooks: Hooks =
//!     [Hook::in_process("tool:pre", "no-writes", |_: &Event| HookResult::deny("read-only"))]
//!         .into_iter()
//!         .collect();
//! let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
//! let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
//! while let DriverAction::Ask(id) = dispatch.next(&mut event) {
//!     dispatch.answer(id, Ok(HookResult::deny("read-only")), None);
//! }
//! assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

mod fold;
mod recheck;
mod walk;

use crate::event::Event;
use crate::fault::{Fault, FaultKind};
use crate::handler::HandlerResult;
use crate::hook::Hooks;
use crate::matcher::Hit;
use crate::report::{AskRound, SkipReason, Step, StepOutcome};
use crate::result::{HookId, HookResult};
use crate::taxonomy::Class;

/// Fields that the emitter gave and no hook may change.
const INFRASTRUCTURE: &[&str] = &["timestamp", "session_id"];

/// How one dispatch is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DispatchPolicy {
    /// What a failure means besides the hook's own rule.
    pub strict: Strictness,
    /// Whether each step is kept for a report.
    pub record: StepRecording,
}

/// What it means that a hook fails, or that a file of hooks cannot be used.
///
/// ```
/// use anyhook_core::dispatch::{DispatchPolicy, StepRecording, Strictness};
///
/// assert_eq!(DispatchPolicy::default(), DispatchPolicy { strict: Strictness::Lenient, record: StepRecording::Steps });
/// // What `emit` holds: the rules of each hook, and nothing written down.
/// let lean = DispatchPolicy { record: StepRecording::Nothing, ..DispatchPolicy::default() };
/// assert_eq!(lean.strict, Strictness::Lenient);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Strictness {
    /// What each hook's own rule says; of a file the person is told.
    #[default]
    Lenient,
    /// On a gate, a refusal (`--strict`); of a file on those that it names.
    Strict,
}

/// Whether steps are kept.
///
/// ```
/// use anyhook_core::dispatch::{Dispatch, DispatchPolicy, StepRecording};
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::Hooks;
///
/// let event = Event::new("tool:pre", serde_json::json!({}));
/// let none = Hooks::default();
/// let policy = DispatchPolicy { record: StepRecording::Nothing, ..DispatchPolicy::default() };
/// assert!(Dispatch::begin(&none, &event, policy).finish().steps.is_empty());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepRecording {
    /// They are.
    #[default]
    Steps,
    /// They are not; nothing is allocated for a hook that has nothing to say.
    Nothing,
}

/// What a driver is to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverAction {
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
///
/// ```
/// use anyhook_core::dispatch::{Dispatch, DispatchOutcome, DriverAction, DispatchPolicy};
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Hooks};
/// use anyhook_core::result::HookResult;
/// use serde_json::json;
///
/// let hooks: Hooks =
///     [Hook::in_process("tool:pre", "clock", |_: &Event| ())].into_iter().collect();
/// let mut event = Event::new("tool:pre", json!({}));
/// let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
/// while let DriverAction::Ask(id) = dispatch.next(&mut event) {
///     dispatch.answer(id, Ok(HookResult::proceed().modify("timestamp", "yesterday")), None);
/// }
/// let DispatchOutcome { result, steps, remarks } = dispatch.finish();
/// assert!(result.is_identity() && steps.len() == 1);
/// assert_eq!(&*remarks[0], "`clock` may not change `timestamp`: dropped");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DispatchOutcome {
    /// What all hooks said together.
    pub result: HookResult,
    /// What happened to each hook, in order; empty if nothing was recorded.
    pub steps: Vec<Step>,
    /// What was said and does not count, in words: rewrites of infrastructure, approvals that rest on an alias.
    pub remarks: Vec<Box<str>>,
}

/// One event on its way through the hooks.
///
/// A driver asks as it likes, and hands in what came back in any order. Here two declared hooks of one priority are asked
/// side by side; the second answers first, and the first not before the event's time is over:
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_core::dispatch::{Dispatch, DriverAction, DispatchPolicy};
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::Handler;
/// use anyhook_core::hook::{Hook, Hooks};
/// use anyhook_core::manifest::{Action, Prompt};
/// use anyhook_core::report::{AskRound, SkipReason};
/// use anyhook_core::result::{HookId, HookResult, Kind};
/// use serde_json::json;
///
/// let prompt = |text: &str| Action::Prompt(Prompt { prompt: text.into() });
/// let declared = |name| Hook::new("tool:pre", name, Handler::Declared(Box::new(prompt(name))));
/// let hooks: Hooks =
///     [declared("is it safe?").guard(), declared("is it tidy?"), declared("is it late?")]
///         .into_iter()
///         .collect();
/// let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
///
/// let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
/// let [safe, tidy, late] = [0, 1, 2].map(HookId);
/// assert_eq!(dispatch.next(&mut event), DriverAction::Together(vec![safe, tidy, late]));
/// assert_eq!(dispatch.asked(safe), AskRound::First);
///
/// dispatch.answer(
///     tidy,
///     Ok(HookResult::proceed().inject("two lines too long")),
///     Some(Duration::from_millis(8)),
/// );
/// dispatch.skip(late, SkipReason::Once);
/// assert_eq!(dispatch.next(&mut event), DriverAction::Wait);
///
/// dispatch.expire(&mut event);
/// assert_eq!(dispatch.next(&mut event), DriverAction::Done);
/// // The guard did not answer, so the gate stays shut; what its neighbour said is not lost.
/// let result = dispatch.take_result();
/// assert_eq!(result.verdict.kind(), Kind::Deny);
/// assert_eq!(result.effects.inject().len(), 1);
/// ```
#[derive(Debug)]
pub struct Dispatch<'h> {
    hooks: &'h Hooks,
    class: Class,
    mutable: &'static [&'static str],
    policy: DispatchPolicy,
    phase: DispatchPhase,
    cursor: usize,
    wave: PendingHooks,
    folded: HookResult,
    /// The last hook whose rewrite made the input what it is: all before it answered about another one.
    author: Option<usize>,
    /// What most dispatches have none of, out of their way.
    notes: Option<Box<StepNotes>>,
}

/// What is written down on the way.
#[derive(Debug, Default)]
struct StepNotes {
    /// Those that were asked and did not answer: they failed, or the driver skipped them.
    silent: Vec<usize>,
    steps: Vec<Step>,
    remarks: Vec<Box<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DispatchPhase {
    Deciding,
    Rechecking,
    Observing,
    Done,
}

/// The hooks that were asked and not yet folded, in declaration order: most often one, which needs no list.
type PendingHooks = SmallVec<[AskedHook; 1]>;

#[derive(Debug)]
struct AskedHook {
    hook: usize,
    hit: Hit,
    asked: AskRound,
    reply: HookReply,
    took: Option<Duration>,
}

#[derive(Debug, Default)]
enum HookReply {
    #[default]
    Nothing,
    Answer(HandlerResult),
    Skipped(SkipReason),
}

impl<'h> Dispatch<'h> {
    /// Begins. The hooks of this moment are the hooks of this dispatch.
    #[inline]
    pub fn begin(hooks: &'h Hooks, event: &Event, policy: DispatchPolicy) -> Self {
        let notes = (policy.record == StepRecording::Steps).then(|| {
            Box::new(StepNotes {
                steps: Vec::with_capacity(hooks.list().len()),
                ..StepNotes::default()
            })
        });
        Self {
            hooks,
            class: event.name.class(),
            mutable: event.name.mutable(),
            policy,
            phase: DispatchPhase::Deciding,
            cursor: 0,
            wave: PendingHooks::default(),
            folded: HookResult::default(),
            author: None,
            notes,
        }
    }

    /// Folds what came back, applies its rewrites to the event, and says whom to ask next.
    pub fn next(&mut self, event: &mut Event) -> DriverAction {
        loop {
            if self.wave.iter().any(AskedHook::is_open) {
                return DriverAction::Wait;
            }
            let stale = self.fold_wave(event).into_iter();
            if let Some(next) = self.ask(stale.map(AskedHook::again).collect()) {
                return next;
            }
            let next = match self.phase {
                DispatchPhase::Deciding => self.next_decider(event),
                DispatchPhase::Rechecking => self.next_recheck(event),
                DispatchPhase::Observing => self.next_observer(event),
                DispatchPhase::Done => return DriverAction::Done,
            };
            if let Some(next) = next {
                return next;
            }
        }
    }

    /// Takes a hook's answer, and how long it took where the caller measured it. An answer of a hook that was not asked
    /// is ignored, and so is a second one.
    pub fn answer(&mut self, id: HookId, said: HandlerResult, took: Option<Duration>) {
        let why = said.as_ref().err().and_then(|fault| fault.why_not());
        let reply = why.map_or(HookReply::Answer(said), HookReply::Skipped);
        self.receive(id, reply, took);
    }

    /// Takes the news that a hook was not asked after all, and why. Where the reason lies in the event's data
    /// ([`SkipReason::depends_on_input`]), the hook is asked again like the others if the data are rewritten.
    pub fn skip(&mut self, id: HookId, why: SkipReason) {
        self.receive(id, HookReply::Skipped(why), None);
    }

    /// Tells whether a hook that is being asked is asked again about a rewritten input.
    pub fn asked(&self, id: HookId) -> AskRound {
        let waiting = self.wave.iter().find(|waiting| waiting.hook == id.index());
        waiting.map_or(AskRound::First, |waiting| waiting.asked)
    }

    /// Ends the asking: the event's time is over. What was answered is folded, what was not has failed, and the dispatch
    /// is done. On a gate, a guard that has not seen the final input refuses, and an approval of another input
    /// is none.
    pub fn expire(&mut self, event: &mut Event) {
        for waiting in self.wave.iter_mut().filter(|waiting| waiting.is_open()) {
            waiting.reply = out_of_time();
        }
        for mut stale in self.fold_wave(event) {
            (stale.reply, stale.took) = (out_of_time(), None);
            self.fold_one(stale, event);
        }
        self.end_recheck(event);
        self.leave_rest(event);
        self.phase = DispatchPhase::Done;
    }

    /// Takes what all hooks said together, for a caller that wants nothing else.
    #[inline]
    pub fn take_result(&mut self) -> HookResult {
        // Looking first is cheaper than moving 32 bytes that were written a moment ago.
        if self.folded.is_identity() {
            return HookResult::proceed();
        }
        self.folded.effects.tidy();
        std::mem::take(&mut self.folded)
    }

    /// Ends, and says what it came to.
    #[inline]
    pub fn finish(mut self) -> DispatchOutcome {
        let notes = self.notes.take().map(|notes| *notes).unwrap_or_default();
        DispatchOutcome {
            result: self.take_result(),
            steps: notes.steps,
            remarks: notes.remarks,
        }
    }

    fn notes(&mut self) -> &mut StepNotes {
        self.notes.get_or_insert_default()
    }

    fn receive(&mut self, id: HookId, reply: HookReply, took: Option<Duration>) {
        let mut wave = self.wave.iter_mut();
        let waiting = wave.find(|waiting| waiting.hook == id.index());
        if let Some(waiting) = waiting.filter(|waiting| waiting.is_open()) {
            (waiting.reply, waiting.took) = (reply, took);
        }
    }

    #[inline]
    fn record(&mut self, asked: &AskedHook, became: StepOutcome) {
        if self.policy.record == StepRecording::Steps {
            self.notes().steps.push(Step {
                hook: HookId::at(asked.hook),
                became,
                again: asked.asked,
                took: asked.took,
            });
        }
    }
}

impl AskedHook {
    fn is_open(&self) -> bool {
        matches!(self.reply, HookReply::Nothing)
    }

    fn again(self) -> Self {
        Self {
            asked: AskRound::Again,
            reply: HookReply::Nothing,
            took: None,
            ..self
        }
    }
}

/// The failure of a hook that the event's time left no room for.
fn out_of_time() -> HookReply {
    let text = "the event's time was over before it answered";
    HookReply::Answer(Err(Box::new(Fault::new(FaultKind::OutOfTime, text))))
}
