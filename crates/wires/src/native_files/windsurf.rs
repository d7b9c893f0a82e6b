//! Windsurf: `.devin/hooks.json`, and `.windsurf/hooks.json` as it was called before.
//!
//! It has no matchers: its events say which tool they are about. How long a hook may take is in no document, so it has the
//! time of a host of which none is known. Only 2 refuses, and only before something happens.

use super::{Always, EventForm, List, Matching, NativeFormat, Timeout, Writes};
use crate::settings::Platform;

/// Every tool of a server, as most hosts name it.
const OF_SERVERS: &str = "^(mcp__|MCP:)";

/// The row.
pub(super) static ROW: NativeFormat = NativeFormat {
    host: crate::hosts::windsurf::ID,
    files: &[".devin/hooks.json", ".windsurf/hooks.json"],
    matching: Matching::Nothing,
    events: &[
        EventForm::about("pre_read_code", "Read", None),
        EventForm::about("post_read_code", "Read", None),
        EventForm::about("pre_write_code", "Write|Edit", None),
        EventForm::about("post_write_code", "Write|Edit", None),
        EventForm::about("pre_run_command", "Bash", None),
        EventForm::about("post_run_command", "Bash", None),
        EventForm::about("pre_mcp_tool_use", OF_SERVERS, None),
        EventForm::about("post_mcp_tool_use", OF_SERVERS, None),
    ],
    timeout: Timeout {
        fields: &[],
        ..super::PLAIN.timeout
    },
    commands: &[
        ("command", Platform::Any),
        ("powershell", Platform::Windows),
    ],
    cwd: "working_directory",
    writes: Writes {
        list: List::Hooks,
        holds: &["cwd"],
        ..super::PLAIN.writes
    },
    always: &[
        ("trajectory_id", Always::Session),
        ("execution_id", Always::Text("")),
        ("timestamp", Always::Text("")),
        ("model_name", Always::Text("")),
    ],
    ..super::PLAIN
};
