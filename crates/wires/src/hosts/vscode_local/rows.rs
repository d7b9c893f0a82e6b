//! The rows of VS Code: the payload of each event, and the answers that it understands.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling};
use anyhook_core::result::Kind;

use crate::hosts::relative::row::{CALL, CONTEXT, Exit2, Form, HALTS, HostRow, PROMPT, REFUSES};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..HALTS
};

/// That new arguments stand alone is not documented: they come with a permission.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Permission,
    ..INFORMS
};

/// The reason is added to the result of the tool; nothing replaces it.
const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..INFORMS
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_secs(30))
}

/// Every event, in the order of the host's own page; beside its name stands the one that Copilot's files have.
pub(super) static EVENTS: [HostRow; 8] = [
    row("SessionStart", "session:start", INFORMS)
        .also("sessionStart")
        .subject("source"),
    row("UserPromptSubmit", "prompt:submit", REFUSES)
        .also("userPromptSubmitted")
        .needs(PROMPT)
        .refused(Form::Exit2, Exit2::Blocks),
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .also("preToolUse")
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .also("postToolUse")
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("PreCompact", "context:pre_compact", REFUSES)
        .subject("trigger")
        .refused(Form::Exit2, Exit2::Blocks),
    row("SubagentStart", "agent:spawn", INFORMS).subject("agent_type"),
    row("SubagentStop", "agent:complete", REFUSES)
        .also("subagentStop")
        .subject("agent_type")
        .refused(Form::Twice, Exit2::Blocks),
    row("Stop", "stop", REFUSES)
        .also("agentStop")
        .refused(Form::Twice, Exit2::Blocks),
];
