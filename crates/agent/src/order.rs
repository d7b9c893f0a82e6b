//! In which order the events of a run happen: ours, and that of `ex_athena` (its facts A4, A5).

/// Where the two orders differ. Everything else is the same loop.
///
/// ```
/// use anyhook_agent::order::{ATHENA, OURS};
/// assert!(ATHENA.prompt_first && !OURS.prompt_first);
/// assert!(ATHENA.halt_is_heard("tool:pre") && !ATHENA.halt_is_heard("session:start"));
/// assert!(OURS.halt_is_heard("session:start"));
/// assert!(OURS.halts_through && !ATHENA.halts_through);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Whether a prompt is submitted before its session starts.
    pub prompt_first: bool,
    /// Whether the permissions are asked before the hooks of a call, about the call as the model wrote it.
    pub permissions_first: bool,
    /// Whether `approval:required` happens before somebody is asked for a permission.
    pub asks_hooks_for_permission: bool,
    /// Whether a call that has to be asked about runs where nobody can be asked.
    pub unasked_runs: bool,
    /// Whether a failed call has run all the same: `tool:post` follows `tool:error`.
    pub failures_have_run: bool,
    /// The events at which a halt ends the run; nothing is all of them.
    pub halts: Option<&'static [&'static str]>,
    /// Whether a halt of an agent ends the one that started it too. Where it does not, that one reads of a failure.
    pub halts_through: bool,
}

/// Our order: what a hook rewrote is what is asked about, and what is refused does not happen.
pub static OURS: Order = Order {
    prompt_first: false,
    permissions_first: false,
    asks_hooks_for_permission: true,
    unasked_runs: false,
    failures_have_run: false,
    halts: None,
    halts_through: true,
};

/// The order of the original.
///
/// It changes no gate: what a hook may refuse it may refuse here too. The functions of a table of the original refuse
/// where they can there, because its own profile reads their returns so.
pub static ATHENA: Order = Order {
    prompt_first: true,
    permissions_first: true,
    asks_hooks_for_permission: false,
    unasked_runs: true,
    failures_have_run: true,
    halts: Some(&[
        "prompt:submit",
        "athena:pre-iteration",
        "athena:chat-params",
        "tool:pre",
        "tool:post",
    ]),
    halts_through: false,
};

impl Order {
    /// Returns whether a halt at this event ends the run.
    pub fn halt_is_heard(&self, event: &str) -> bool {
        self.halts.is_none_or(|heard| heard.contains(&event))
    }
}
