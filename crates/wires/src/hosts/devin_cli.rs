//! Devin CLI: its payloads, its rows, and its answers. Experimental: its documents leave most questions open.
//!
//! Exit code 2 is the one refusal that every revision of them tells, so that is how everything is refused; the block in
//! JSON is told for two events only. An approval of a permission request is told by a document that is not sure of itself:
//! it is never said, and one of a hook is not heard. What becomes of texts, for the model or the person, no document tells.
//!
//! An older revision has every code but 0 refuse; the newest has 2 alone, and that is how hooks are heard here. How long it
//! waits for a hook is not told. A hook of its own files that fails under another agent is judged by the older one, see
//! the row of its files.

use std::time::Duration;

use anyhook_core::can::Can;

use super::relative::Relative;
use super::relative::row::{CALL, Exit2, Form, HostRow, ONLY_REFUSES, PROMPT, natives};
use crate::payload::{Tool, Tools};
use crate::settings::{Scope, Settings, SettingsFile};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "devin-cli";

/// What is waited for where nothing is known.
const UNKNOWN: Duration = Duration::from_secs(30);

/// A row of an event that takes no answer.
const fn unanswered(name: &'static str, event: &'static str) -> HostRow {
    HostRow::new(name, event, Can::NOTHING, UNKNOWN)
}

/// A row of an event that is refused by exit code 2.
const fn refused(name: &'static str, event: &'static str) -> HostRow {
    HostRow::new(name, event, ONLY_REFUSES, UNKNOWN).refused(Form::Exit2, Exit2::Blocks)
}

static EVENTS: [HostRow; 8] = [
    refused("PreToolUse", "tool:pre")
        .subject("tool_name")
        .needs(CALL),
    unanswered("PostToolUse", "tool:post").subject("tool_name"),
    refused("PermissionRequest", "approval:required")
        .subject("tool_name")
        .needs(CALL),
    refused("UserPromptSubmit", "prompt:submit").needs(PROMPT),
    refused("Stop", "stop"),
    unanswered("SessionStart", "session:start"),
    unanswered("SessionEnd", "session:end"),
    unanswered("PostCompaction", "context:post_compact"),
];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("exec", "Bash", &[]),
        Tool::new("edit", "Edit", &[]),
        Tool::new("read", "Read", &[]),
        Tool::new("write", "Write", &[]),
    ],
    mcp: None,
};

/// Where Devin CLI keeps its hooks. In `hooks.v1.json` the top level is the map of events itself.
static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.config/devin/config.json"),
        SettingsFile::new(Scope::Project, ".devin/hooks.v1.json").at(&[]),
        SettingsFile::new(Scope::Project, ".devin/config.json"),
    ],
    found_by: &["~/.config/devin"],
    ..Settings::BARE
};

/// The agent Devin CLI.
pub static DEVIN_CLI: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["devin"],
        maturity: Maturity::Experimental,
        covers: "documents of 2026, several revisions",
        tools: &TOOLS,
        // It picks up the hooks below `.claude` by itself.
        also_reads: &["claude-code"],
        settings: Some(&SETTINGS),
        executables: &["devin"],
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    ..Relative::BARE
};
