//! Auggie: its payloads, its rows, and its answers, read in 0.36.0 and never seen. Experimental.
//!
//! Its answers are those of Claude Code, and its schema rejects one that names another event. No question and no new arguments are
//! said: what becomes of them without a terminal is not known. A payload names a conversation and its folders, no session.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use super::relative::row::{CALL, Exit2, Form, HEARS, HostRow, INFORMS, ONLY_REFUSES, PROMPT, natives};
use super::relative::{Misnamed, Relative, Words};
use crate::payload::{Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "auggie";

const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny],
    ..HEARS
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_mins(1))
}

static EVENTS: [HostRow; 7] = [
    row("PreToolUse", "tool:pre", ONLY_REFUSES)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Fails),
    row("PromptSubmit", "prompt:submit", INFORMS).needs(PROMPT),
    row("Stop", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
    row("SessionStart", "session:start", HEARS),
    row("SessionEnd", "session:end", Can::NOTHING),
    row("Notification", "user:notification", Can::NOTHING),
];

const PATH: (&str, &str) = ("path", "file_path");

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("launch-process", "Bash", &[]),
        Tool::new("view", "Read", &[PATH]),
        Tool::new("save-file", "Write", &[PATH, ("file_content", "content")]),
        Tool::new("str-replace-editor", "Edit", &[PATH]),
        Tool::new("web-fetch", "WebFetch", &[]),
        Tool::new("web-search", "WebSearch", &[]),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::Managed, "/etc/augment/settings.json"),
        SettingsFile::new(Scope::User, "~/.augment/settings.json"),
        SettingsFile::new(Scope::Project, ".augment/settings.json"),
        SettingsFile::new(Scope::Local, ".augment/settings.local.json"),
    ],
    found_by: &["~/.augment"],
    // In what it counts a time is not known to us.
    entry: &[("type", Part::Text("command")), ("command", Part::Command)],
    ..Settings::BARE
};

/// The agent Auggie.
pub static AUGGIE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["augment"],
        maturity: Maturity::Experimental,
        covers: "0.36.0, read 2026-11-27",
        tools: &TOOLS,
        settings: Some(&SETTINGS),
        executables: &["auggie"],
        ..HostFacts::BARE
    },
    fields: &[
        ("conversation_id", "session_id"),
        ("user_prompt", "prompt"),
        ("tool_output", "tool_result"),
    ],
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        misnamed: Misnamed::Dropped("Auggie"),
        ..Words::COMMON
    },
    ..Relative::BARE
};
