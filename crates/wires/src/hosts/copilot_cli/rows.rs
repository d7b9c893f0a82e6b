//! What Copilot says about each of its events, and what it lets a hook say.

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown, Texts};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use super::ID;
use super::row::{Exit2, Form, Row, row};
use crate::payload::Need;

/// Copilot has one way to tell the model something: a text beside the event. It knows no roles and no places.
const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::Yes,
};

/// A text for the model, and nothing else: there is no message to the person in an answer.
const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

/// A warning to the person, by exit code 2.
const WARNS: Can = Can {
    notify: Shown::Yes,
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
    inject: Some(Manner {
        when_refused: Shown::No,
        ..CONTEXT
    }),
    native: &[ID],
    ..Can::NOTHING
};

const STOP: Can = Can {
    verdicts: &[Kind::Deny],
    ..Can::NOTHING
};

const SUBAGENT_STOP: Can = Can {
    native: &[ID],
    ..STOP
};

const TOOL: &[Need] = &[Need::Text("tool_name"), Need::Object("tool_input")];

pub(in crate::hosts) const SESSION_START: Row = row("sessionStart", "session:start", INFORMS)
    .pascal("SessionStart")
    .subject("source")
    .since("0.0.396");

pub(in crate::hosts) const SESSION_END: Row = row("sessionEnd", "session:end", WARNS)
    .pascal("SessionEnd")
    .subject("reason")
    .since("0.0.396");

pub(in crate::hosts) const USER_PROMPT_SUBMITTED: Row =
    row("userPromptSubmitted", "prompt:submit", WARNS)
        .pascal("UserPromptSubmit")
        .needs(&[Need::Text("prompt")])
        .since("0.0.396");

pub(in crate::hosts) const USER_PROMPT_TRANSFORMED: Row = row(
    "userPromptTransformed",
    "copilot-cli:user-prompt-transformed",
    ANSWERS,
)
.only(&["modifiedTransformedPrompt"])
.since("1.0.51");

pub(in crate::hosts) const PRE_TOOL_USE_ROW: Row = row("preToolUse", "tool:pre", PRE_TOOL_USE)
    .pascal("PreToolUse")
    .subject("tool_name")
    .needs(TOOL)
    .form(Form::Permission, Exit2::Refuses)
    .since("0.0.396");

/// It cannot refuse; the same call came as `preToolUse` before.
pub(in crate::hosts) const PRE_MCP_TOOL_CALL: Row =
    row("preMcpToolCall", "copilot-cli:pre-mcp-tool-call", ANSWERS)
        .subject("tool_name")
        .only(&["metaToUse"])
        .since("1.0.51");

pub(in crate::hosts) const POST_TOOL_USE_ROW: Row = row("postToolUse", "tool:post", POST_TOOL_USE)
    .pascal("PostToolUse")
    .subject("tool_name")
    .since("0.0.396");

pub(in crate::hosts) const POST_TOOL_USE_FAILURE: Row =
    row("postToolUseFailure", "tool:error", INFORMS)
        .pascal("PostToolUseFailure")
        .subject("tool_name")
        .form(Form::None, Exit2::Tells)
        .since("1.0.15");

pub(in crate::hosts) const PERMISSION_REQUEST_ROW: Row = Row {
    arguments: &["toolInput", "toolArgs"],
    ..row("permissionRequest", "approval:required", PERMISSION_REQUEST)
        .pascal("PermissionRequest")
        .subject("tool_name")
        .needs(TOOL)
        .form(Form::Behavior, Exit2::Refuses)
        .only(&["interrupt"])
        .since("1.0.16")
};

/// Exit code 2 is a warning here: a refusal is JSON or none.
pub(in crate::hosts) const AGENT_STOP: Row = row("agentStop", "stop", STOP)
    .pascal("Stop")
    .form(Form::Block, Exit2::Warns)
    .since("0.0.401");

pub(in crate::hosts) const SUBAGENT_START: Row = row("subagentStart", "agent:spawn", INFORMS)
    .subject("agent_name")
    .since("1.0.7");

pub(in crate::hosts) const SUBAGENT_STOP_ROW: Row =
    row("subagentStop", "agent:complete", SUBAGENT_STOP)
        .pascal("SubagentStop")
        .subject("agent_name")
        .form(Form::Block, Exit2::Warns)
        .only(&["modifiedResponse"])
        .since("0.0.401");

pub(in crate::hosts) const ERROR_OCCURRED: Row =
    row("errorOccurred", "copilot-cli:error-occurred", WARNS)
        .pascal("ErrorOccurred")
        .since("0.0.396");

pub(in crate::hosts) const PRE_COMPACT: Row = row("preCompact", "context:pre_compact", WARNS)
    .pascal("PreCompact")
    .subject("trigger")
    .since("1.0.5");

/// A text for the model can wake an idle session here, so none is said.
pub(in crate::hosts) const NOTIFICATION: Row =
    row("notification", "user:notification", Can::NOTHING)
        .subject("notification_type")
        .since("1.0.18");

/// Every event of the terminal, with what 1.0.102 was seen to hear there, in the order of the host's own reference.
pub(super) static EVENTS: [Row; 15] = [
    SESSION_START.can(INFORMS_AND_WARNS),
    SESSION_END,
    USER_PROMPT_SUBMITTED
        .can(PROMPT_SEEN)
        .form(Form::Block, Exit2::Warns)
        .only(&["modifiedTransformedPrompt"]),
    USER_PROMPT_TRANSFORMED,
    PRE_TOOL_USE_ROW,
    PRE_MCP_TOOL_CALL,
    POST_TOOL_USE_ROW
        .can(POST_TOOL_USE_SEEN)
        .form(Form::Block, Exit2::Warns),
    POST_TOOL_USE_FAILURE,
    PERMISSION_REQUEST_ROW,
    AGENT_STOP,
    SUBAGENT_START,
    SUBAGENT_STOP_ROW,
    ERROR_OCCURRED,
    PRE_COMPACT,
    NOTIFICATION,
];
