//! Gemini CLI: `.gemini/settings.json`. Its timeouts are in milliseconds.
//!
//! It says that its project variable is the folder in which the event happened. Here it is the project that the file
//! stands in, so that a command starts what was trusted.

use std::time::Duration;

use super::{Always, EventForm, Folder, NativeFormat, Timeout, Variable, Writes};
use crate::settings::Unit;

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: "gemini-cli",
    files: &[".gemini/settings.json"],
    names: &[
        "run_shell_command",
        "write_file",
        "replace",
        "read_file",
        "read_many_files",
        "glob",
        "grep_search",
        "list_directory",
        "google_web_search",
        "web_fetch",
        "write_todos",
        "ask_user",
        "invoke_agent",
        "activate_skill",
        "enter_plan_mode",
        "exit_plan_mode",
    ],
    events: &[
        EventForm::ignoring("BeforeAgent"),
        EventForm::ignoring("AfterAgent"),
        EventForm::ignoring("Notification"),
        EventForm::ignoring("BeforeModel"),
        EventForm::ignoring("AfterModel"),
        EventForm::ignoring("BeforeToolSelection"),
    ],
    words: &[
        ("SessionStart", &["startup", "resume", "clear"]),
        (
            "SessionEnd",
            &["exit", "clear", "logout", "prompt_input_exit", "other"],
        ),
        ("PreCompress", &["manual", "auto"]),
    ],
    timeout: Timeout {
        unit: Unit::Millis,
        default: Duration::from_mins(1),
        ..super::PLAIN.timeout
    },
    folder: Folder::Session,
    writes: Writes {
        holds: &["name", "env", "sequential"],
        ..super::PLAIN.writes
    },
    always: &[
        ("session_id", Always::Session),
        ("transcript_path", Always::Text("")),
        ("cwd", Always::Cwd),
        ("timestamp", Always::Text("")),
    ],
    variables: &[
        ("GEMINI_PROJECT_DIR", Variable::Project),
        ("GEMINI_CWD", Variable::Cwd),
        ("GEMINI_SESSION_ID", Variable::Session),
        ("CLAUDE_PROJECT_DIR", Variable::Project),
    ],
    ..super::PLAIN
};
