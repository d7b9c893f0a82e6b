//! The rows of Claude Code: the payload of each event, and the answers that it understands.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Shown, Texts};
use anyhook_core::result::Kind;

use super::ID;
use crate::hosts::relative::row::{
    CALL, CONTEXT, Exit2, Form, Halt, HostRow, ONLY_REFUSES, PROMPT, Speech, Text, UNLESS_REFUSED,
};

const COMMAND: Duration = Duration::from_mins(10);

const SHORT: Duration = Duration::from_secs(30);

/// `terminalSequence` and nothing else.
const SIGNS: Can = Can {
    verdicts: &[],
    rewrite: &[],
    coupling: Coupling::Free,
    inject: None,
    notify: Shown::No,
    native: &[ID],
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

/// A refusal, or an answer of its own: what the person would say, where the worktree is.
const ELICITS: Can = Can {
    native: &[ID],
    ..ONLY_REFUSES
};

/// System messages and `continue` are discarded here.
const PRE_COMPACT: Can = ELICITS;

/// A refusal or `continue: false`, and nothing beside it.
const REFUSES_OR_HALTS: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..Can::NOTHING
};

/// New arguments stand alone: 2.1.330 takes them, and keeps its own permission check.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Free,
    ..INFORMS
};

/// A line of the shell stands in the text of a skill, and loading cannot wait for a person: the host refuses what is to be
/// asked, so a question is put by us. `continue: false` ends the loading and not the agent, and any new arguments refuse.
const PRE_SKILL_SHELL_COMMAND: Can = Can {
    verdicts: &[Kind::Deny],
    notify: Shown::Yes,
    later: Later::Outbox,
    ..Can::NOTHING
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

/// A refused prompt is erased, and what was to be told with it goes the same way.
const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..REFUSES
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, COMMAND)
}

/// Every event, in the order of Claude Code's own reference.
pub(super) static EVENTS: [HostRow; 34] = [
    row("SessionStart", "session:start", STARTS)
        .subject("source")
        .halt(Halt::Agent)
        .refused(Form::None, Exit2::Tells)
        .text(Text::Context),
    row("Setup", "claude-code:setup", INFORMS)
        .subject("trigger")
        .refused(Form::None, Exit2::Tells),
    row(
        "InstructionsLoaded",
        "claude-code:instructions-loaded",
        SIGNS,
    )
    .subject("load_reason"),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks)
        .text(Text::Context)
        .timeout(SHORT),
    row(
        "UserPromptExpansion",
        "claude-code:user-prompt-expansion",
        SUBMIT,
    )
    .subject("command_name")
    .needs(PROMPT)
    .refused(Form::Block, Exit2::Blocks)
    .text(Text::Context),
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PreSkillShellCommand", "tool:pre", PRE_SKILL_SHELL_COMMAND)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks)
        .halt(Halt::Action)
        .since("2.1.332"),
    // Exit code 2 is not heard here: a refusal is JSON or none.
    row("PermissionRequest", "approval:required", PERMISSION_REQUEST)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Behavior, Exit2::Fails),
    row("PermissionDenied", "approval:denied", UNIVERSAL).subject("tool_name"),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("PostToolUseFailure", "tool:error", REFUSES)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("PostToolBatch", "claude-code:post-tool-batch", REFUSES)
        .refused(Form::Block, Exit2::Blocks),
    row("Notification", "user:notification", SIGNS).subject("notification_type"),
    row("MessageDisplay", "claude-code:message-display", SIGNS).timeout(Duration::from_secs(10)),
    row("SubagentStart", "agent:spawn", INFORMS)
        .subject("agent_type")
        .refused(Form::None, Exit2::Tells),
    row("SubagentStop", "agent:complete", ENDS)
        .subject("agent_type")
        .refused(Form::Block, Exit2::BlocksIfFound),
    row("TaskCreated", "claude-code:task-created", ONLY_REFUSES)
        .refused(Form::Block, Exit2::Blocks),
    row(
        "TaskCompleted",
        "claude-code:task-completed",
        REFUSES_OR_HALTS,
    )
    .refused(Form::Exit2, Exit2::BlocksIfFound),
    row("Stop", "stop", ENDS)
        .speech(Speech::SendsOn)
        .refused(Form::Block, Exit2::BlocksIfFound),
    row("StopFailure", "stop-failure", SIGNS).subject("error"),
    row(
        "TeammateIdle",
        "claude-code:teammate-idle",
        REFUSES_OR_HALTS,
    )
    .refused(Form::Exit2, Exit2::Blocks),
    HostRow {
        unless: Some(("source", "policy_settings")),
        ..row("ConfigChange", "claude-code:config-change", ONLY_REFUSES)
            .subject("source")
            .refused(Form::Block, Exit2::Blocks)
    },
    row("CwdChanged", "claude-code:cwd-changed", TELLS).refused(Form::None, Exit2::Tells),
    row(
        "DirectoryAdded",
        "claude-code:directory-added",
        Can {
            inject: Some(CONTEXT),
            ..Can::NOTHING
        },
    )
    .subject("source")
    .speech(Speech::Message("source", "slash_command")),
    row("FileChanged", "claude-code:file-changed", TELLS)
        .subject("file_path")
        .refused(Form::None, Exit2::Tells),
    row("WorktreeCreate", "claude-code:worktree-create", ELICITS)
        .refused(Form::Path, Exit2::Blocks)
        .text(Text::Path),
    row(
        "WorktreeRemove",
        "claude-code:worktree-remove",
        Can::NOTHING,
    ),
    row("PreCompact", "context:pre_compact", PRE_COMPACT)
        .subject("trigger")
        .refused(Form::Block, Exit2::Blocks),
    row("PostCompact", "context:post_compact", SIGNS)
        .subject("trigger")
        .refused(Form::None, Exit2::Tells),
    row(
        "PreModelSwitch",
        "claude-code:pre-model-switch",
        Can {
            verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny],
            ..Can::NOTHING
        },
    )
    .subject("to_model")
    .refused(Form::Switch, Exit2::Blocks)
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
    .refused(Form::None, Exit2::Tells)
    .text(Text::Context)
    .timeout(SHORT),
    row("Elicitation", "claude-code:elicitation", ELICITS)
        .subject("mcp_server_name")
        .refused(Form::Exit2, Exit2::Blocks),
    row(
        "ElicitationResult",
        "claude-code:elicitation-result",
        ELICITS,
    )
    .subject("mcp_server_name")
    .refused(Form::Exit2, Exit2::Blocks),
    row("SessionEnd", "session:end", Can::NOTHING)
        .subject("reason")
        .refused(Form::None, Exit2::Tells)
        .timeout(Duration::from_millis(1500)),
];
