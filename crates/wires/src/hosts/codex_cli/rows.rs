//! The rows of Codex CLI: the payload of each event, and the answers that it understands.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use crate::hosts::relative::row::{
    CALL, CONTEXT, Exit2, Form, HALTS, Halt, HostRow, ONLY_REFUSES, PROMPT, REFUSES, REWRITES,
    TELLS, Text,
};

const COMMAND: Duration = Duration::from_mins(10);

/// Hooks of these events have a second, and may be given three.
const SHORT: Duration = Duration::from_secs(1);

/// A system message and a text for the model.
const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..TELLS
};

const SESSION_START: Can = Can {
    inject: Some(CONTEXT),
    ..HALTS
};

const SUBMIT: Can = Can {
    inject: Some(CONTEXT),
    ..REFUSES
};

/// A refusal, or new arguments with an approval. An approval alone, a question and a stop are dropped, and the tool runs.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny],
    inject: Some(CONTEXT),
    ..REWRITES
};

/// A dialog is about to be shown: it can be answered, and nothing else.
const PERMISSION_REQUEST: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    ..TELLS
};

/// Another result, or a text beside it. A refusal comes too late: its word is the one for another result. So is the word
/// for a stop: 0.169.0 shows the model its reason in the place of the result, and goes on.
const POST_TOOL_USE: Can = Can {
    rewrite: &["tool_result"],
    ..INFORMS
};

const PRE_COMPACT: Can = Can {
    notify: TELLS.notify,
    ..ONLY_REFUSES
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, COMMAND)
}

/// A row of an event whose hooks have one second.
const fn short(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, SHORT)
}

/// Every event, in the order of the protocol page.
pub(super) static EVENTS: [HostRow; 14] = [
    row("SessionStart", "session:start", SESSION_START)
        .subject("source")
        .text(Text::Context),
    short("SessionEnd", "session:end", Can::NOTHING)
        .subject("reason")
        .since("0.145.0"),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::BlocksWithReason)
        .text(Text::Context),
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::BlocksWithReason)
        .halt(Halt::Rejected),
    row("PermissionRequest", "approval:required", PERMISSION_REQUEST)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Behavior, Exit2::BlocksWithReason)
        .halt(Halt::Rejected),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Result, Exit2::BlocksWithReason)
        .halt(Halt::Result),
    row("PreCompact", "context:pre_compact", PRE_COMPACT)
        .subject("trigger")
        .refused(Form::Stop, Exit2::Fails)
        .halt(Halt::Action),
    row("PostCompact", "context:post_compact", HALTS).subject("trigger"),
    row("SubagentStart", "agent:spawn", INFORMS)
        .subject("agent_type")
        .text(Text::Context),
    row("SubagentStop", "agent:complete", REFUSES)
        .subject("agent_type")
        .refused(Form::Block, Exit2::BlocksWithReason)
        .text(Text::Fails),
    row("Stop", "stop", REFUSES)
        .refused(Form::Block, Exit2::BlocksWithReason)
        .text(Text::Fails),
    short("Interrupt", "codex-cli:interrupt", TELLS).since("0.154.0"),
    // Nothing that a hook prints there does anything.
    row("PreModelRequest", "provider:request", Can::NOTHING).since("0.169.0"),
    row("PostModelRequest", "provider:response", Can::NOTHING).since("0.169.0"),
];
