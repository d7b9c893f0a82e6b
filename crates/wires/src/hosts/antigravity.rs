//! Antigravity CLI (`agy`): its payloads, its rows, and its answers, as 1.2 takes them. Experimental.
//!
//! - Before a tool, silence lets it run, and everything that is no decision refuses it: `{}`, text, each exit code but 0. A
//!   question is `force_ask`: `ask` gives way to what a person once allowed for good. An approval does not suppress its own
//!   prompt in every version, so none is said.
//! - `continue` as the decision about an end sends the agent on. A text for the model is a step before its next request.
//! - A payload does not name its event: the command line does. What failed, and which tool it was, a payload after a tool
//!   does not tell in every version.
//! - One entry of a wrong form drops the whole file: entries about tools stand in groups, all others alone.

use std::time::Duration;

use anyhook_core::can::{Can, Later};
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::{End, Transcript};
use serde_json::Value;

use super::relative::row::{CALL, Exit2, Form, HostRow, INFORMS, ONLY_REFUSES, WAITS, natives};
use super::relative::{Contexts, Oddities, Relative, Words, decode};
use crate::answer::{NO_REASON, Place, trimmed};
use crate::dialects::SUCCESS;
use crate::payload::{Tool, Tools};
use crate::settings::{Scope, Settings, SettingsFile, Shape};
use crate::{HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "antigravity";

const PRE_TOOL_USE: Can = Can {
    verdicts: &[Kind::Ask, Kind::Deny],
    ..WAITS
};

const STOP: Can = Can {
    later: Later::Outbox,
    ..ONLY_REFUSES
};

const REQUEST: Can = Can {
    inject: INFORMS.inject,
    ..WAITS
};

const fn row(name: &'static str, event: &'static str, can: Can) -> HostRow {
    HostRow::new(name, event, can, Duration::from_secs(30))
}

static EVENTS: [HostRow; 5] = [
    row("PreToolUse", "tool:pre", PRE_TOOL_USE)
        .subject("tool_name")
        .needs(CALL)
        .refused(Form::Decision, Exit2::Blocks),
    row("PostToolUse", "tool:post", WAITS).subject("tool_name"),
    row("PreInvocation", "provider:request", REQUEST),
    row("PostInvocation", "provider:response", WAITS),
    row("Stop", "stop", STOP).refused(Form::GoesOn, Exit2::Fails),
];

const FILE: (&str, &str) = ("TargetFile", "file_path");

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("run_command", "Bash", &[("CommandLine", "command")]),
        Tool::new("view_file", "Read", &[("AbsolutePath", "file_path")]),
        Tool::new("write_to_file", "Write", &[FILE, ("CodeContent", "content")]),
        Tool::new("replace_file_content", "Edit", &[FILE]),
        Tool::new("multi_replace_file_content", "MultiEdit", &[FILE]),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[
        SettingsFile::new(Scope::User, "~/.gemini/config/hooks.json").at(&["anyhook"]),
        SettingsFile::new(Scope::Project, ".agents/hooks.json").at(&["anyhook"]),
    ],
    found_by: &["~/.gemini/config", "~/.gemini/antigravity-cli"],
    shape: Shape::ToolGroups,
    without: &[("PostInvocation", "nothing is answered there")],
    ..Settings::BARE
};

/// The agent Antigravity CLI.
pub static ANTIGRAVITY: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["agy", "antigravity-cli"],
        maturity: Maturity::Experimental,
        covers: "1.2.7; reports of others about 1.0 to 1.2.7, read 2026-11-27",
        tools: &TOOLS,
        files: &["~/.gemini/config/"],
        settings: Some(&SETTINGS),
        executables: &["agy"],
        ..HostFacts::BARE
    },
    named_by: "",
    fields: &[
        ("conversationId", "session_id"),
        ("transcriptPath", "transcript_path"),
        ("toolCall.name", "tool_name"),
        ("toolCall.args", "tool_input"),
    ],
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        place: Place::Anywhere,
        refusal: "deny",
        contexts: Contexts::Steps,
        ..Words::COMMON
    },
    odd: Oddities {
        decode: read,
        before,
        ask: |_| "force_ask",
        ..Oddities::NONE
    },
    ..Relative::BARE
};

/// Reads an answer. Before a tool, what is no decision refuses, and so does a hook that fails or did not start.
fn read(host: &Relative, raw: &Transcript, event: &Event, row: Option<&HostRow>) -> Said {
    let said = decode::read(host, raw, event, row);
    let is_gate = row.is_none_or(|row| row.native.event == "tool:pre");
    let stdout = raw.stdout.text();
    let is_silent = raw.end == End::Code(SUCCESS) && trimmed(&stdout).is_empty();
    let has_ended = matches!(raw.end, End::Code(_) | End::NotStarted(_));
    match said {
        Ok(said) if said.verdict.kind() >= Kind::Ask => Ok(said),
        _ if !is_gate || is_silent || !has_ended || stdout.contains("\"allow\"") => said,
        _ => Ok(HookResult::deny(match raw.stderr.text().trim() {
            "" => NO_REASON,
            why => why,
        })),
    }
}

/// Says its own words as the family has them, and takes the steps that are texts.
fn before(
    _: &Relative,
    _: &Event,
    row: Option<&HostRow>,
    answer: &mut Map,
    _: &mut Vec<String>,
) -> HookResult {
    let is_end = row.is_some_and(|row| row.form == Form::GoesOn);
    let word = match answer.get("decision").and_then(Value::as_str) {
        Some("force_ask") => Some("ask"),
        Some("continue") if is_end => Some("block"),
        _ => None,
    };
    if let Some(word) = word {
        answer.insert("decision".to_owned(), word.into());
    }
    let steps = answer.shift_remove("injectSteps");
    let steps = steps.as_ref().and_then(Value::as_array).into_iter().flatten();
    let text = |step: &Value| {
        let text = step.get("ephemeralMessage").or_else(|| step.get("userMessage"))?;
        text.as_str().map(str::to_owned)
    };
    steps.filter_map(text).fold(HookResult::proceed(), HookResult::inject)
}
