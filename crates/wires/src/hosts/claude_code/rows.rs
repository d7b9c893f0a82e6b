//! What Claude Code says about each of its events, and what it lets a hook say.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown, Texts};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use super::row::{Form, Row, row};
use crate::NativeEvent;
use crate::payload::Need;

const SHORT: Duration = Duration::from_secs(30);

/// Claude Code has one way to tell the model something: a text beside the event. It knows no roles and no places.
const CONTEXT: Manner = Manner {
    roles: &[Role::System],
    lifetimes: &[Lifetime::Stored],
    places: &[Placing::Message],
    when_refused: Shown::Yes,
};

/// A refused prompt is erased, and what was to be told with it goes the same way.
const WITH_PROMPT: Manner = Manner {
    when_refused: Shown::No,
    ..CONTEXT
};

/// `terminalSequence` and nothing else.
const SIGNS: Can = Can {
    verdicts: &[],
    rewrite: &[],
    coupling: Coupling::Free,
    inject: None,
    notify: Shown::No,
    native: &[super::ID],
    later: Later::Never,
    texts: Texts::Beside,
};

/// `systemMessage`, but no `continue`.
const TELLS: Can = Can {
    notify: Shown::Yes,
    ..SIGNS
};

/// The universal output: `continue`, `stopReason`, `systemMessage`.
const UNIVERSAL: Can = Can {
    verdicts: &[Kind::Halt],
    ..TELLS
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..UNIVERSAL
};

/// `continue: false` is documented for the start of a session, and 2.1.330 ignores it.
const STARTS: Can = Can {
    inject: Some(CONTEXT),
    ..TELLS
};

const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..INFORMS
};

/// A text for the model beside the end of a turn makes 2.1.330 go on, up to its own cap: it waits for the next prompt. That
/// of a sub-agent has the same form, and was not tried.
const ENDS: Can = Can {
    inject: None,
    ..REFUSES
};

/// A refusal, and nothing beside it.
const ONLY_REFUSES: Can = Can {
    verdicts: &[Kind::Deny],
    ..Can::NOTHING
};

/// A refusal, or an answer of its own: what the person would say, where the worktree is.
const ELICITS: Can = Can {
    native: &[super::ID],
    ..ONLY_REFUSES
};

/// System messages and `continue` are discarded here.
const PRE_COMPACT: Can = ELICITS;

/// A refusal or `continue: false`, and nothing beside it.
const REFUSES_OR_HALTS: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..Can::NOTHING
};

const TOOL: &[Need] = &[Need::Text("tool_name"), Need::Object("tool_input")];

/// New arguments stand alone: 2.1.330 takes them, and keeps its own permission check.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Free,
    ..INFORMS
};

/// A dialog is about to be shown: it cannot be asked for once more, and new arguments come with an approval only.
const PERMISSION_REQUEST: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Permission,
    ..UNIVERSAL
};

const POST_TOOL_USE: Can = Can {
    rewrite: &["tool_result"],
    ..REFUSES
};

const PROMPT: Can = Can {
    inject: Some(WITH_PROMPT),
    ..REFUSES
};

/// Every event, in the order of Claude Code's own reference.
pub(super) static EVENTS: [Row; 33] = [
    row("SessionStart", "session:start", STARTS)
        .subject("source")
        .means_a_stop()
        .tells()
        .context(),
    row("Setup", "claude-code:setup", INFORMS)
        .subject("trigger")
        .tells(),
    row(
        "InstructionsLoaded",
        "claude-code:instructions-loaded",
        SIGNS,
    )
    .subject("load_reason"),
    row("UserPromptSubmit", "prompt:submit", PROMPT)
        .needs(&[Need::Text("prompt")])
        .blocks(Form::Block)
        .context()
        .timeout(SHORT),
    row(
        "UserPromptExpansion",
        "claude-code:user-prompt-expansion",
        PROMPT,
    )
    .subject("command_name")
    .needs(&[Need::Text("prompt")])
    .blocks(Form::Block)
    .context(),
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(TOOL)
        .blocks(Form::Permission),
    // Exit code 2 is not heard here: a refusal is JSON or none.
    Row {
        form: Form::Behavior,
        ..row("PermissionRequest", "approval:required", PERMISSION_REQUEST)
            .subject("tool_name")
            .needs(TOOL)
    },
    row("PermissionDenied", "approval:denied", UNIVERSAL).subject("tool_name"),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .blocks(Form::Block),
    row("PostToolUseFailure", "tool:error", REFUSES)
        .subject("tool_name")
        .blocks(Form::Block),
    row("PostToolBatch", "claude-code:post-tool-batch", REFUSES).blocks(Form::Block),
    row("Notification", "user:notification", SIGNS).subject("notification_type"),
    row("MessageDisplay", "claude-code:message-display", SIGNS).timeout(Duration::from_secs(10)),
    row("SubagentStart", "agent:spawn", INFORMS)
        .subject("agent_type")
        .tells(),
    row("SubagentStop", "agent:complete", ENDS)
        .subject("agent_type")
        .blocks_if_found(Form::Block),
    row("TaskCreated", "claude-code:task-created", ONLY_REFUSES).blocks(Form::Block),
    row(
        "TaskCompleted",
        "claude-code:task-completed",
        REFUSES_OR_HALTS,
    )
    .blocks_if_found(Form::Exit2),
    row("Stop", "stop", ENDS)
        .sends_on()
        .blocks_if_found(Form::Block),
    row("StopFailure", "stop-failure", SIGNS).subject("error"),
    row(
        "TeammateIdle",
        "claude-code:teammate-idle",
        REFUSES_OR_HALTS,
    )
    .blocks(Form::Exit2),
    row("ConfigChange", "claude-code:config-change", ONLY_REFUSES)
        .subject("source")
        .blocks(Form::Block)
        .unless("source", "policy_settings"),
    row("CwdChanged", "claude-code:cwd-changed", TELLS).tells(),
    row(
        "DirectoryAdded",
        "claude-code:directory-added",
        Can {
            inject: Some(CONTEXT),
            ..Can::NOTHING
        },
    )
    .subject("source")
    .messages("source", "slash_command"),
    row("FileChanged", "claude-code:file-changed", TELLS)
        .subject("file_path")
        .tells(),
    row("WorktreeCreate", "claude-code:worktree-create", ELICITS).makes_a_path(),
    row(
        "WorktreeRemove",
        "claude-code:worktree-remove",
        Can::NOTHING,
    ),
    row("PreCompact", "context:pre_compact", PRE_COMPACT)
        .subject("trigger")
        .blocks(Form::Block),
    row("PostCompact", "context:post_compact", SIGNS)
        .subject("trigger")
        .tells(),
    row(
        "PreModelSwitch",
        "claude-code:pre-model-switch",
        Can {
            verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny],
            ..Can::NOTHING
        },
    )
    .subject("to_model")
    .blocks(Form::Switch)
    .timeout(SHORT),
    row(
        "PostModelSwitch",
        "claude-code:post-model-switch",
        Can {
            inject: Some(CONTEXT),
            ..SIGNS
        },
    )
    .subject("to_model")
    .tells()
    .context()
    .timeout(SHORT),
    row("Elicitation", "claude-code:elicitation", ELICITS)
        .subject("mcp_server_name")
        .blocks(Form::Exit2),
    row(
        "ElicitationResult",
        "claude-code:elicitation-result",
        ELICITS,
    )
    .subject("mcp_server_name")
    .blocks(Form::Exit2),
    row("SessionEnd", "session:end", Can::NOTHING)
        .subject("reason")
        .tells()
        .timeout(Duration::from_millis(1500)),
];

/// The rows as every host has them.
pub(super) static ROWS: [NativeEvent; EVENTS.len()] = natives();

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a wrong index is an error"
)]
const fn natives() -> [NativeEvent; EVENTS.len()] {
    let mut rows = [EVENTS[0].native; EVENTS.len()];
    let mut at = 0;
    while at < EVENTS.len() {
        rows[at] = EVENTS[at].native;
        at += 1;
    }
    rows
}
