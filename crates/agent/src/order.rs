//! The order of the events of a run: ours, and that of `ex_athena` (its facts A4, A5).
//!
//! The steps that only the original has are in `original`, so that the chapters of the loop tell of one order only.

use crate::outcome::Finish;

/// Where the two orders differ. Everything else is the same loop.
///
/// ```
/// use anyhook_agent::order::{ATHENA, CallOrder, OURS};
/// assert!(ATHENA.prompt_first && !OURS.prompt_first);
/// assert_eq!((OURS.calls, ATHENA.calls), (CallOrder::Ours, CallOrder::Original));
/// assert!(ATHENA.halt_is_heard("tool:pre") && !ATHENA.halt_is_heard("session:start"));
/// assert!(OURS.halt_is_heard("session:start"));
/// assert!(OURS.halts_through && !ATHENA.halts_through);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventOrder {
    /// Whether a prompt is submitted before its session starts.
    pub prompt_first: bool,
    /// What is asked before a call runs, and what is told of one that failed.
    pub calls: CallOrder,
    /// The events at which a halt ends the run; nothing is all of them.
    pub halts: Option<&'static [&'static str]>,
    /// Whether a halt of an agent ends the one that started it too. Where it does not, that one reads of a failure.
    pub halts_through: bool,
}

/// How calls are admitted and told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOrder {
    /// Hooks first, then the permissions, about the call as the hooks left it. If a person has to be asked, hooks are
    /// asked before (`approval:required`), and if no person can be asked the call is refused.
    Ours,
    /// The permissions first, about the call as the model wrote it; a call that has to be asked about runs if no person can
    /// be asked. One that failed has run all the same: `tool:post` follows `tool:error`.
    Original,
}

/// Our order: what a hook rewrote is what is asked about, and what is refused does not happen.
pub static OURS: EventOrder = EventOrder {
    prompt_first: false,
    calls: CallOrder::Ours,
    halts: None,
    halts_through: true,
};

/// The order of the original.
///
/// It changes no gate: what a hook may refuse it may refuse here too. The functions of a table of the original refuse
/// where they can there, because its own profile reads their returns so.
pub static ATHENA: EventOrder = EventOrder {
    prompt_first: true,
    calls: CallOrder::Original,
    halts: Some(&[
        "prompt:submit",
        "athena:pre-iteration",
        "athena:chat-params",
        "tool:pre",
        "tool:post",
    ]),
    halts_through: false,
};

impl EventOrder {
    /// Returns whether a halt at this event ends the run.
    pub fn halt_is_heard(&self, event: &str) -> bool {
        self.halts.is_none_or(|heard| heard.contains(&event))
    }

    /// Returns how the end of an agent ends the one that started it, if it does.
    pub(crate) fn ends_parent(&self, finish: &Finish) -> Option<Finish> {
        match finish {
            Finish::Halted(_) if self.halts_through => Some(finish.clone()),
            _ => None,
        }
    }
}
