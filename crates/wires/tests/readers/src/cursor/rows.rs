//! The table: one row for each event of the protocol page, in its order.

use super::{PERSON, REFUSED};
use crate::Gate;

/// What one event honours.
pub(super) struct Row {
    pub(super) event: &'static str,
    pub(super) power: Power,
    /// What `permission: ask` does.
    pub(super) ask: Gate,
    /// The fields of an answer that count.
    pub(super) fields: &'static [&'static str],
    /// Whether some versions drop the context.
    pub(super) drops_context: bool,
}

/// How an answer decides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Power {
    /// `permission`, one of these words.
    Permission(&'static [&'static str]),
    /// `continue`.
    Continue,
    /// `followup_message`.
    FollowUp(FollowUp),
    /// Not at all.
    Nothing,
}

impl Power {
    pub(super) fn is_gate(self) -> bool {
        matches!(self, Self::Permission(_) | Self::Continue)
    }
}

/// When a follow-up counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowUp {
    Always,
    Completed,
}

/// Finds the row of a native event; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event)
}

const THREE: &[&str] = &["allow", "deny", "ask"];
const TWO: &[&str] = &["allow", "deny"];

const fn after(event: &'static str, fields: &'static [&'static str]) -> Row {
    Row {
        event,
        power: Power::Nothing,
        ask: Gate::Runs,
        fields,
        drops_context: false,
    }
}

const fn gate(
    event: &'static str,
    words: &'static [&'static str],
    ask: Gate,
    fields: &'static [&'static str],
) -> Row {
    Row {
        power: Power::Permission(words),
        ask,
        ..after(event, fields)
    }
}

const fn end(event: &'static str, when: FollowUp) -> Row {
    Row {
        power: Power::FollowUp(when),
        ..after(event, &["followup_message"])
    }
}

static ROWS: &[Row] = &[
    Row {
        drops_context: true,
        ..after("sessionStart", &["env", "additional_context"])
    },
    after("sessionEnd", &[]),
    gate(
        "preToolUse",
        THREE,
        Gate::Runs,
        &[
            "permission",
            "user_message",
            "agent_message",
            "updated_input",
        ],
    ),
    after(
        "postToolUse",
        &["updated_mcp_tool_output", "additional_context"],
    ),
    after("postToolUseFailure", &[]),
    gate(
        "subagentStart",
        THREE,
        REFUSED,
        &["permission", "user_message"],
    ),
    end("subagentStop", FollowUp::Completed),
    gate(
        "beforeShellExecution",
        THREE,
        PERSON,
        &["permission", "user_message", "agent_message"],
    ),
    after("afterShellExecution", &[]),
    gate(
        "beforeMCPExecution",
        THREE,
        PERSON,
        &["permission", "user_message", "agent_message"],
    ),
    after("afterMCPExecution", &[]),
    gate(
        "beforeReadFile",
        TWO,
        Gate::Runs,
        &["permission", "user_message"],
    ),
    after("afterFileEdit", &[]),
    Row {
        power: Power::Continue,
        ..after("beforeSubmitPrompt", &["continue", "user_message"])
    },
    after("preCompact", &["user_message"]),
    end("stop", FollowUp::Always),
    after("afterAgentResponse", &[]),
    after("afterAgentThought", &[]),
    gate("beforeTabFileRead", TWO, Gate::Runs, &["permission"]),
    after("afterTabFileEdit", &[]),
    after("workspaceOpen", &["pluginPaths"]),
];
