//! What Claude Code says about each of its events, and what it lets a hook say.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use crate::{NativeEvent, Neutral};

/// One event: what every host tells, and what only this one has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// What every host tells.
    pub(super) native: NativeEvent,
    /// The field that matchers look at.
    pub(super) subject: Option<&'static str>,
    /// The fields without which a hook would decide about something that it cannot see.
    pub(super) needs: &'static [Need],
    /// How a refusal is said.
    pub(super) form: Form,
    /// What exit code 2 of a hook means.
    pub(super) exit_2: Exit2,
    /// What plain text of a hook is.
    pub(super) text: Text,
}

/// A field that a payload must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// A string of this name.
    Text(&'static str),
    /// An object of this name.
    Object(&'static str),
}

/// The form of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `decision: block`.
    Block,
    /// There is none.
    None,
}

/// What exit code 2 of a hook means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit2 {
    /// A refusal.
    Blocks,
    /// Its standard error is shown to the person.
    Tells,
    /// Nothing.
    Ignored,
}

/// What plain text of a hook is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// A text for the model.
    Context,
    /// A line of the debug log.
    Log,
}

const COMMAND: Duration = Duration::from_mins(10);
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

const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..INFORMS
};

/// A refusal, and nothing beside it.
const ONLY_REFUSES: Can = Can {
    verdicts: &[Kind::Deny],
    ..SIGNS
};

/// `continue: false`, and nothing beside it.
const ONLY_HALTS: Can = Can {
    verdicts: &[Kind::Halt],
    ..SIGNS
};

const TOOL: &[Need] = &[Need::Text("tool_name"), Need::Object("tool_input")];

const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: COMMAND,
        },
        subject: None,
        needs: &[],
        form: Form::None,
        exit_2: Exit2::Ignored,
        text: Text::Log,
    }
}

impl Row {
    const fn subject(self, field: &'static str) -> Self {
        Self {
            subject: Some(field),
            ..self
        }
    }

    const fn needs(self, needs: &'static [Need]) -> Self {
        Self { needs, ..self }
    }

    /// Exit code 2 of its hooks refuses; `form` is how that is said in JSON.
    const fn blocks(self, form: Form) -> Self {
        Self {
            form,
            exit_2: Exit2::Blocks,
            ..self
        }
    }

    const fn tells(self) -> Self {
        Self {
            exit_2: Exit2::Tells,
            ..self
        }
    }

    const fn context(self) -> Self {
        Self {
            text: Text::Context,
            ..self
        }
    }

    const fn timeout(self, timeout: Duration) -> Self {
        Self {
            native: NativeEvent {
                timeout,
                ..self.native
            },
            ..self
        }
    }
}

const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    coupling: Coupling::Permission,
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
    row("SessionStart", "session:start", INFORMS)
        .subject("source")
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
    row("SubagentStop", "agent:complete", REFUSES)
        .subject("agent_type")
        .blocks(Form::Block),
    row("TaskCreated", "claude-code:task-created", ONLY_REFUSES).blocks(Form::Block),
    row("TaskCompleted", "claude-code:task-completed", ONLY_HALTS).blocks(Form::None),
    row("Stop", "stop", REFUSES).blocks(Form::Block),
    row("StopFailure", "stop:failure", SIGNS).subject("error"),
    row("TeammateIdle", "claude-code:teammate-idle", ONLY_HALTS).blocks(Form::None),
    row("ConfigChange", "claude-code:config-change", ONLY_REFUSES)
        .subject("source")
        .blocks(Form::Block),
    row("CwdChanged", "claude-code:cwd-changed", TELLS).tells(),
    row("DirectoryAdded", "claude-code:directory-added", TELLS).subject("source"),
    row("FileChanged", "claude-code:file-changed", TELLS)
        .subject("file_path")
        .tells(),
    // What stands on its standard output is the path of the worktree, so nothing may be said.
    row(
        "WorktreeCreate",
        "claude-code:worktree-create",
        Can::NOTHING,
    )
    .blocks(Form::None),
    row(
        "WorktreeRemove",
        "claude-code:worktree-remove",
        Can::NOTHING,
    ),
    row("PreCompact", "context:pre_compact", ONLY_REFUSES)
        .subject("trigger")
        .blocks(Form::Block),
    row("PostCompact", "context:post_compact", SIGNS)
        .subject("trigger")
        .tells(),
    row(
        "PreModelSwitch",
        "claude-code:pre-model-switch",
        ONLY_REFUSES,
    )
    .subject("to_model")
    .blocks(Form::Block)
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
    row("Elicitation", "claude-code:elicitation", SIGNS)
        .subject("mcp_server_name")
        .blocks(Form::None),
    row("ElicitationResult", "claude-code:elicitation-result", SIGNS)
        .subject("mcp_server_name")
        .blocks(Form::None),
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
