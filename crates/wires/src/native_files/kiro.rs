//! Kiro: `.kiro/hooks/*.json`, one list of hooks that say themselves when they run.
//!
//! Its pages disagree about exit codes other than 0 and 2; here every failure before something happens refuses, as in the
//! stricter of the two. Its kinds of tools stand in no table of its documents: a kind selects the tools of its name here,
//! and one that says no more than where tools come from selects all. Hooks in the files of its agents (version 2 of its
//! command line) and in files with the ending `.kiro.hook` have other forms, and are not read.

use std::time::Duration;

use anyhook_core::hook::At;

use super::{Always, EventForm, Failure, List, NativeFormat, Prompts, Timeout, Variable, Writes};

const PATH: Option<At> = Some(At::Field(&["tool_input", "file_path"]));

/// Every tool of a server, as most hosts name it.
const OF_SERVERS: &str = "^(mcp__|MCP:|@)";

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::kiro::ID,
    files: &[".kiro/hooks/*.json"],
    more: &[
        ("AgentSpawn", "session:start"),
        ("PostFileCreate", "tool:post"),
        ("PostFileSave", "tool:post"),
        ("PostFileDelete", "tool:post"),
    ],
    kinds: &[
        ("read", "^(Read|Glob|Grep|LS)$"),
        ("write", "^(Write|Edit|Delete|NotebookEdit)$"),
        ("shell", "^Bash$"),
        ("web", "^(WebFetch|WebSearch)$"),
        ("spec", ".*"),
        ("@mcp", OF_SERVERS),
        ("@powers", OF_SERVERS),
        ("@builtin", ".*"),
    ],
    servers: &[("@", "mcp__"), ("/", "__")],
    events: &[
        EventForm::about("PostFileCreate", "Write", PATH),
        EventForm::about("PostFileSave", "Write|Edit", PATH),
        EventForm::about("PostFileDelete", "Delete", PATH),
        EventForm::ignoring("SessionStart"),
        EventForm::ignoring("SessionEnd"),
        EventForm::ignoring("AgentSpawn"),
        EventForm::ignoring("UserPromptSubmit"),
        EventForm::ignoring("PreTaskExec"),
        EventForm::ignoring("PostTaskExec"),
        EventForm::ignoring("Stop"),
    ],
    timeout: Timeout {
        zero: Some(super::entry::A_DAY),
        default: Duration::from_mins(1),
        ..super::PLAIN.timeout
    },
    prompts: Prompts::Talk("agent"),
    failure: Failure::On(&["PreToolUse", "UserPromptSubmit", "PreTaskExec"]),
    writes: Writes {
        list: List::Triggers,
        version: Some(1),
        holds: &["name", "enabled"],
    },
    always: &[("session_id", Always::Session), ("cwd", Always::Cwd)],
    variables: &[("KIRO_SESSION_ID", Variable::Session)],
    ..super::PLAIN
};
