//! Factory Droid: its payloads, its rows, and its answers, as 0.215.0 takes them.
//!
//! - A question is only written to its log, in every permission mode: it is refused here, and a person approves it with us.
//! - New arguments are laid over the old ones, so an argument cannot be taken away: such a rewrite is a refusal. They count
//!   without a decision, and Droid keeps its own rules for them.
//! - A prompt and a compaction are refused by exit code 2 and not in JSON, a result not at all: what is wrong with one is a
//!   text beside it. The end of a sub-agent and a notice take no answer, a session's start takes a text and nothing else.
//! - A message for the person is shown at a stop; elsewhere it goes to the log, or is lost beside `continue: false`.
//!
//! How `ApplyPatch` calls its patch is not told, so the names that other hosts have for it are all understood.

use std::time::Duration;

use anyhook_core::can::{Can, Texts};
use anyhook_core::result::Kind;

use super::relative::row::{CALL, CONTEXT, Exit2, Form, Halt, HostRow, ONLY_REFUSES, PROMPT, REFUSES, Text, UNLESS_REFUSED, WAITS, natives};
use super::relative::{Counts, Relative, Updates};
use crate::payload::{Tool, Tools};
use crate::settings::{Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "factory-droid";

const COMMAND: Duration = Duration::from_mins(1);

/// New arguments count without a decision. Texts wait for the tool's end.
const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Deny, Kind::Halt],
    rewrite: &["tool_input"],
    ..WAITS
};

const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Halt],
    inject: Some(CONTEXT),
    texts: Texts::Alone,
    ..WAITS
};

const SUBMIT: Can = Can {
    verdicts: &[Kind::Deny],
    inject: Some(UNLESS_REFUSED),
    ..WAITS
};

const SESSION_START: Can = Can {
    inject: Some(CONTEXT),
    ..WAITS
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, COMMAND)
}

static EVENTS: [HostRow; 9] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::None, Exit2::Blocks),
    row("Notification", "user:notification", Can::NOTHING).refused(Form::None, Exit2::Tells),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Exit2, Exit2::Blocks)
        .text(Text::Context)
        .halt(Halt::Action),
    row("Stop", "stop", REFUSES).refused(Form::Block, Exit2::Blocks),
    row("SubagentStop", "agent:complete", Can::NOTHING).refused(Form::None, Exit2::Blocks),
    row("PreCompact", "context:pre_compact", ONLY_REFUSES)
        .subject("trigger")
        .refused(Form::Exit2, Exit2::Blocks),
    row("SessionStart", "session:start", SESSION_START)
        .subject("source")
        .refused(Form::None, Exit2::Tells)
        .text(Text::Context),
    row("SessionEnd", "session:end", Can::NOTHING).refused(Form::None, Exit2::Tells),
];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("Execute", "Bash", &[]),
        Tool::new("Create", "Write", &[]),
        Tool::new(
            "ApplyPatch",
            "apply_patch",
            &[("input", "patch"), ("command", "patch"), ("diff", "patch")],
        ),
        Tool::new("Task", "Agent", &[]),
        Tool::new("FetchUrl", "WebFetch", &[]),
    ],
    mcp: None,
};

/// Where Factory Droid keeps its hooks: in `hooks.json`, or in `settings.json` where there is no `hooks.json`.
///
/// In `hooks.json` the events stand at the top: of a `hooks` there 0.215.0 says "unknown hook event keys", and runs nothing.
/// In `settings.json` they stand below `hooks`. An earlier version of ours wrote the first file like the second.
///
/// Where a person keeps hooks in `settings.json`, ours go there too: a new `hooks.json` would switch theirs off.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.factory/hooks.json").flat(),
        SettingsFile::new(Scope::User, "~/.factory/settings.json"),
        SettingsFile::new(Scope::Project, ".factory/hooks.json").flat(),
        SettingsFile::new(Scope::Project, ".factory/settings.json"),
    ],
    found_by: &["~/.factory"],
    next: "start a new session: hooks are read once, at its start; /hooks shows them",
    ..Settings::BARE
};

/// The agent Factory Droid.
pub static FACTORY_DROID: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["droid"],
        maturity: Maturity::Experimental,
        covers: "0.215.0, seen 2026-11-22; documents of 2026-07-24",
        tools: &TOOLS,
        files: &["~/.factory/settings.local.json", "~/.factory/hooks/", ".factory/settings.local.json", ".factory/hooks/"],
        settings: Some(&SETTINGS),
        executables: &["droid"],
        project_variable: Some("FACTORY_PROJECT_DIR"),
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    updates: Updates::Merge,
    json: Counts::Always,
    aborts: Some(3),
    ..Relative::BARE
};
