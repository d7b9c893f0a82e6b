//! Gemini CLI: its payloads, its rows, and its answers.
//!
//! Facts that nobody has verified are read so that no gate opens: `decision: ask` is never said (a question becomes a
//! refusal that holds it), `continue: false` is not leant on before a request to the model, and new arguments are always
//! sent whole, because the document says that they are merged into the old ones and the source replaces them. Where a
//! hook takes an argument away, which a host that merges would keep, the call is refused.
//!
//! Every exit code from 2 on refuses, a missing script included, so we never leave with one but to refuse.

mod health;
mod heard;
mod payloads;
mod rows;
mod said;
mod settings;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::payload::{self, Heard};
use crate::{DecodeError, Host, HostFacts, Maturity, NativeEvent, Overlooked, Reply, Wire};
use rows::{EVENTS, ROWS, Row, TOOLS};

/// The id of this host.
pub const ID: &str = "gemini-cli";

const NAME: &str = "hook_event_name";

/// The agent Gemini CLI.
#[derive(Debug, Clone, Copy)]
pub struct GeminiCli;

impl Wire for GeminiCli {
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
        let event = row.map(|row| payloads::lift(row, &mut data));
        let heard = Heard {
            host: ID,
            native,
            event,
            subject: row.and_then(|row| row.subject),
            tools: &TOOLS,
            bytes,
        };
        payload::event(heard, data).map(payloads::served)
    }

    fn write_event(&self, event: &Event) -> Value {
        let row = row_of(event);
        let mut data = payload::fields(event, ID, &TOOLS);
        payloads::lower(event, row, &mut data);
        let native = payload::name_of(event, ID, row.map(|row| &row.native));
        data.insert(NAME.to_owned(), Value::from(native));
        Value::Object(data)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard::read(raw, event, row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(Reply::default, |row| said::reply(row, event, result))
    }
}

static FACTS: HostFacts = HostFacts {
    aliases: &["gemini"],
    maturity: Maturity::Proved,
    covers: "0.61.0, 2026-11-22",
    // An extension may bring hooks too, and `trusted_hooks.json` says which of a project's hooks the person knows.
    files: &[
        "~/.gemini/settings.json",
        "~/.gemini/trusted_hooks.json",
        "~/.gemini/extensions/",
        ".gemini/settings.json",
        ".gemini/extensions/",
        "/etc/gemini-cli/settings.json",
        "/etc/gemini-cli/system-defaults.json",
        "/Library/Application Support/GeminiCli/settings.json",
        "/Library/Application Support/GeminiCli/system-defaults.json",
        "C:\\ProgramData\\gemini-cli\\settings.json",
        "C:\\ProgramData\\gemini-cli\\system-defaults.json",
    ],
    settings: Some(&settings::SETTINGS),
    health: Some(&health::HEALTH),
    executables: &["gemini"],
    // It is the folder in which the host works, which need not be the root of the project.
    project_variable: Some("GEMINI_PROJECT_DIR"),
    tools: &TOOLS,
    ..HostFacts::BARE
};

impl Host for GeminiCli {
    fn facts(&self) -> &'static HostFacts {
        &FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.native.can)
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        said::overlooks(row_of(event)?, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row else {
            return Reply::exit_2(reason);
        };
        said::refusal(row, reason)
    }

    /// Some names are Claude Code's too, but every payload of this host has a time.
    fn speaks(&self, payload: &Map) -> bool {
        payload::names_one_of(self.rows(), payload, NAME)
            && payload.contains_key("timestamp")
            && !payload.contains_key("hookEventName")
    }

    /// A tool that failed has no row of its own: the host tells of it under the name of one that has run.
    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        find(name).map(|row| &row.native)
    }
}

/// Finds the row of a name as Gemini CLI spells it, else in any other spelling.
fn find(name: &str) -> Option<&'static Row> {
    let exact = EVENTS.iter().find(|row| row.native.name == name);
    exact.or_else(|| by_event(&EventName::new(name)))
}

fn by_event(name: &EventName) -> Option<&'static Row> {
    EVENTS
        .iter()
        .find(|row| row.native.event == name.as_str() || row.failed == Some(name.as_str()))
}

fn row_of(event: &Event) -> Option<&'static Row> {
    by_event(&event.name)
}
