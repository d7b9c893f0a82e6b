//! The report: everything that happened at one event. Audit, `explain`, `why`, tests and replay read only this.
//!
//! ```
//! use anyhook_core::dispatch::{Dispatch, DriverAction, DispatchPolicy};
//! use anyhook_core::event::Event;
//! use anyhook_core::fault::{Fault, FaultKind};
//! use anyhook_core::hook::{Hook, Hooks};
//! use anyhook_core::report::{AskRound, StepOutcome, Heading, Report, Step, VERSION, SkipReason};
//! use anyhook_core::result::{HookId, HookResult, Kind};
//! use serde_json::json;
//!
//! let hook = |name| Hook::in_process("tool:pre", name, |_: &Event| ());
//! let hooks: Hooks = [hook("lint"), hook("secrets"), hook("late")].into_iter().collect();
//! let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
//!
//! let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
//! while let DriverAction::Ask(id) = dispatch.next(&mut event) {
//!     dispatch.answer(id, match id {
//!         HookId(0) => Err(Box::new(Fault::new(FaultKind::Errored, "no linter here"))),
//!         _ => Ok(HookResult::deny("`.env` holds secrets")),
//!     }, None);
//! }
//! let finished = dispatch.finish();
//! let report = Report {
//!     version: VERSION,
//!     id: "k3f9".into(),
//!     parent: None,
//!     at: None,
//!     event: Heading::from(&event),
//!     result: finished.result,
//!     said: None,
//!     hooks: hooks.roster().clone(),
//!     steps: finished.steps,
//!     losses: Vec::new(),
//!     remarks: finished.remarks,
//!     audit: Vec::new(),
//!     took: None,
//!     action: None,
//! };
//!
//! // Who decided, who failed, and who was not heard:
//! assert_eq!(report.decided_by(), Some(HookId(1)));
//! assert_eq!(&*report.hook(HookId(1)).unwrap().name, "secrets");
//! let (failed, fault) = report.faults().next().unwrap();
//! assert_eq!((failed, fault.kind), (HookId(0), FaultKind::Errored));
//! let StepOutcome::Failed { verdict, .. } = report.steps[0].became else { panic!() };
//! assert_eq!(verdict, Kind::Continue, "which its own rule made of it");
//! assert_eq!(report.steps[2], Step {
//!     hook: HookId(2),
//!     became: StepOutcome::NotAsked(SkipReason::Decided),
//!     again: AskRound::First,
//!     took: None,
//! });
//! ```

mod action;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::asking::{AskRound, SkipReason};
use crate::event::{Event, EventName};
use crate::fault::Fault;
use crate::fit::Loss;
use crate::hook::{HookInfo, is_default};
use crate::id::HookId;
use crate::result::{HookResult, Kind};
pub use action::{ActionRecord, Outcome, TranscriptEntry};

/// The version of the report's JSON.
pub const VERSION: u32 = 1;

/// What became of one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// A short id, given by the program at the edge; `why` finds the report by it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub id: Box<str>,
    /// The report of the event that started it, where it is about a hook in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<str>>,
    /// When it began: milliseconds since 1970, given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// What was asked about.
    pub event: Heading,
    /// What all hooks said together, before it was fitted to the host.
    pub result: HookResult,
    /// What was said to the host, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<HookResult>,
    /// The hooks; steps and provenance name them by their place here.
    pub hooks: Arc<[Arc<HookInfo>]>,
    /// What happened to each hook, in order.
    pub steps: Vec<Step>,
    /// What could not be said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
    /// What else a reader should know, such as a manifest that is not trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Box<str>>,
    /// The audit events about what was done with texts for the model, in order: delivered, cut, over the budget, refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<AuditEvent>,
    /// How long all of it took; in JSON whole microseconds.
    #[serde(
        rename = "took_us",
        default,
        with = "micros",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub took: Option<Duration>,
    /// What was decided about; nothing where only the decision is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Box<ActionRecord>>,
}

/// An audit event, as hooks on it read it; nothing of the event's payload is in it.
///
/// ```
/// use anyhook_core::report::AuditEvent;
/// use serde_json::json;
///
/// let told = AuditEvent::new("policy:violation", json!({"policy": "session.injection_size_limit"}));
/// assert_eq!(told.event.as_str(), "policy:violation");
/// assert_eq!(told.data["policy"], "session.injection_size_limit");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AuditEvent {
    /// The event's canonical name.
    pub event: EventName,
    /// Its data.
    pub data: Value,
}

impl AuditEvent {
    /// Makes one.
    pub fn new(event: &str, data: Value) -> Self {
        Self {
            event: EventName::new(event),
            data,
        }
    }
}

/// What a report is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Heading {
    /// The canonical name.
    pub name: EventName,
    /// The host's id; empty for an event of this process.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub host: Box<str>,
    /// The host's own name for the event.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub native: Box<str>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<str>>,
    /// What matchers looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Box<str>>,
}

impl From<&Event> for Heading {
    fn from(event: &Event) -> Self {
        let origin = event.origin.as_deref();
        Self {
            name: event.name.clone(),
            host: origin.map(|o| Box::from(&*o.host)).unwrap_or_default(),
            native: origin.map(|o| o.native.clone()).unwrap_or_default(),
            session: event.session().map(Box::from),
            subject: event.subject.clone(),
        }
    }
}

/// What happened to one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// The hook.
    pub hook: HookId,
    /// What became of it.
    pub became: StepOutcome,
    /// Whether it was asked a second time about a rewritten input.
    #[serde(rename = "asked", default, skip_serializing_if = "is_default")]
    pub again: AskRound,
    /// How long it took, where the caller measured it; in JSON whole microseconds.
    #[serde(
        rename = "took_us",
        default,
        with = "micros",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub took: Option<Duration>,
}

/// What became of asking one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// It answered; nothing means that it had nothing to say.
    Said(Option<Box<HookResult>>),
    /// It answered, and its answer does not count.
    Would(Box<HookResult>),
    /// It failed, and its rule made this of the action.
    Failed {
        /// The failure.
        fault: Box<Fault>,
        /// What its rule made of it.
        verdict: Kind,
    },
    /// It was not asked.
    NotAsked(SkipReason),
}

impl Report {
    /// Makes one about an event of which nothing came yet.
    pub fn about(event: Heading) -> Self {
        Self {
            version: VERSION,
            id: Box::default(),
            parent: None,
            at: None,
            event,
            result: HookResult::default(),
            said: None,
            hooks: Arc::default(),
            steps: Vec::new(),
            losses: Vec::new(),
            remarks: Vec::new(),
            audit: Vec::new(),
            took: None,
            action: None,
        }
    }

    /// Returns who a hook is.
    pub fn hook(&self, id: HookId) -> Option<&HookInfo> {
        self.hooks.get(id.index()).map(Arc::as_ref)
    }

    /// Returns the failures, with the hook of each.
    pub fn faults(&self) -> impl Iterator<Item = (HookId, &Fault)> {
        self.steps.iter().filter_map(|step| match &step.became {
            StepOutcome::Failed { fault, .. } => Some((step.hook, &**fault)),
            StepOutcome::Said(_) | StepOutcome::Would(_) | StepOutcome::NotAsked(_) => None,
        })
    }

    /// Returns what the host was told: what the hooks said, as far as it could be said there.
    pub fn answer(&self) -> &HookResult {
        self.said.as_ref().unwrap_or(&self.result)
    }

    /// Returns where the event was imported from, if it was.
    pub fn imported(&self) -> Option<&TranscriptEntry> {
        self.action.as_ref()?.imported.as_ref()
    }

    /// Returns the hook that leads the verdict, if a hook does.
    pub fn decided_by(&self) -> Option<HookId> {
        let verdict = &self.result.verdict;
        let reason = verdict.reasons().iter().find_map(|reason| reason.by);
        reason.or_else(|| verdict.questions().iter().find_map(|question| question.by))
    }
}

mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.serialize_u64(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(Duration::from_micros))
    }
}
