//! The nineteen events of `ex_athena`: which keys a payload has, and which returns its loop hears.
//!
//! A return that the loop drops is none: the loop hears a refusal before a tool and nowhere else, and a permission request,
//! which it never makes itself, is dispatched by a function that drops a refusal. What may be refused by a halt only is
//! halted.

use std::time::Duration;

use anyhook_core::can::{Can, Coupling, Later, Manner, Shown, Texts};
use anyhook_core::effects::{Lifetime, Placing, Role};
use anyhook_core::result::Kind;

use crate::payload::{Need, Tool, Tools};
use crate::{NativeEvent, Neutral};

/// One event.
#[derive(Debug, Clone, Copy)]
pub(super) struct AthenaRow {
    pub(super) native: NativeEvent,
    /// Where its keys stand.
    pub(super) form: Form,
    /// The keys of its payload: the original's, and the canonical one.
    pub(super) keys: &'static [(&'static str, &'static str)],
    /// What a hook must see.
    pub(super) needs: &'static [Need],
}

/// Where the keys of a payload stand in `input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Beside the arguments of the tool.
    Call,
    /// Alone.
    Keys,
    /// The program decides.
    Open,
}

/// Nothing that the loop hears; our closure shows a person what is for a person.
const DROPPED: Can = Can {
    notify: Shown::Yes,
    later: Later::Outbox,
    texts: Texts::Alone,
    ..Can::NOTHING
};

/// The caller that dispatches it is given a halt.
pub(super) const HALTS: Can = Can {
    verdicts: &[Kind::Halt],
    ..DROPPED
};

const REFUSES: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    ..DROPPED
};

/// What it adds stays in the conversation.
const ADDS: Can = Can {
    inject: Some(Manner {
        roles: &[Role::System, Role::User, Role::Assistant],
        lifetimes: &[Lifetime::Stored],
        places: &[Placing::Message],
        when_refused: Shown::No,
    }),
    ..HALTS
};

const TRANSFORMS: Can = Can {
    rewrite: &["prompt"],
    coupling: Coupling::Free,
    ..ADDS
};

const AUGMENTS: Can = Can {
    inject: Some(Manner {
        roles: &[Role::System],
        lifetimes: &[Lifetime::Stored],
        places: &[Placing::LastToolResult],
        when_refused: Shown::No,
    }),
    ..HALTS
};

const SESSION: (&str, &str) = ("session_id", "session_id");
const PARENT: (&str, &str) = ("parent_session_id", "parent_session_id");
const FINISH: (&str, &str) = ("finish_reason", "finish_reason");
const RESULT: (&str, &str) = ("result", "result");
const TOOL: (&str, &str) = ("tool_name", "tool_name");
const CALL: (&str, &str) = ("tool_use_id", "tool_use_id");
const ARGUMENTS: (&str, &str) = ("arguments", "tool_input");
const CHILD: (&str, &str) = ("subagent_id", "agent_id");
const ISOLATION: (&str, &str) = ("isolation", "isolation");
const ESTIMATE: (&str, &str) = ("estimate", "estimate");

const ENDED: &[(&str, &str)] = &[SESSION, PARENT, FINISH, RESULT];

const fn row(
    name: &'static str,
    event: &'static str,
    can: Can,
    keys: &'static [(&'static str, &'static str)],
) -> AthenaRow {
    AthenaRow {
        native: NativeEvent {
            name,
            event,
            can,
            neutral: Neutral::Silent,
            timeout: Duration::from_secs(30),
        },
        form: Form::Keys,
        keys,
        needs: &[],
    }
}

const fn formed(form: Form, row: AthenaRow) -> AthenaRow {
    AthenaRow { form, ..row }
}

const fn needing(needs: &'static [Need], row: AthenaRow) -> AthenaRow {
    AthenaRow { needs, ..row }
}

/// The rows, in the order of the original.
pub(super) static ROWS: &[AthenaRow] = &[
    row("SessionStart", "session:start", DROPPED, &[SESSION, PARENT]),
    row("SessionEnd", "session:end", DROPPED, ENDED),
    row(
        "UserPromptSubmit",
        "prompt:submit",
        TRANSFORMS,
        &[("prompt", "prompt"), SESSION, PARENT],
    ),
    row(
        "ChatParams",
        "athena:chat-params",
        ADDS,
        &[("request", "request"), SESSION, ("messages", "messages")],
    ),
    row(
        "PreIteration",
        "athena:pre-iteration",
        ADDS,
        &[
            ("iteration", "iteration"),
            ("unproductive_iterations", "unproductive_iterations"),
            ("fingerprint", "fingerprint"),
            SESSION,
        ],
    ),
    row("Stop", "stop", DROPPED, ENDED),
    row("StopFailure", "stop-failure", DROPPED, ENDED),
    needing(
        &[Need::Text("tool_name"), Need::Object("tool_input")],
        formed(
            Form::Call,
            row("PreToolUse", "tool:pre", REFUSES, &[TOOL, CALL]),
        ),
    ),
    row(
        "PostToolUse",
        "tool:post",
        AUGMENTS,
        &[
            TOOL,
            CALL,
            ("result", "tool_result"),
            ARGUMENTS,
            ("cwd", "cwd"),
        ],
    ),
    row(
        "PostToolUseFailure",
        "tool:error",
        DROPPED,
        &[TOOL, CALL, ("reason", "error")],
    ),
    needing(
        &[Need::Text("tool_name"), Need::Object("tool_input")],
        row(
            "PermissionRequest",
            "approval:required",
            HALTS,
            &[TOOL, CALL, ARGUMENTS],
        ),
    ),
    row(
        "PermissionDenied",
        "approval:denied",
        DROPPED,
        &[TOOL, CALL, ARGUMENTS, ("reason", "reason")],
    ),
    row(
        "ToolDenied",
        "athena:tool-denied",
        DROPPED,
        &[TOOL, CALL, ARGUMENTS, ("denial", "denial")],
    ),
    row(
        "SubagentStart",
        "agent:spawn",
        DROPPED,
        &[
            CHILD,
            ("prompt", "task"),
            PARENT,
            ("agent", "agent_type"),
            ISOLATION,
        ],
    ),
    row(
        "SubagentStop",
        "agent:complete",
        DROPPED,
        &[
            CHILD,
            ("outcome", "outcome"),
            RESULT,
            ("reason", "reason"),
            ISOLATION,
        ],
    ),
    row("PreCompact", "context:pre_compact", DROPPED, &[ESTIMATE]),
    row(
        "PreCompactStage",
        "athena:pre-compact-stage",
        DROPPED,
        &[("stage", "stage"), ESTIMATE],
    ),
    row(
        "PostCompact",
        "context:post_compact",
        DROPPED,
        &[("metadata", "metadata")],
    ),
    formed(
        Form::Open,
        row("Notification", "user:notification", HALTS, &[]),
    ),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

/// Its tools. One that an MCP server serves is called server, underscore, tool, like many that are none, so none is taken
/// for one.
pub(super) static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("bash", "Bash", &[]),
        Tool::new("read", "Read", PATH),
        Tool::new("write", "Write", PATH),
        Tool::new("edit", "Edit", PATH),
        Tool::new("glob", "Glob", &[]),
        Tool::new("grep", "Grep", &[]),
        Tool::new("web_fetch", "WebFetch", &[]),
        Tool::new("web_search", "WebSearch", &[]),
        Tool::new("spawn_agent", "Agent", &[]),
        Tool::new("todo_write", "TodoWrite", &[]),
        Tool::new("ask_user", "AskUserQuestion", &[]),
        Tool::new("apply_patch", "apply_patch", &[]),
    ],
    mcp: None,
};
