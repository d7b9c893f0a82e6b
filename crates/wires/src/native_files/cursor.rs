//! Cursor: `.cursor/hooks.json`, a list of hooks for each event.
//!
//! Several of its events are one of ours: `beforeShellExecution` is a tool about to run, told for shells alone, and its
//! matcher looks at the whole command. It
//! counts edits among what it calls `Write`. Its dialect of patterns and its default timeout are known at second hand.

use std::time::Duration;

use anyhook_core::hook::At;

use super::{
    Always, EventForm, Failure, List, NativeFormat, Prompts, Refuses, Timeout, Variable, Writes,
};

const COMMAND: Option<At> = Some(At::Field(&["tool_input", "command"]));
const TOOL: Option<At> = Some(At::Subject);

/// Every tool of a server, as this host and as Claude Code names it.
const OF_SERVERS: &str = "^(mcp__|MCP:)";

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: "cursor",
    files: &[".cursor/hooks.json"],
    events: &[
        EventForm::about("beforeShellExecution", "Bash", COMMAND),
        EventForm::about("afterShellExecution", "Bash", COMMAND),
        EventForm::about("beforeMCPExecution", OF_SERVERS, None),
        EventForm::about("afterMCPExecution", OF_SERVERS, None),
        EventForm::about("beforeReadFile", "Read", TOOL),
        EventForm::about("afterFileEdit", "Write|Edit", TOOL),
        EventForm::ignoring("beforeSubmitPrompt"),
        EventForm::ignoring("stop"),
        EventForm::ignoring("sessionStart"),
        EventForm::ignoring("sessionEnd"),
        EventForm::ignoring("preCompact"),
        EventForm::ignoring("afterAgentResponse"),
        EventForm::ignoring("afterAgentThought"),
    ],
    under: &[("Write", "Edit"), ("Write", "NotebookEdit")],
    timeout: Timeout {
        default: Duration::from_mins(1),
        ..super::PLAIN.timeout
    },
    prompts: Prompts::Judge,
    failure: Failure::Where("failClosed", Refuses::True),
    writes: Writes {
        list: List::Hooks,
        version: Some(1),
        ..super::PLAIN.writes
    },
    always: &[
        ("conversation_id", Always::Session),
        ("generation_id", Always::Text("")),
        ("model", Always::Text("")),
        ("cursor_version", Always::Text("")),
        ("workspace_roots", Always::Folders),
        ("user_email", Always::Text("")),
        ("transcript_path", Always::Text("")),
    ],
    variables: &[
        ("CURSOR_PROJECT_DIR", Variable::Project),
        ("CLAUDE_PROJECT_DIR", Variable::Project),
    ],
    ..super::PLAIN
};
