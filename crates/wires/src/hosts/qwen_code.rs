//! Qwen Code: its payloads, its rows, and its answers. Experimental: its documents leave much open.
//!
//! Where they do, the answer that opens no gate is taken:
//! - A question about a prompt, a text at the start of a sub-agent and whatever may be said about a batch or an expansion
//!   are told by no document, or by one that says itself that it is not sure: they are not said.
//! - New arguments come with an approval only, in every permission mode, and a text beside a refusal is not said.
//! - The list of tasks can be guarded, and no document tells how; exit code 2 is the one word that refuses everywhere.
//!
//! Its command hooks have their time in milliseconds, unlike those of its kin.

mod health;
mod settings;

use std::time::Duration;

use anyhook_core::can::{Can, Coupling};
use anyhook_core::event::Map;
use anyhook_core::result::Kind;

use super::relative::row::{
    CALL, CONTEXT, Exit2, Form, Halt, ONLY_REFUSES, PROMPT, REWRITES, Row, UNLESS_REFUSED, natives,
};
use super::relative::{Relative, Schema, Updates, keeps_transcript_in};
use crate::payload::{Tool, Tools};
use crate::{Maturity, NativeEvent};

/// The id of this host.
pub const ID: &str = "qwen-code";

const COMMAND: Duration = Duration::from_mins(1);

const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    inject: Some(UNLESS_REFUSED),
    ..REWRITES
};

const PERMISSION_REQUEST: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny],
    rewrite: &["tool_input"],
    coupling: Coupling::Approval,
    ..ONLY_REFUSES
};

const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..ONLY_REFUSES
};

const FEEDBACK: Can = Can {
    inject: Some(CONTEXT),
    ..ONLY_REFUSES
};

const INFORMS: Can = Can {
    inject: Some(CONTEXT),
    ..Can::NOTHING
};

const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row::new(name, event, can, COMMAND)
}

/// A row of an event that nobody can answer.
const fn told(name: &'static str, event: &'static str) -> Row {
    row(name, event, Can::NOTHING)
}

static EVENTS: [Row; 22] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks)
        .halt(Halt::Agent),
    row("PostToolUse", "tool:post", FEEDBACK)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("PostToolUseFailure", "tool:error", INFORMS)
        .subject("tool_name")
        .refused(Form::None, Exit2::Blocks),
    told("PostToolBatch", "qwen-code:post-tool-batch"),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks),
    told("UserPromptExpansion", "qwen-code:user-prompt-expansion"),
    row("SessionStart", "session:start", INFORMS).subject("source"),
    told("SessionEnd", "session:end").subject("reason"),
    told("SessionDelete", "qwen-code:session-delete"),
    told("MessageDisplay", "qwen-code:message-display"),
    row("Stop", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
    told("StopFailure", "stop-failure"),
    told("SubagentStart", "agent:spawn").subject("agent_type"),
    row("SubagentStop", "agent:complete", ONLY_REFUSES)
        .subject("agent_type")
        .refused(Form::Block, Exit2::Blocks),
    told("PreCompact", "context:pre_compact").subject("trigger"),
    told("PostCompact", "context:post_compact"),
    told("Notification", "user:notification").subject("notification_type"),
    row("PermissionRequest", "approval:required", PERMISSION_REQUEST)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Behavior, Exit2::Blocks),
    told("PermissionDenied", "approval:denied").subject("tool_name"),
    told("InstructionsLoaded", "qwen-code:instructions-loaded"),
    row("TodoCreated", "qwen-code:todo-created", ONLY_REFUSES).refused(Form::Exit2, Exit2::Blocks),
    row("TodoCompleted", "qwen-code:todo-completed", ONLY_REFUSES)
        .refused(Form::Exit2, Exit2::Blocks),
];

static NATIVES: [NativeEvent; EVENTS.len()] = natives(&EVENTS);

const fn tool(name: &'static str, is: &'static str) -> Tool {
    Tool {
        name,
        is,
        arguments: &[],
    }
}

static TOOLS: Tools = Tools {
    rows: &[
        tool("run_shell_command", "Bash"),
        Tool {
            name: "read_file",
            is: "Read",
            arguments: &[("absolute_path", "file_path")],
        },
        tool("write_file", "Write"),
        tool("edit", "Edit"),
        tool("glob", "Glob"),
        tool("grep_search", "Grep"),
        tool("list_directory", "LS"),
        tool("web_fetch", "WebFetch"),
        tool("web_search", "WebSearch"),
        tool("todo_write", "TodoWrite"),
        tool("task", "Agent"),
    ],
    mcp: None,
};

/// The agent Qwen Code.
pub static QWEN_CODE: Relative = Relative {
    id: ID,
    aliases: &["qwen"],
    maturity: Maturity::Experimental,
    covers: "documents at 00d06c8, 2026",
    natives: &NATIVES,
    events: &EVENTS,
    tools: &TOOLS,
    files: &[
        "~/.qwen/settings.json",
        "~/.qwen/hooks/",
        ".qwen/settings.json",
        ".qwen/hooks/",
    ],
    also_reads: &[],
    settings: &settings::SETTINGS,
    executables: &["qwen"],
    project_variable: Some("QWEN_PROJECT_DIR"),
    free_modes: &[],
    updates: Updates::Replace(&[("run_shell_command", "command")]),
    schema: Schema::Open,
    health: Some(&health::HEALTH),
    is_own,
};

fn is_own(payload: &Map) -> bool {
    keeps_transcript_in(payload, ".qwen")
}
