//! Claude Code: its payloads, its rows, and its answers.
//!
//! A payload is read as it is: its name goes to the origin, `tool_response` is `tool_result` here as for every host, and
//! everything else stays under its own name. Writing it gives the same JSON again.
//!
//! Claude Code keeps the first part of a text over 10,000 characters and puts the whole into a file, so texts are written
//! whole: cutting them here would lose what it keeps.

mod heard;
mod row;
mod rows;
mod said;
mod settings;

use std::borrow::Cow;

use anyhook_core::can::Can;
use anyhook_core::event::{Data, Event, EventName, Map, Origin};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::{DecodeError, Host, NativeEvent, Reply, Wire, json, tools};
use row::{Need, Row};
use rows::{EVENTS, ROWS};

/// The id of this host.
pub const ID: &str = "claude-code";

/// The answers that only this host has, besides those that every host shares in some form.
pub(crate) const ONLY_HERE: &[&str] = &[
    "terminalSequence",
    "sessionTitle",
    "initialUserMessage",
    "watchPaths",
    "reloadSkills",
    "suppressOriginalPrompt",
    "classifierContext",
    "retry",
    "displayContent",
    "worktreePath",
    "action",
    "content",
    "updatedPermissions",
    "interrupt",
];

const NAME: &str = "hook_event_name";

/// The agent Claude Code.
#[derive(Debug, Clone, Copy)]
pub struct ClaudeCode;

impl Wire for ClaudeCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let named = || {
            let known = hint.filter(|hint| find(hint).is_some());
            known.map_or_else(|| json::glimpse(bytes, NAME), |hint| Some(hint.to_owned()))
        };
        let mut data = json::object(bytes).map_err(|error| DecodeError {
            event: named(),
            ..error
        })?;
        let native = native_name(&mut data, hint)?;
        let row = find(&native);
        if let Some(row) = row {
            check(&data, row).map_err(|error| DecodeError {
                event: Some(native.clone()),
                ..error
            })?;
        }
        rename(&mut data, "tool_response", "tool_result");
        Ok(event(data, native, row, bytes))
    }

    fn write_event(&self, event: &Event) -> Value {
        let mut data = event.data.json().into_owned();
        rename(&mut data, "tool_result", "tool_response");
        let origin = event.origin.as_deref().filter(|origin| origin.host == ID);
        let native = match (origin, row_of(event)) {
            (Some(origin), _) => &*origin.native,
            (None, Some(row)) => row.native.name,
            (None, None) => event.name.as_str(),
        };
        data.insert(NAME.to_owned(), Value::from(native));
        Value::Object(data)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard::read(raw, event, row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(Reply::default, |row| {
            said::reply(row, &self.can(event), result)
        })
    }
}

impl Host for ClaudeCode {
    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.can(event))
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row else {
            return Reply {
                stdout: String::new(),
                stderr: format!("{reason}\n"),
                exit: 2,
            };
        };
        said::refusal(row, reason)
    }

    fn files(&self) -> &'static [&'static str] {
        &[
            "~/.claude/settings.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "/etc/claude-code/managed-settings.json",
            "/etc/claude-code/managed-settings.d/",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.d/",
            "C:\\Program Files\\ClaudeCode\\managed-settings.json",
            "C:\\Program Files\\ClaudeCode\\managed-settings.d\\",
        ]
    }

    fn settings(&self) -> Option<&'static crate::settings::Settings> {
        Some(&settings::SETTINGS)
    }

    fn executables(&self) -> &'static [&'static str] {
        &["claude"]
    }

    fn project_variable(&self) -> Option<&'static str> {
        Some("CLAUDE_PROJECT_DIR")
    }

    /// Its payloads name the event in one spelling only; a universal payload has the twin beside it.
    fn speaks(&self, payload: &Map) -> bool {
        let named = payload.get("hook_event_name").and_then(Value::as_str);
        let is_ours = named.is_some_and(|name| self.rows().iter().any(|row| row.name == name));
        is_ours && !payload.contains_key("hookEventName")
    }
}

/// Returns Claude Code's own name for an event, such as `PreToolUse`.
pub(crate) fn name_of(name: &EventName) -> Option<&'static str> {
    let row = ROWS.iter().find(|row| row.event == name.as_str())?;
    Some(row.name)
}

/// Resolves a name, in any spelling that anybody has for it.
pub(crate) fn resolve(name: &str) -> EventName {
    find(name).map_or_else(
        || EventName::new(name),
        |row| EventName::new(row.native.event),
    )
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

/// Takes the event's name out of the payload. Where the command line names an event that this host has, that one holds:
/// it is what the host's settings say, and a payload must not talk its way into another event.
fn native_name(data: &mut Map, hint: Option<&str>) -> Result<String, DecodeError> {
    let told = data.shift_remove(NAME);
    if let Some(row) = hint.and_then(|hint| ClaudeCode.row(hint)) {
        return Ok(row.name.to_owned());
    }
    match told {
        Some(Value::String(name)) => Ok(name),
        Some(other) => Err(DecodeError {
            event: hint.map(str::to_owned),
            ..DecodeError::new(format!(
                "`{NAME}` must be a string, and is {}",
                json::kind(&other)
            ))
        }),
        None => hint.map(str::to_owned).ok_or_else(|| {
            DecodeError::new(format!(
                "the payload has no `{NAME}`, and nothing else names the event"
            ))
        }),
    }
}

/// Refuses a payload that hides what a hook would decide about: a tool whose name is no text, arguments that are no
/// object. A hook would look at something that is not there, and find nothing wrong with it.
fn check(data: &Map, row: &Row) -> Result<(), DecodeError> {
    for need in row.needs {
        let (field, fits, wanted) = match *need {
            Need::Text(field) => (
                field,
                data.get(field).is_some_and(Value::is_string),
                "a string",
            ),
            Need::Object(field) => (
                field,
                data.get(field).is_some_and(Value::is_object),
                "an object",
            ),
        };
        if !fits {
            let found = data.get(field).map_or("missing", json::kind);
            return Err(DecodeError::new(format!(
                "`{field}` must be {wanted}, and is {found}"
            )));
        }
    }
    Ok(())
}

/// Renames a field, unless its new name is taken: then both stay what they are.
fn rename(data: &mut Map, from: &str, to: &str) {
    if !data.contains_key(to)
        && let Some(value) = data.shift_remove(from)
    {
        data.insert(to.to_owned(), value);
    }
}

fn event(data: Map, native: String, row: Option<&'static Row>, bytes: &[u8]) -> Event {
    let text = |field: &str| data.get(field).and_then(Value::as_str);
    let subject = row.and_then(|row| row.subject);
    let is_tool = subject == Some("tool_name") && !data.contains_key("mcp_server");
    let subject: Option<Box<str>> = subject.and_then(text).map(Box::from);
    let also = match &subject {
        Some(tool) if is_tool => tools::also(tool),
        Some(_) | None => &[],
    };
    let name = match row {
        Some(row) => EventName::new(row.native.event),
        None => EventName::new(&unknown(&native)),
    };
    let origin = Origin {
        host: Cow::Borrowed(ID),
        session: text("session_id").map(Box::from),
        raw: Some(bytes.into()),
        native: native.into(),
    };
    Event {
        name,
        origin: Some(Box::new(origin)),
        subject,
        also,
        data: Data::from(data),
        at: None,
    }
}

/// Names an event that this table does not know: `claude-code:` and its name in kebab-case.
fn unknown(native: &str) -> String {
    let mut name = format!("{ID}:");
    let mut was_lower = false;
    for letter in native.chars() {
        if letter.is_ascii_uppercase() && was_lower {
            name.push('-');
        }
        was_lower = !letter.is_ascii_uppercase();
        name.push(letter.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests;
