//! The rows of Copilot: the payload of each event, and the answers that it understands.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Shown, Texts};
use anyhook_core::result::Kind;

use super::ID;
use crate::hosts::relative::row::{
    CALL, CONTEXT, Exit2, Form, HostRow, ONLY_REFUSES, PROMPT, TELLS, UNLESS_REFUSED,
};

/// How long the host waits for a hook; its settings count in seconds (`timeoutSec`).
const TIMEOUT: Duration = Duration::from_secs(30);

/// A text for the model, and nothing else: there is no message to the person in an answer.
const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

/// An answer of its own, and nothing else.
const ANSWERS: Can = Can {
    native: &[ID],
    ..Can::NOTHING
};

/// New arguments stand alone: without a decision the host still puts its own prompt.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny],
    rewrite: &["tool_input"],
    coupling: Coupling::Free,
    inject: Some(CONTEXT),
    notify: Shown::No,
    native: &[],
    later: Later::Never,
    texts: Texts::Beside,
};

/// It comes before every call, whether a person would be asked or not, so that silence asks no person: a question is a
/// refusal. A refusal that interrupts ends the turn.
const PERMISSION_REQUEST: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny, Kind::Halt],
    native: &[ID],
    ..Can::NOTHING
};

const POST_TOOL_USE: Can = Can {
    rewrite: &["tool_result"],
    ..INFORMS
};

/// A text for the model, and beside it a warning to the person: of exit code 2 both are read.
const INFORMS_AND_WARNS: Can = Can {
    notify: Shown::Yes,
    ..INFORMS
};

/// A tool that has run: a refusal tells the model why. Whether a new result beside a warning is taken was not tried, so
/// there is none.
const POST_TOOL_USE_SEEN: Can = Can {
    verdicts: &[Kind::Deny],
    ..POST_TOOL_USE
};

/// A prompt: a refused one makes no request, so that only the reason is shown. Whether a refusal beside a
/// warning holds was not tried, so there is none.
const PROMPT_SEEN: Can = Can {
    verdicts: &[Kind::Deny],
    rewrite: &["prompt"],
    inject: Some(UNLESS_REFUSED),
    native: &[ID],
    ..Can::NOTHING
};

const SUBAGENT_STOP: Can = Can {
    native: &[ID],
    ..ONLY_REFUSES
};

/// A row; exit code 2 of its hooks is a warning.
const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, TIMEOUT).refused(Form::None, Exit2::Tells)
}

/// The same event where no person watches: no person can be asked, and none reads a warning. Since when it is there is not known.
pub(in crate::hosts) const fn unwatched(row: &HostRow) -> HostRow {
    let can = row.native.can;
    let verdicts = match row.form {
        Form::Permission => &[Kind::Allow, Kind::Deny],
        _ => can.verdicts,
    };
    let can = Can {
        verdicts,
        notify: Shown::No,
        later: Later::Never,
        ..can
    };
    HostRow {
        since: None,
        ..row.can_say(can)
    }
}

pub(in crate::hosts) const SESSION_START: HostRow = row("sessionStart", "session:start", INFORMS)
    .also("SessionStart")
    .subject("source")
    .since("0.0.396");

pub(in crate::hosts) const SESSION_END: HostRow = row("sessionEnd", "session:end", TELLS)
    .also("SessionEnd")
    .subject("reason")
    .since("0.0.396");

pub(in crate::hosts) const USER_PROMPT_SUBMITTED: HostRow =
    row("userPromptSubmitted", "prompt:submit", TELLS)
        .also("UserPromptSubmit")
        .needs(PROMPT)
        .since("0.0.396");

pub(in crate::hosts) const USER_PROMPT_TRANSFORMED: HostRow = row(
    "userPromptTransformed",
    "copilot-cli:user-prompt-transformed",
    ANSWERS,
)
.natives(&["modifiedTransformedPrompt"])
.since("1.0.51");

pub(in crate::hosts) const PRE_TOOL_USE_ROW: HostRow = row("preToolUse", "tool:pre", PRE_TOOL_USE)
    .also("PreToolUse")
    .subject("tool_name")
    .needs(CALL)
    .refused(Form::Permission, Exit2::Blocks)
    .since("0.0.396");

/// It cannot refuse; the same call came as `preToolUse` before.
pub(in crate::hosts) const PRE_MCP_TOOL_CALL: HostRow =
    row("preMcpToolCall", "copilot-cli:pre-mcp-tool-call", ANSWERS)
        .subject("tool_name")
        .natives(&["metaToUse"])
        .since("1.0.51");

pub(in crate::hosts) const POST_TOOL_USE_ROW: HostRow =
    row("postToolUse", "tool:post", POST_TOOL_USE)
        .also("PostToolUse")
        .subject("tool_name")
        .since("0.0.396");

pub(in crate::hosts) const POST_TOOL_USE_FAILURE: HostRow =
    row("postToolUseFailure", "tool:error", INFORMS)
        .also("PostToolUseFailure")
        .subject("tool_name")
        .refused(Form::None, Exit2::Context)
        .since("1.0.15");

pub(in crate::hosts) const PERMISSION_REQUEST_ROW: HostRow =
    row("permissionRequest", "approval:required", PERMISSION_REQUEST)
        .also("PermissionRequest")
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Answer, Exit2::Blocks)
        .natives(&["interrupt"])
        .since("1.0.16");

/// Exit code 2 is a warning here: a refusal is JSON or none.
pub(in crate::hosts) const AGENT_STOP: HostRow = row("agentStop", "stop", ONLY_REFUSES)
    .also("Stop")
    .refused(Form::Block, Exit2::Tells)
    .since("0.0.401");

pub(in crate::hosts) const SUBAGENT_START: HostRow = row("subagentStart", "agent:spawn", INFORMS)
    .subject("agent_name")
    .since("1.0.7");

pub(in crate::hosts) const SUBAGENT_STOP_ROW: HostRow =
    row("subagentStop", "agent:complete", SUBAGENT_STOP)
        .also("SubagentStop")
        .subject("agent_name")
        .refused(Form::Block, Exit2::Tells)
        .natives(&["modifiedResponse"])
        .since("0.0.401");

pub(in crate::hosts) const ERROR_OCCURRED: HostRow =
    row("errorOccurred", "copilot-cli:error-occurred", TELLS)
        .also("ErrorOccurred")
        .since("0.0.396");

pub(in crate::hosts) const PRE_COMPACT: HostRow = row("preCompact", "context:pre_compact", TELLS)
    .also("PreCompact")
    .subject("trigger")
    .since("1.0.5");

/// A text for the model can wake an idle session here, so none is said.
pub(in crate::hosts) const NOTIFICATION: HostRow =
    row("notification", "user:notification", Can::NOTHING)
        .subject("notification_type")
        .since("1.0.18");

/// Every event of the terminal, with what 1.0.102 was seen to hear there, in the order of the host's own reference.
pub(super) static EVENTS: [HostRow; 15] = [
    SESSION_START.can_say(INFORMS_AND_WARNS),
    SESSION_END,
    USER_PROMPT_SUBMITTED
        .can_say(PROMPT_SEEN)
        .refused(Form::Block, Exit2::Tells)
        .natives(&["modifiedTransformedPrompt"]),
    USER_PROMPT_TRANSFORMED,
    PRE_TOOL_USE_ROW,
    PRE_MCP_TOOL_CALL,
    POST_TOOL_USE_ROW
        .can_say(POST_TOOL_USE_SEEN)
        .refused(Form::Block, Exit2::Tells),
    POST_TOOL_USE_FAILURE,
    PERMISSION_REQUEST_ROW,
    AGENT_STOP,
    SUBAGENT_START,
    SUBAGENT_STOP_ROW,
    ERROR_OCCURRED,
    PRE_COMPACT,
    NOTIFICATION,
];
