//! Command Code: its payloads, its rows, and its answers, as 1.64.0 takes them. Experimental.
//!
//! - A call is refused in JSON or by exit code 2. A question, new arguments and everything that is no JSON let it run, so a
//!   question and a rewrite are refusals here.
//! - `continue: false` before a tool ends the session after the tool has run: a stop is a refusal there, and is kept.
//! - What is wrong with a result is heard in JSON alone; a refused end sends the agent on, at most three times.
//! - In its plan mode no hook is asked, and without a terminal none at a session's start.

use std::time::Duration;

use anyhook_core::can::{Can, Later};
use anyhook_core::result::Kind;

use super::relative::row::{CALL, CONTEXT, Exit2, Form, Halt, HostRow, ONLY_REFUSES, UNLESS_REFUSED, natives};
use super::relative::Relative;
use crate::payload::{Tool, Tools};
use crate::settings::{Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "command-code";

const PRE_TOOL_USE: Can = Can {
    inject: Some(UNLESS_REFUSED),
    later: Later::Outbox,
    ..ONLY_REFUSES
};

const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny, Kind::Halt],
    inject: Some(CONTEXT),
    ..PRE_TOOL_USE
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_mins(1))
}

static EVENTS: [HostRow; 4] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks)
        .halt(Halt::Agent),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Fails),
    row("Stop", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
    row("SessionStart", "session:start", Can::NOTHING),
];

const PATH: &[(&str, &str)] = &[("absolute_path", "file_path")];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("shell_command", "Bash", &[]),
        Tool::new("read_file", "Read", PATH),
        Tool::new("write_file", "Write", PATH),
        Tool::new(
            "edit_file",
            "Edit",
            &[
                ("absolute_path", "file_path"),
                ("old_value", "old_string"),
                ("new_value", "new_string"),
            ],
        ),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.commandcode/settings.json"),
        SettingsFile::new(Scope::Project, ".commandcode/settings.json"),
    ],
    found_by: &["~/.commandcode"],
    ..Settings::BARE
};

/// The agent Command Code.
pub static COMMAND_CODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["commandcode"],
        maturity: Maturity::Experimental,
        covers: "1.64.0, seen 2026-11-27",
        tools: &TOOLS,
        settings: Some(&SETTINGS),
        executables: &["command-code", "commandcode"],
        project_variable: Some("COMMANDCODE_PROJECT_DIR"),
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    ..Relative::BARE
};
