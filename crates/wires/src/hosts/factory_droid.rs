//! Factory Droid: its payloads, its rows, and its answers. Experimental: its documents leave questions open.
//!
//! New arguments are laid over the old ones here, so an argument cannot be taken away: such a rewrite is a refusal. They
//! come with an approval only, and a text beside a refused prompt is not said, because no document tells what becomes of
//! either. How `ApplyPatch` calls its patch is not told, so the names that other hosts have for it are all understood.

mod settings;

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::Map;
use anyhook_core::result::Kind;
use serde_json::Value;

use super::relative::row::{
    CALL, CONTEXT, Exit2, Form, HALTS, Halt, PROMPT, REFUSES, REWRITES, Row, Text, UNLESS_REFUSED,
    natives,
};
use super::relative::{Relative, Schema, Updates, keeps_transcript_in};
use crate::payload::{Tool, Tools};
use crate::{Maturity, NativeEvent};

/// The id of this host.
pub const ID: &str = "factory-droid";

const COMMAND: Duration = Duration::from_mins(1);

const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
    ..REWRITES
};

const POST_TOOL_USE: Can = Can {
    inject: Some(CONTEXT),
    ..REFUSES
};

const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..REFUSES
};

const SESSION_START: Can = Can {
    inject: Some(CONTEXT),
    ..HALTS
};

/// A row of an event whose hooks can stop the agent, as nearly all can here.
const fn row(name: &'static str, event: &'static str, can: Can) -> Row {
    Row::new(name, event, can, COMMAND).halt(Halt::Agent)
}

static EVENTS: [Row; 9] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Blocks),
    row("Notification", "user:notification", HALTS).refused(Form::None, Exit2::Tells),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks)
        .text(Text::Context),
    row("Stop", "stop", REFUSES).refused(Form::Block, Exit2::Blocks),
    row("SubagentStop", "agent:complete", REFUSES).refused(Form::Block, Exit2::Blocks),
    row("PreCompact", "context:pre_compact", HALTS)
        .subject("trigger")
        .refused(Form::None, Exit2::Tells),
    row("SessionStart", "session:start", SESSION_START)
        .subject("source")
        .refused(Form::None, Exit2::Tells)
        .text(Text::Context),
    row("SessionEnd", "session:end", Can::NOTHING)
        .refused(Form::None, Exit2::Tells)
        .halt(Halt::Ignored),
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
        tool("Execute", "Bash"),
        tool("Create", "Write"),
        Tool {
            name: "ApplyPatch",
            is: "apply_patch",
            arguments: &[("input", "patch"), ("command", "patch"), ("diff", "patch")],
        },
        tool("Task", "Agent"),
        tool("FetchUrl", "WebFetch"),
    ],
    mcp: None,
};

/// The agent Factory Droid.
pub static FACTORY_DROID: Relative = Relative {
    id: ID,
    aliases: &["droid"],
    maturity: Maturity::Experimental,
    covers: "documents of 2026-07-24",
    natives: &NATIVES,
    events: &EVENTS,
    tools: &TOOLS,
    files: &[
        "~/.factory/hooks.json",
        "~/.factory/settings.json",
        "~/.factory/settings.local.json",
        "~/.factory/hooks/",
        ".factory/hooks.json",
        ".factory/settings.json",
        ".factory/settings.local.json",
        ".factory/hooks/",
    ],
    also_reads: &[],
    settings: &settings::SETTINGS,
    executables: &["droid"],
    project_variable: Some("FACTORY_PROJECT_DIR"),
    free_modes: &[],
    updates: Updates::Merge,
    schema: Schema::Open,
    health: None,
    is_own,
};

/// Its permission modes are called like nobody else's.
fn is_own(payload: &Map) -> bool {
    let mode = payload.get("permission_mode").and_then(Value::as_str);
    let is_mode = |mode: &str| {
        matches!(
            mode,
            "off" | "spec" | "auto-low" | "auto-medium" | "auto-high"
        )
    };
    mode.is_some_and(is_mode) || keeps_transcript_in(payload, ".factory")
}
