//! What relatives of Claude Code share: the form of its payloads and answers, with rows of their own.
// no row: the form of several hosts, each of which has a file and a row of its own.
//!
//! Hosts took over `hook_event_name`, `hookSpecificOutput` and exit code 2, and each honours another part of it. What one
//! of them honours is data: its rows ([`row::Row`]) and a few words about the host as a whole ([`Relative`]). We say JSON on
//! exit 0 only; nothing is ever said that a row does not have.

mod heard;
pub(super) mod row;
mod said;

use anyhook_core::can::{Can, Coupling};
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::result::Kind;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::payload::{self, Heard};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Overlooked, Reply, Wire};
use row::{Form, Row};

const NAME: &str = "hook_event_name";

/// A host that speaks as Claude Code does, as data.
#[derive(Debug, Clone, Copy)]
pub struct Relative {
    pub(super) id: &'static str,
    pub(super) facts: &'static HostFacts,
    /// Every event: what every host tells, and how it is answered here. The two lists are one, item by item.
    pub(super) natives: &'static [NativeEvent],
    pub(super) events: &'static [Row],
    /// The permission modes in which the person has approved everything already.
    pub(super) free_modes: &'static [&'static str],
    pub(super) updates: Updates,
    pub(super) schema: Schema,
    pub(super) json: Counts,
    /// The exit code by which a hook ends the agent.
    pub(super) aborts: Option<i32>,
    /// Tells whether a payload that names one of this host's events comes from it.
    pub(super) is_own: fn(&Map) -> bool,
}

/// What new arguments do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Updates {
    /// They take the place of the old ones; these tools cannot be called without these arguments.
    Replace(&'static [(&'static str, &'static str)]),
    /// They are laid over the old ones: an argument cannot be taken away.
    Merge,
}

/// When JSON of a hook counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// On exit 0.
    OnSuccess,
    /// Whatever the exit code.
    Always,
    /// Whatever the exit code but 2, and on the standard error where there is nothing on the standard output.
    OnEitherStream,
}

/// What becomes of an answer with something in it that the host does not know.
#[derive(Debug, Clone, Copy)]
pub(super) enum Schema {
    /// What is unknown is overlooked.
    Open,
    /// The whole answer is dropped, and the action goes ahead. The function names what is wrong with an answer.
    Closed(fn(&Row, &Map) -> Vec<String>),
}

impl Relative {
    fn find(&self, name: &str) -> Option<&'static Row> {
        let exact = self.events.iter().find(|row| row.native.name == name);
        exact.or_else(|| self.by_event(&EventName::new(name)))
    }

    fn by_event(&self, name: &EventName) -> Option<&'static Row> {
        self.events
            .iter()
            .find(|row| row.native.event == name.as_str())
    }

    /// Returns the row of an event: the one under whose name it came, if this host sent it.
    fn row_of(&self, event: &Event) -> Option<&'static Row> {
        let own = event
            .origin
            .as_deref()
            .filter(|origin| origin.host == self.id);
        own.and_then(|origin| self.find(&origin.native))
            .filter(|row| row.native.event == event.name.as_str())
            .or_else(|| self.by_event(&event.name))
    }

    fn is_free(&self, event: &Event) -> bool {
        let mode = event.get("permission_mode");
        let mode = mode.as_deref().and_then(Value::as_str);
        mode.is_some_and(|mode| self.free_modes.contains(&mode))
    }

    fn write_named(&self, event: &Event, native: &str) -> Value {
        let mut data = payload::fields(event, self.id, self.facts.tools);
        payload::rename(&mut data, "tool_result", "tool_response");
        data.insert(NAME.to_owned(), native.into());
        Value::Object(data)
    }
}

impl Wire for Relative {
    fn id(&self) -> &'static str {
        self.id
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut data = payload::object(self, bytes, &[NAME], hint)?;
        let native = payload::native_name(self, &mut data, &[NAME], hint)?;
        let row = self.find(&native);
        if let Some(row) = row {
            payload::check(&data, row.needs).map_err(|error| DecodeError {
                event: Some(native.clone()),
                ..error
            })?;
        }
        payload::rename(&mut data, "tool_response", "tool_result");
        let heard = Heard {
            host: self.id,
            native,
            event: row.map(|row| row.native.event),
            subject: row.and_then(|row| row.subject),
            tools: self.facts.tools,
            bytes,
        };
        payload::event(heard, data)
    }

    fn write_event(&self, event: &Event) -> Value {
        let row = self.row_of(event).map(|row| &row.native);
        self.write_named(event, payload::name_of(event, self.id, row))
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        heard::read(self, raw, event, self.row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.row_of(event).map_or_else(Reply::default, |row| {
            said::reply(self, row, Some(event), result)
        })
    }
}

impl Host for Relative {
    fn facts(&self) -> &'static HostFacts {
        self.facts
    }

    fn rows(&self) -> &'static [NativeEvent] {
        self.natives
    }

    /// A rewrite is said with an approval, and a rewrite alone must never approve (D8). Where the person has approved
    /// everything already, it gives nothing away.
    fn can(&self, event: &Event) -> Can {
        let Some(row) = self.row_of(event) else {
            return Can::NOTHING;
        };
        let mut can = row.native.can;
        if row.form == Form::Permission && self.is_free(event) {
            can.coupling = Coupling::Free;
        }
        can
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        said::overlooks(self, self.row_of(event)?, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(native) = row else {
            return Reply::exit_2(reason);
        };
        let is_gate = native.is_gate();
        let row = self
            .find(native.name)
            .filter(|_| is_gate && native.can.says(Kind::Deny));
        row.map_or_else(Reply::default, |row| {
            said::reply(self, row, None, &HookResult::deny(reason))
        })
    }

    fn since(&self, row: &NativeEvent) -> Option<&'static str> {
        self.find(row.name)?.since
    }

    fn speaks(&self, payload: &Map) -> bool {
        let named = payload.get(NAME).and_then(Value::as_str);
        let is_known = named.is_some_and(|name| self.natives.iter().any(|row| row.name == name));
        is_known && !payload.contains_key("hookEventName") && (self.is_own)(payload)
    }
}

/// Tells whether the transcript of a payload lies in a folder of this name.
pub(super) fn keeps_transcript_in(payload: &Map, folder: &str) -> bool {
    let path = payload.get("transcript_path").and_then(Value::as_str);
    let mut parts = path.unwrap_or_default().split(['/', '\\']);
    parts.any(|part| part == folder)
}
