//! Crush: its payloads, its row, and its answers, as the source of August 2026 takes them. Experimental.
//!
//! - It has one event, before a tool, and refuses by `{"decision": "deny", "reason": …}` or exit code 2. Everything else, also a
//!   failure and a timeout, lets the call run, so a question and a rewrite are refusals here.
//! - A hook is asked about the calls of the agent that a person talks to; those of its sub-agents run without any.

use std::time::Duration;

use anyhook_core::event::Map;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::relative::row::{CALL, Exit2, Form, HostRow, ONLY_REFUSES, natives};
use super::relative::{Oddities, Relative, Words};
use crate::payload::{Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Unit};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "crush";

static EVENTS: [HostRow; 1] = [
    HostRow::new("PreToolUse", "tool:pre", ONLY_REFUSES, Duration::from_secs(30))
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Block, Exit2::Blocks),
];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("bash", "Bash", &[]),
        Tool::new("view", "Read", &[]),
        Tool::new("write", "Write", &[]),
        Tool::new("edit", "Edit", &[]),
        Tool::new("multiedit", "MultiEdit", &[]),
        Tool::new("glob", "Glob", &[]),
        Tool::new("grep", "Grep", &[]),
        Tool::new("ls", "LS", &[]),
        Tool::new("fetch", "WebFetch", &[]),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.config/crush/crush.json"),
        SettingsFile::new(Scope::Project, ".crush.json"),
        SettingsFile::new(Scope::Project, "crush.json"),
    ],
    found_by: &["~/.config/crush"],
    shape: Shape::Entries,
    entry: &[
        ("name", Part::Title),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    ..Settings::BARE
};

/// The agent Crush.
pub static CRUSH: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        maturity: Maturity::Experimental,
        covers: "source of 2026-08-21",
        tools: &TOOLS,
        settings: Some(&SETTINGS),
        executables: &["crush"],
        ..HostFacts::BARE
    },
    named_by: "event",
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        refusal: "deny",
        ..Words::COMMON
    },
    odd: Oddities {
        before: |_, _, _, answer, _| halted(answer),
        ..Oddities::NONE
    },
    aborts: Some(49),
    ..Relative::BARE
};

/// Its word for the end of the agent.
fn halted(answer: &mut Map) -> HookResult {
    let halts = answer.shift_remove("halt") == Some(Value::Bool(true));
    let reason = answer.get("reason").and_then(Value::as_str).unwrap_or_default();
    if halts {
        HookResult::halt(reason)
    } else {
        HookResult::proceed()
    }
}
