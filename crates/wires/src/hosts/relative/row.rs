//! The shape of a row: the columns that every host has for an event, and how a host of the family is answered.

use std::time::Duration;

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, EventName};
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use crate::bare::bare;
use crate::payload::RequiredField;
use crate::{Neutral, tools};
pub(in crate::hosts) use common::*;

include!(concat!(env!("OUT_DIR"), "/common.rs"));

bare! {
    /// One event of a host.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use anyhook_wires::{HostRow, host};
    ///
    /// let HostRow { event, timeout, .. } = host("claude-code").unwrap().row("Stop").unwrap();
    /// assert_eq!(*event, "stop");
    /// assert!(*timeout >= Duration::from_secs(30));
    /// ```
    #[derive(Debug, Clone, Copy)]
    pub struct HostRow(name, event, can, timeout) {
        /// The host's own name, such as `PreToolUse`.
        pub name: &'static str = "",
        /// The canonical name, such as `tool:pre`.
        pub event: &'static str = "",
        /// What the host lets a hook say about it.
        pub can: Capabilities = Capabilities::NOTHING,
        /// How long the host waits for a hook before it goes on without.
        pub timeout: Duration = Duration::ZERO,
        /// The first version that has it, where not every version that is covered has it.
        pub since: Option<&'static str> = None,
        /// Other names that the host has for it, or had.
        pub(in crate::hosts) also: &'static [&'static str] = &[],
        /// The event that it is instead where the payload tells of a failure.
        pub(in crate::hosts) failed: Option<&'static str> = None,
        /// The field that matchers look at.
        pub(in crate::hosts) subject: Option<&'static str> = None,
        /// The fields without which a hook would decide about something that it cannot see.
        pub(in crate::hosts) needs: &'static [RequiredField] = &[],
        /// Fields with a name of their own: the host's, and the canonical one.
        pub(in crate::hosts) fields: &'static [(&'static str, &'static str)] = &[],
        /// A text that hooks look at, and this host does not say because it is always the same.
        pub(in crate::hosts) adds: Option<(&'static str, &'static str)> = None,
        /// The field that another program sends which goes by the name of the host, and what a hook may say to that one.
        pub(in crate::hosts) kit: Option<(&'static str, Capabilities)> = None,
        /// The tool that the event itself is about, where no field names it.
        pub(in crate::hosts) tool: Option<CalledTool> = None,
        /// How a refusal is said.
        pub(in crate::hosts) form: Form = Form::None,
        /// What exit code 2 of a hook means.
        pub(in crate::hosts) exit_2: Exit2Meaning = Exit2Meaning::Fails,
        /// What plain text of a hook is.
        pub(in crate::hosts) text: PlainTextMeaning = PlainTextMeaning::Ignored,
        /// What `continue: false` of a hook means, where we do not write it.
        pub(in crate::hosts) halt: HaltMeaning = HaltMeaning::Ignored,
        /// Where texts for the model stand.
        pub(in crate::hosts) speech: ContextDelivery = ContextDelivery::Context,
        /// What the payload must tell for all that the row says to hold.
        pub(in crate::hosts) only: &'static [RowCondition] = &[],
        /// The later events of the same call that can put a question: what the tool's name begins with, and the event.
        pub(in crate::hosts) again: &'static [(&'static str, &'static str)] = &[],
        /// Whether the model reads the reason of a permission besides the person.
        pub(in crate::hosts) tells_model: bool = false,
        /// The answers that only this event of this host has.
        pub(in crate::hosts) natives: &'static [&'static str] = &[],
    }
}

/// The tool that an event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum CalledTool {
    /// One of the host's own, and then a tool of the global table that stands for the same ones.
    Own(&'static str, &'static str),
    /// One of the host's own; these fields of the payload are its arguments.
    Lifted(&'static str, &'static [&'static str]),
    /// A server's.
    Served,
}

impl CalledTool {
    /// Tells whether a tool, by its canonical name, is this one.
    fn fits(self, tool: Option<&str>) -> bool {
        tool.is_some_and(|tool| match self {
            Self::Own(name, like) => {
                name == tool || tools::canonical(name) == tool || tools::also(like).contains(&tool)
            }
            Self::Lifted(name, _) => tools::canonical(name) == tool,
            Self::Served => tool.starts_with("mcp__"),
        })
    }
}

/// The form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum Form {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// `hookSpecificOutput.permissionDecision`, with the reason beside `hookSpecificOutput`.
    Switch,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `behavior` and `message`, with no `decision` around them; a refusal that stops the agent has `interrupt` beside it.
    Answer,
    /// `decision`, with a word for a question too.
    Decision,
    /// `decision: continue`, where the agent wanted to end.
    GoesOn,
    /// `decision: block`.
    Block,
    /// `decision: block`, there and in `hookSpecificOutput`.
    Twice,
    /// `decision: block` with a reason that takes the place of the tool's result. It is how a result is rewritten, and
    /// no way to say something about one.
    Result,
    /// `continue: false`.
    Stop,
    /// `permission`, with the reason in messages; there is always one.
    Permit,
    /// `continue`, with the reason in a message; there is always one.
    Continue,
    /// `followup_message`, with which an agent goes on that wanted to end.
    FollowUp,
    /// `cancel`, which is said in every answer, and `errorMessage`.
    Cancel,
    /// Exit code 2, with the reason on the standard error.
    Exit2,
    /// There is none.
    None,
}

/// What exit code 2 of a hook means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum Exit2Meaning {
    /// A refusal.
    Blocks,
    /// It refuses, and so does every other code but 0, and a hook that cannot start.
    BlocksAtEveryCode,
    /// A refusal, if there is a reason on the standard error; else a failure.
    BlocksWithReason,
    /// A refusal, unless the shell says that the script is missing: some leave with 2 for that.
    BlocksIfFound,
    /// Its standard error is shown to the person.
    Tells,
    /// Its standard output is a text for the model.
    Context,
    /// A failure.
    Fails,
}

/// What plain text of a hook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum PlainTextMeaning {
    /// A text for the model.
    Context,
    /// The same, also where it is JSON, on an event that has such texts; else nothing.
    AsIs,
    /// Nothing.
    Ignored,
    /// A failure.
    Fails,
    /// What the event is for: it fails without one.
    Wanted,
}

/// Where texts for the model stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum ContextDelivery {
    /// In `additionalContext`.
    Context,
    /// In `additionalContext`, and the agent goes on although it wanted to end: a hook that says it refuses the end, and
    /// a text that is only to be told waits.
    SendsOn,
}

/// What the payload must tell for all that a row says to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum RowCondition {
    /// With this value of a field nothing can be refused.
    Unless(&'static str, &'static str),
    /// With another value of a field nothing can be refused.
    If(&'static str, &'static str),
    /// From this number in a field on nothing can be refused.
    Below(&'static str, u64),
    /// A result is replaced for the tool of a server only.
    Served,
    /// Up to this version, which a field tells, no text reaches the model.
    After(&'static str, u64, u64),
}

/// What `continue: false` of a hook means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hosts) enum HaltMeaning {
    /// The agent stops.
    Agent,
    /// What was announced does not happen.
    Action,
    /// Its reason takes the place of the tool's result, and the agent goes on.
    Result,
    /// Nothing.
    Ignored,
    /// The host drops the whole answer. A hook that wants a stop has one here.
    Rejected,
}

impl HostRow {
    /// Tells whether it is the row of this event.
    pub(super) fn is(&self, event: &EventName) -> bool {
        let name = event.as_str();
        self.event == name || self.failed == Some(name)
    }

    /// Tells whether it can be about a tool of this canonical name.
    pub(super) fn fits(&self, tool: Option<&str>) -> bool {
        self.tool.is_none_or(|own| own.fits(tool))
    }

    /// Returns what the host does when a hook has nothing to say: an event that is answered with a permission has no neutral
    /// answer.
    pub const fn neutral(&self) -> Neutral {
        match self.form {
            Form::Permit => Neutral::Allow,
            _ => Neutral::Silent,
        }
    }

    /// Tells whether the agent waits at this event to hear whether it may go on.
    pub(crate) fn is_gate(&self) -> bool {
        EventName::new(self.event).class() == Class::Gate
    }

    /// Returns what this very event lets a hook say: the row, narrowed by what the payload tells.
    pub(super) fn can_on(&self, event: &Event) -> Capabilities {
        let kit = self.kit.filter(|(field, _)| event.get(field).is_some());
        let mut can = kit.map_or(self.can, |(_, can)| can);
        for only in self.only {
            let is_missing = match *only {
                RowCondition::Unless(field, value) => says(event, field, value),
                RowCondition::If(field, value) => !says(event, field, value),
                RowCondition::Below(field, limit) => {
                    event.get(field).and_then(|count| count.as_u64()) >= Some(limit)
                }
                RowCondition::Served => !is_served(event),
                RowCondition::After(field, major, minor) => is_up_to(event, field, (major, minor)),
            };
            match only {
                _ if !is_missing => {}
                RowCondition::Unless(..) | RowCondition::If(..) | RowCondition::Below(..) => {
                    can.verdicts = &[];
                }
                RowCondition::Served => can.rewrite = &[],
                RowCondition::After(..) => can.inject = None,
            }
        }
        can
    }

    /// Returns what `continue: false` of a hook means. Where we write it, the agent stops.
    pub(super) fn halting(&self) -> HaltMeaning {
        if self.can.says(Kind::Halt) {
            return HaltMeaning::Agent;
        }
        self.halt
    }
}

/// Tells whether the tool of an event is a server's.
pub(in crate::hosts) fn is_served(event: &Event) -> bool {
    let tool = event.text("tool_name");
    tool.is_some_and(|tool| tool.starts_with("mcp__"))
}

/// Tells whether the host says that it is of this version or an older one.
fn is_up_to(event: &Event, field: &str, version: (u64, u64)) -> bool {
    let said = event.text(field);
    let mut parts = said.iter().flat_map(|said| said.split('.'));
    let mut next = || parts.next()?.parse::<u64>().ok();
    next().zip(next()).is_some_and(|said| said <= version)
}

/// Tells whether a field of an event has a value.
fn says(event: &Event, field: &str, value: &str) -> bool {
    event.data.json().get(field).and_then(Value::as_str) == Some(value)
}
