//! The failure of a hook: a fact for the report, never a crash of ours.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::asking::SkipReason;
use crate::words::words;

/// One failure of one hook.
///
/// ```
/// use anyhook_core::fault::{Fault, FaultKind};
///
/// let fault = Fault::new(FaultKind::ExitCode, "exit code 3 means nothing");
/// assert_eq!(fault.to_string(), "exit code 3 means nothing");
/// assert_eq!(serde_json::to_value(&fault).unwrap()["kind"], fault.kind.as_str());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{text}")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fault {
    /// What kind of failure it was.
    pub kind: FaultKind,
    /// What happened, in words for the hook's author: lowercase, no period.
    pub text: Box<str>,
    /// Why it was not asked at all, where that is no failure.
    #[serde(skip)]
    not_asked: Option<SkipReason>,
}

/// The kinds of failure.
///
/// ```
/// use anyhook_core::fault::FaultKind;
///
/// assert_eq!(FaultKind::TimedOut.as_str(), "timed_out");
/// // A hook that could not be shown the event has judged nothing.
/// assert!(FaultKind::UnusableValue.always_denies());
/// assert!(!FaultKind::TimedOut.always_denies());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The handler panicked.
    Panicked,
    /// The handler returned an error, or raised an exception.
    Errored,
    /// It ended with an exit code that means nothing.
    ExitCode,
    /// A signal ended it.
    Signal,
    /// It could not be started.
    NotStarted,
    /// Its deadline passed.
    TimedOut,
    /// It said something that no dialect understands.
    InvalidAnswer,
    /// Its entry in the manifest is broken.
    BadEntry,
    /// A value of the event that it uses cannot be handed to it.
    UnusableValue,
    /// The event's time was over before it was asked.
    OutOfTime,
    /// Handlers emitted events inside each other too deeply.
    TooDeep,
    /// What it said is longer than the session takes.
    OverLimit,
}

impl Fault {
    /// Makes a fault.
    pub fn new(kind: FaultKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into().into(),
            not_asked: None,
        }
    }

    /// Says that a hook does not look at an event, for a handler that carries out the hook of another program: the one that asks it
    /// records that it was not asked, and not that it failed.
    ///
    /// ```
    /// use anyhook_core::dispatch::{Dispatch, DriverAction, DispatchPolicy};
    /// use anyhook_core::event::Event;
    /// use anyhook_core::fault::Fault;
    /// use anyhook_core::hook::{Hook, Hooks};
    /// use anyhook_core::report::{StepOutcome, SkipReason};
    ///
    /// let hooks: Hooks = [Hook::on("tool:pre", |_: &Event| ()).guard()].into_iter().collect();
    /// let mut event = Event::new("tool:pre", serde_json::json!({}));
    /// let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
    /// if let DriverAction::Ask(id) = dispatch.next(&mut event) {
    ///     dispatch.answer(id, Err(Fault::not_asked(SkipReason::NoValue).into()), None);
    /// }
    /// assert!(matches!(dispatch.next(&mut event), DriverAction::Done));
    /// assert_eq!(dispatch.finish().steps[0].became, StepOutcome::NotAsked(SkipReason::NoValue));
    /// ```
    pub fn not_asked(why: SkipReason) -> Self {
        let fault = Self::new(FaultKind::NotStarted, "it was not asked");
        Self {
            not_asked: Some(why),
            ..fault
        }
    }

    /// Returns why it was not asked, where that is no failure.
    ///
    /// ```
    /// use anyhook_core::fault::Fault;
    /// use anyhook_core::report::SkipReason;
    /// assert_eq!(Fault::not_asked(SkipReason::Condition).why_not(), Some(SkipReason::Condition));
    /// ```
    pub fn why_not(&self) -> Option<SkipReason> {
        self.not_asked
    }

    /// Makes the fault of a handler that panicked, with the panic's own words where it has any.
    ///
    /// ```
    /// use anyhook_core::fault::{Fault, FaultKind};
    /// let fault = Fault::of_panic(&"no such table");
    /// assert_eq!(fault, Fault::new(FaultKind::Panicked, "the handler panicked: no such table"));
    /// ```
    pub fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let words = panic.downcast_ref::<&str>().copied();
        let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::new(
            FaultKind::Panicked,
            words.map_or_else(
                || "the handler panicked".to_owned(),
                |words| format!("the handler panicked: {words}"),
            ),
        )
    }
}

impl FaultKind {
    /// Tells whether this failure refuses a gate event whatever the hook's own rule says: the event itself holds
    /// something that the hook could not be shown.
    pub fn always_denies(self) -> bool {
        matches!(self, Self::UnusableValue)
    }
}

words!(FaultKind {
    Panicked = "panicked", Errored = "errored", ExitCode = "exit_code", Signal = "signal",
    NotStarted = "not_started", TimedOut = "timed_out", InvalidAnswer = "invalid_answer",
    BadEntry = "bad_entry", UnusableValue = "unusable_value", OutOfTime = "out_of_time",
    TooDeep = "too_deep", OverLimit = "over_limit"
});
