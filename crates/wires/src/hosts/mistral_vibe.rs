//! Mistral Vibe: its payloads, its rows, and its answers, as 3.0.3 takes them. Experimental.
//!
//! - A call is refused by `{"decision": "deny", "reason": …}` and by nothing else. Every exit code but 0 lets it run, unless
//!   its entry says `strict`, as ours do.
//! - New arguments stand in an object of its own words that we do not write: a rewrite is a refusal.
//! - A refused end becomes the next message to the model, at most three times. A refused result is replaced by the reason, so
//!   nothing is said about one. There are no events of prompts, sessions or permissions.

use std::time::Duration;

use anyhook_core::can::Can;

use super::relative::row::{CALL, Exit2, Form, HostRow, ONLY_REFUSES, natives};
use super::relative::{Relative, Words};
use crate::payload::{Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Unit};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "mistral-vibe";

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_mins(1))
}

static EVENTS: [HostRow; 3] = [
    row("pre_tool", "tool:pre", ONLY_REFUSES)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Block, Exit2::Fails),
    row("post_tool", "tool:post", Can::NOTHING)
        .subject("tool_name")
        .fields(&[("tool_output", "tool_result")]),
    row("post_agent", "stop", ONLY_REFUSES).refused(Form::Block, Exit2::Fails),
];

/// Its documents name the shell `bash`, its payloads say the whole.
static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("file_system.bash", "Bash", &[]),
        Tool::new("bash", "Bash", &[]),
        Tool::new("file_system.write_file", "Write", &[]),
        Tool::new("write_file", "Write", &[]),
        Tool::new("file_system.read_file", "Read", &[]),
        Tool::new("read_file", "Read", &[]),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.vibe/hooks.toml"),
        SettingsFile::new(Scope::Project, ".vibe/hooks.toml")
            .next("trust the folder in Vibe (with `-p` by `--trust`), and start a new session"),
    ],
    found_by: &["~/.vibe"],
    shape: Shape::List,
    entry: &[
        ("name", Part::Title),
        ("type", Part::Event),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
        ("strict", Part::OnGates(&Part::True)),
    ],
    ..Settings::BARE
};

/// The agent Mistral Vibe.
pub static MISTRAL_VIBE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["vibe"],
        maturity: Maturity::Experimental,
        covers: "3.0.3, seen 2026-11-27",
        tools: &TOOLS,
        settings: Some(&SETTINGS),
        executables: &["vibe"],
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        refusal: "deny",
        ..Words::COMMON
    },
    ..Relative::BARE
};
