//! Claude Code: its payloads, its rows, and its answers.
//!
//! A payload is read as it is: its name goes to the origin, `tool_response` is `tool_result` here as for every host, and
//! everything else stays under its own name. Writing it gives the same JSON again.
//!
//! Claude Code keeps the first part of a text over 10,000 characters and puts the whole into a file, so texts are written
//! whole: cutting them here would lose what it keeps.

mod health;
mod heard;
mod row;
mod rows;
mod said;
mod settings;

use std::time::Duration;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::answer;
use crate::payload::{self, Heard, Tools};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire, tools};
use row::Row;
use rows::{EVENTS, ROWS};

/// The id of this host.
pub const ID: &str = answer::MADE_BY;

/// The one of the fields of its own that stands beside `hookSpecificOutput`; all others belong into it.
const BESIDE: &str = "terminalSequence";

const NAME: &str = "hook_event_name";

/// The agent Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

impl Wire for ClaudeCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut data = payload::object(self, bytes, &[NAME], hint)?;
        let native = payload::native_name(self, &mut data, &[NAME], hint)?;
        let row = find(&native);
        if let Some(row) = row {
            payload::check(&data, row.needs).map_err(|error| DecodeError {
                event: Some(native.clone()),
                ..error
            })?;
        }
        payload::rename(&mut data, "tool_response", "tool_result");
        let heard = Heard {
            host: ID,
            native,
            event: row.map(|row| row.native.event),
            subject: row.and_then(|row| row.subject),
            tools: &Tools::CANONICAL,
            bytes,
        };
        payload::event(heard, data)
    }

    fn write_event(&self, event: &Event) -> Value {
        let mut data = payload::fields(event, ID, &Tools::CANONICAL);
        payload::rename(&mut data, "tool_result", "tool_response");
        let row = row_of(event).map(|row| &row.native);
        let native = payload::name_of(event, ID, row);
        data.insert(NAME.to_owned(), Value::from(native));
        Value::Object(data)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard::read(raw, event, row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(Reply::default, |row| {
            said::reply(row, &self.can(event), Some(event), result)
        })
    }
}

static FACTS: HostFacts = HostFacts {
    maturity: Maturity::Proved,
    covers: "2.1.330, 2026-11-22",
    files: &[
        "~/.claude/settings.json",
        ".claude/settings.json",
        ".claude/settings.local.json",
        "/etc/claude-code/managed-settings.json",
        "/etc/claude-code/managed-settings.d/",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.d/",
        "C:\\Program Files\\ClaudeCode\\managed-settings.json",
        "C:\\Program Files\\ClaudeCode\\managed-settings.d\\",
    ],
    settings: Some(&settings::SETTINGS),
    health: Some(&health::HEALTH),
    executables: &["claude"],
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    version_at: Some(crate::VersionAt::Dashed("AI_AGENT", "claude-code")),
    prompts: crate::Prompts {
        of_agents: &["agent_id"],
        of_host: &["<task-notification>"],
        ..crate::Prompts::NEW
    },
    ..HostFacts::BARE
};

impl Host for ClaudeCode {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.can(event))
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        said::overlooks(row_of(event)?, event, result)
    }

    fn leaves(&self, line: &[u8]) -> Option<Duration> {
        heard::leaves(line)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row else {
            return Reply::exit_2(reason);
        };
        said::refusal(row, reason)
    }

    /// The tool of another host's event goes by Claude Code's name for it.
    fn write_as(&self, event: &Event, native: &str) -> Value {
        let mut written = self.write_event(event);
        let is_own = event
            .origin
            .as_deref()
            .is_some_and(|origin| origin.host == ID);
        if let (Value::Object(data), false) = (&mut written, is_own) {
            data.insert(NAME.to_owned(), native.into());
            if let Some(tool) = data.get("tool_name").and_then(Value::as_str) {
                let canonical = tools::canonical(tool).to_owned();
                data.insert("tool_name".to_owned(), canonical.into());
            }
        }
        written
    }

    /// Its payloads name the event in one spelling only; a universal payload has the twin beside it.
    fn speaks(&self, payload: &Map) -> bool {
        payload::names_one_of(self.rows(), payload, "hook_event_name")
            && !payload.contains_key("hookEventName")
    }
}

/// Returns Claude Code's own name for an event, such as `PreToolUse`.
pub(crate) fn name_of(name: &EventName) -> Option<&'static str> {
    let row = ROWS.iter().find(|row| row.event == name.as_str())?;
    Some(row.name)
}

/// Finds the row of a name as Claude Code spells it, else in any other spelling.
fn find(name: &str) -> Option<&'static Row> {
    let exact = EVENTS.iter().find(|row| row.native.name == name);
    exact.or_else(|| by_event(&EventName::new(name)))
}

fn by_event(name: &EventName) -> Option<&'static Row> {
    EVENTS.iter().find(|row| row.native.event == name.as_str())
}

fn row_of(event: &Event) -> Option<&'static Row> {
    by_event(&event.name)
}

fn says(event: &Event, field: &str, value: &str) -> bool {
    event.data.json().get(field).and_then(Value::as_str) == Some(value)
}

#[cfg(test)]
mod tests;
