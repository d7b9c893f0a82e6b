//! The order of the events of a run: ours, and that of `ex_athena` (its facts A4, A5).
//!
//! The steps that only the original has are in `original`, so that the chapters of the loop tell of one order only.

use crate::outcome::Finish;

/// Whose order the events of a run have. Everything else is the same loop.
///
/// | | ours | that of the original |
/// |---|---|---|
/// | the prompt | is submitted after the session starts | before |
/// | a call | is asked about as its hooks left it; if no person can be asked, it is refused | as the model wrote it; it runs |
/// | a call that failed | is told by `tool:error` | then by `tool:post` too: it has run all the same |
/// | a halt | ends the run at each event, and the agent that started it too | at some events; that one reads of a failure |
///
/// ```
/// use anyhook_agent::order::EventOrder;
/// assert!(EventOrder::Athena.halt_is_heard("tool:pre") && !EventOrder::Athena.halt_is_heard("session:start"));
/// assert!(EventOrder::Ours.halt_is_heard("session:start"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventOrder {
    /// Ours: what a hook rewrote is what is asked about, and what is refused does not happen. If a person has to be asked,
    /// hooks are asked before (`approval:required`).
    #[default]
    Ours,
    /// That of the original. It changes no gate: what a hook may refuse it may refuse here too. The functions of a table of
    /// the original refuse where they can there, because its own profile reads their returns so.
    Athena,
}

/// The events at which a halt ends a run of the original.
const HALTS: [&str; 5] = [
    "prompt:submit",
    "athena:pre-iteration",
    "athena:chat-params",
    "tool:pre",
    "tool:post",
];

impl EventOrder {
    /// Returns whether a halt at this event ends the run.
    pub fn halt_is_heard(self, event: &str) -> bool {
        match self {
            Self::Ours => true,
            Self::Athena => HALTS.contains(&event),
        }
    }

    /// Returns how the end of an agent ends the one that started it, if it does.
    pub(crate) fn ends_parent(self, finish: &Finish) -> Option<Finish> {
        match (self, finish) {
            (Self::Ours, Finish::Halted(_)) => Some(finish.clone()),
            _ => None,
        }
    }
}
