//! The rows of Cursor: the payload of each event, the answers that it understands, and the names of its tools.

use anyhook_core::can::{Can, Shown};
use anyhook_core::result::Kind;
use serde_json::Value;

use super::ID;
use super::row::{Call, CursorRow, Form, Messages, Only, row};
use crate::NativeEvent;
use crate::hosts::relative::row::{CONTEXT, ONLY_REFUSES, TELLS};
use crate::payload::{Need, Tool, Tools};

/// Names that older versions and the seed have for two events: read, and never written.
pub(super) const LEGACY: &[(&str, &str)] = &[
    ("beforeShellCommand", "beforeShellExecution"),
    ("beforeMcpCall", "beforeMCPExecution"),
];

/// `permission` and no messages.
const PERMITS: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    ..Can::NOTHING
};

/// `permission`, and `user_message`.
const PERMITS_AND_TELLS: Can = Can {
    notify: Shown::Yes,
    ..PERMITS
};

/// A rewrite is said with `allow`, which is what nothing is said with.
const PRE_TOOL_USE: Can = Can {
    rewrite: &["tool_input"],
    ..PERMITS_AND_TELLS
};

const ASKS: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny],
    ..PERMITS_AND_TELLS
};

const STARTS: Can = Can {
    inject: Some(CONTEXT),
    native: &[ID],
    ..Can::NOTHING
};

const POST_TOOL_USE: Can = Can {
    rewrite: &["tool_result"],
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

const PLUGINS: Can = Can {
    native: &[ID],
    ..Can::NOTHING
};

/// The follow-ups that the host sends in a row where an entry says nothing else.
const LOOP_LIMIT: u64 = 5;

const RESULT: &[(&str, &str)] = &[("tool_output", "tool_result"), ("duration", "duration_ms")];

/// Every event, in the order of Cursor's own reference; the first of several for one canonical event is the one that an
/// event of another host is written as.
pub(super) static EVENTS: [CursorRow; 21] = [
    CursorRow {
        subject: Some("source"),
        adds: &[("source", "startup")],
        names_twice: true,
        natives: &[("env", Value::is_object)],
        only: Only::After(3, 12),
        ..row("sessionStart", "session:start", STARTS)
    },
    CursorRow {
        subject: Some("reason"),
        names_twice: true,
        ..row("sessionEnd", "session:end", Can::NOTHING)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        again: &[
            ("Shell", "beforeShellExecution"),
            (super::lifted::MARK, "beforeMCPExecution"),
        ],
        ..row("preToolUse", "tool:pre", PRE_TOOL_USE).permits(Messages::Both)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        fields: RESULT,
        only: Only::Served,
        ..row("postToolUse", "tool:post", POST_TOOL_USE)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        fields: &[("error_message", "error"), ("duration", "duration_ms")],
        ..row("postToolUseFailure", "tool:error", Can::NOTHING)
    },
    CursorRow {
        subject: Some("agent_type"),
        fields: &[
            ("subagent_id", "agent_id"),
            ("subagent_type", "agent_type"),
            ("parent_conversation_id", "parent_session_id"),
        ],
        ..row("subagentStart", "agent:spawn", PERMITS_AND_TELLS).permits(Messages::Person)
    },
    CursorRow {
        subject: Some("agent_type"),
        fields: &[
            ("subagent_type", "agent_type"),
            ("summary", "last_assistant_message"),
        ],
        form: Form::FollowUp,
        only: Only::LoopsIf(LOOP_LIMIT, "completed"),
        ..row("subagentStop", "agent:complete", ONLY_REFUSES)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("command")],
        call: Call::Lifted("Shell", &["command"]),
        ..row("beforeShellExecution", "tool:pre", ASKS).permits(Messages::Both)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("command")],
        fields: &[("output", "tool_result"), ("duration", "duration_ms")],
        call: Call::Lifted("Shell", &["command"]),
        ..row("afterShellExecution", "tool:post", Can::NOTHING)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        call: Call::Served,
        ..row("beforeMCPExecution", "tool:pre", ASKS).permits(Messages::Both)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("tool_name")],
        fields: &[("result_json", "tool_result"), ("duration", "duration_ms")],
        call: Call::Served,
        ..row("afterMCPExecution", "tool:post", Can::NOTHING)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("file_path")],
        call: Call::Lifted("Read", &["file_path"]),
        ..row("beforeReadFile", "tool:pre", PERMITS_AND_TELLS).permits(Messages::Person)
    },
    CursorRow {
        subject: Some("tool_name"),
        needs: &[Need::Text("file_path")],
        call: Call::Lifted("Write", &["file_path", "edits"]),
        ..row("afterFileEdit", "tool:post", Can::NOTHING)
    },
    CursorRow {
        needs: &[Need::Text("prompt")],
        form: Form::Continue,
        messages: Messages::PersonIfRefused,
        ..row("beforeSubmitPrompt", "prompt:submit", ONLY_REFUSES)
    },
    CursorRow {
        subject: Some("trigger"),
        messages: Messages::Person,
        ..row("preCompact", "context:pre_compact", TELLS)
    },
    CursorRow {
        form: Form::FollowUp,
        only: Only::LoopsUnless(LOOP_LIMIT, "aborted"),
        ..row("stop", "stop", ONLY_REFUSES)
    },
    row(
        "afterAgentResponse",
        "cursor:after-agent-response",
        Can::NOTHING,
    ),
    row(
        "afterAgentThought",
        "cursor:after-agent-thought",
        Can::NOTHING,
    ),
    CursorRow {
        needs: &[Need::Text("file_path")],
        ..row("beforeTabFileRead", "cursor:before-tab-file-read", PERMITS).permits(Messages::None)
    },
    row(
        "afterTabFileEdit",
        "cursor:after-tab-file-edit",
        Can::NOTHING,
    ),
    CursorRow {
        natives: &[("pluginPaths", Value::is_array)],
        ..row("workspaceOpen", "cursor:workspace-open", PLUGINS)
    },
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

/// What every payload has under a name of its own.
pub(super) const SESSION: (&str, &str) = ("conversation_id", "session_id");

/// Results that come as a text which holds JSON.
pub(super) const TEXTS: &[&str] = &["tool_output", "result_json"];

/// Tools that stand for several, with a tool of the global table that stands for the same ones. Every edit of a file goes
/// by `Write` in Cursor's matchers, so a hook that guards edits is asked about it.
pub(super) const SETS: &[(&str, &str)] = &[("Write", "fs_write")];

/// Versions differ in what they call the path of a file.
const FILE: &[(&str, &str)] = &[
    ("file_path", "file_path"),
    ("path", "file_path"),
    ("filePath", "file_path"),
];

/// And of what is searched for.
const QUERY: &[(&str, &str)] = &[("query", "query"), ("search_term", "query")];

/// The tools. A patch comes bare or in an argument. Tools of servers are named where the server is known.
pub(super) static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("Shell", "Bash", &[]),
        Tool::new("Read", "Read", FILE),
        Tool::new("Write", "Write", FILE),
        Tool::new("Edit", "Edit", FILE),
        Tool::new("StrReplace", "Edit", FILE),
        Tool::new("Delete", "Delete", FILE),
        Tool::new(
            "ApplyPatch",
            "apply_patch",
            &[("patch", "patch"), ("", "patch")],
        ),
        Tool::new("Task", "Agent", &[]),
        Tool::new("WebSearch", "WebSearch", QUERY),
    ],
    mcp: None,
};
