//! Qoder CLI: its payloads, its rows, and its answers, read in 1.1.52; one payload was seen. Experimental.
//!
//! It has the events, the tools and the answers of Claude Code. What was not seen is not said: no question and no new arguments,
//! which would let a call run where it takes neither, and no approval.

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::result::Kind;

use super::relative::row::{CALL, Exit2, Form, HEARS, HostRow, ONLY_REFUSES, PROMPT, UNLESS_REFUSED, natives};
use super::relative::Relative;
use crate::settings::{Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "qoder";

const POST_TOOL_USE: Can = Can {
    verdicts: &[Kind::Deny],
    ..HEARS
};

const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..ONLY_REFUSES
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_mins(1))
}

static EVENTS: [HostRow; 9] = [
    row("PreToolUse", "tool:pre", ONLY_REFUSES)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Permission, Exit2::Blocks),
    row("PostToolUse", "tool:post", POST_TOOL_USE)
        .subject("tool_name")
        .refused(Form::Block, Exit2::Fails),
    row("UserPromptSubmit", "prompt:submit", SUBMIT)
        .needs(PROMPT)
        .refused(Form::Block, Exit2::Blocks),
    row("Stop", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
    row("SubagentStop", "agent:complete", ONLY_REFUSES).refused(Form::Block, Exit2::Blocks),
    row("PreCompact", "context:pre_compact", Can::NOTHING).subject("trigger"),
    row("SessionStart", "session:start", HEARS).subject("source"),
    row("SessionEnd", "session:end", Can::NOTHING),
    row("Notification", "user:notification", Can::NOTHING),
];

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.qoder/settings.json"),
        SettingsFile::new(Scope::Project, ".qoder/settings.json"),
        SettingsFile::new(Scope::Local, ".qoder/settings.local.json"),
    ],
    found_by: &["~/.qoder"],
    ..Settings::BARE
};

/// The agent Qoder CLI.
pub static QODER: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["qodercli", "qoder-cli"],
        maturity: Maturity::Experimental,
        covers: "1.1.52, read 2026-11-27",
        settings: Some(&SETTINGS),
        executables: &["qodercli", "qoder"],
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    ..Relative::BARE
};
