//! Kimi Code: its payloads, its rows, and its answers, as 2.1.0 takes them. Experimental.
//!
//! - A call, a prompt and the end are refused by exit code 2, with the reason on the standard error. Everything else opens,
//!   also a `decision` to block, so a question and a rewrite are refusals here.
//! - At a prompt all that a hook prints goes to the model as it is printed: a text is written plainly there.
//! - It waits for nobody else: what has happened is only told, and the last of it may never come.
//! - Its prompts are lists of parts; the text of those is the prompt.

use std::time::Duration;

use anyhook_core::can::{Can, Later};
use anyhook_core::event::{Data, Event};
use serde_json::{Value, json};

use super::relative::row::{CALL, Exit2, Form, HostRow, ONLY_REFUSES, Text, UNLESS_REFUSED, WAITS, natives};
use super::relative::{Contexts, Oddities, Relative, Words, read_payload, write_payload};
use crate::payload::{Tool, Tools};
use crate::settings::{Part, Scope, Settings, SettingsFile, Shape, Unit};
use crate::{DecodeError, HostFacts, Maturity};

/// The id of this host.
pub const ID: &str = "kimi-code";

/// A text waits for the next prompt.
const REFUSES: Can = Can {
    later: Later::Outbox,
    ..ONLY_REFUSES
};

const SUBMIT: Can = Can {
    inject: Some(UNLESS_REFUSED),
    ..REFUSES
};

/// A row of an event that takes no answer.
const fn told(name: &'static str, event: &'static str) -> HostRow {
    HostRow::new(name, event, WAITS, Duration::from_secs(30))
}

/// A row of an event that is refused by exit code 2.
const fn refused(name: &'static str, event: &'static str, can: Can) -> HostRow {
    told(name, event)
        .can_say(can)
        .refused(Form::Exit2, Exit2::Blocks)
}

static EVENTS: [HostRow; 13] = [
    refused("PreToolUse", "tool:pre", REFUSES)
        .subject("tool_name")
        .needs(CALL),
    told("PostToolUse", "tool:post")
        .subject("tool_name")
        .fields(&[("tool_output", "tool_result")]),
    told("PostToolUseFailure", "tool:error").subject("tool_name"),
    told("PermissionRequest", "approval:required").subject("tool_name"),
    refused("UserPromptSubmit", "prompt:submit", SUBMIT).text(Text::Context),
    refused("Stop", "stop", REFUSES),
    told("SessionStart", "session:start").subject("source"),
    told("SessionEnd", "session:end"),
    told("SubagentStart", "agent:spawn"),
    told("SubagentStop", "agent:complete"),
    told("PreCompact", "context:pre_compact"),
    told("PostCompact", "context:post_compact"),
    told("Notification", "user:notification"),
];

const PATH: &[(&str, &str)] = &[("path", "file_path")];

static TOOLS: Tools = Tools {
    rows: &[
        Tool::new("Write", "Write", PATH),
        Tool::new("Read", "Read", PATH),
        Tool::new("Edit", "Edit", PATH),
    ],
    mcp: None,
};

static SETTINGS: Settings = Settings {
    files: &[SettingsFile::new(Scope::User, "~/.kimi-code/config.toml")],
    moved_by: Some(("KIMI_CODE_HOME", "~/.kimi-code")),
    found_by: &["~/.kimi-code"],
    shape: Shape::List,
    entry: &[
        ("event", Part::Event),
        ("command", Part::Command),
        ("timeout", Part::Timeout(Unit::Seconds)),
    ],
    next: "start a new session; /hooks shows them",
    ..Settings::BARE
};

/// The agent Kimi Code.
pub static KIMI_CODE: Relative = Relative {
    id: ID,
    facts: &HostFacts {
        aliases: &["kimi"],
        maturity: Maturity::Experimental,
        covers: "2.1.0, seen 2026-11-27",
        tools: &TOOLS,
        files: &["~/.kimi/config.toml"],
        settings: Some(&SETTINGS),
        executables: &["kimi", "kimi-code"],
        ..HostFacts::BARE
    },
    natives: &natives(&EVENTS),
    events: &EVENTS,
    words: Words {
        contexts: Contexts::Plain,
        ..Words::COMMON
    },
    odd: Oddities {
        read,
        write,
        ..Oddities::NONE
    },
    ..Relative::BARE
};

/// Reads a prompt of several parts as their text. One without any text would hide what a hook decides about.
fn read(host: &Relative, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut event = read_payload(host, bytes, hint)?;
    if event.name.as_str() == "prompt:submit" {
        let mut data = event.data.json().into_owned();
        let prompt = data
            .get("prompt")
            .and_then(text)
            .ok_or_else(|| DecodeError {
                event: Some("UserPromptSubmit".to_owned()),
                ..DecodeError::new("`prompt` has no text")
            })?;
        data.insert("prompt".to_owned(), prompt.into());
        event.data = Data::from(data);
    }
    Ok(event)
}

fn text(prompt: &Value) -> Option<String> {
    let part = |part: &Value| Some(part.get("text")?.as_str()?.to_owned());
    match prompt {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(part).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// Writes a prompt as its parts: those that it came with, where they still say it.
fn write(host: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut written = write_payload(host, event, row);
    let raw = host
        .origin_of(event)
        .and_then(|origin| origin.raw.as_deref());
    let raw = raw.and_then(|raw| crate::json::object(raw).ok());
    let came = raw.and_then(|raw| raw.get("prompt").cloned());
    if let Some(prompt) = written
        .get_mut("prompt")
        .filter(|prompt| prompt.is_string())
    {
        let is_same = |came: &Value| text(came).as_deref() == prompt.as_str();
        let parts = json!([{"type": "text", "text": prompt}]);
        *prompt = came.filter(is_same).unwrap_or(parts);
    }
    written
}
