//! The family of Claude Code: agents that took over the form of its payloads and answers, each as data.
//!
//! They share `hook_event_name`, `hookSpecificOutput`, `decision` and exit code 2, and each honours another part of it. What
//! one of them honours is its rows ([`HostRow`]) and a few words about the host as a whole ([`Relative`], [`Words`]). What no
//! row can say is a function ([`Oddities`]). Results are written in [`encode`] and answers of hooks read in [`decode`], for all
//! of them; nothing is ever written that a row does not have.

pub(super) mod decode;
pub(super) mod encode;
mod odd;
pub(super) mod row;
pub(super) mod words;

use anyhook_core::can::{Can, Coupling};
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::payload::{self, Incoming};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Overlooked, Reply, Wire};
pub(super) use odd::{Oddities, write_named};
use row::{Form, HostRow};
pub(super) use words::{Contexts, Counts, Misnamed, Notices, Reasons, Schema, Updates, Words};

pub(super) const NAME: &str = "hook_event_name";

/// A host that speaks as Claude Code does, as data.
#[derive(Debug, Clone, Copy)]
pub struct Relative {
    pub(super) id: &'static str,
    pub(super) facts: &'static HostFacts,
    /// The field of a payload that names its event; empty where none does.
    pub(super) named_by: &'static str,
    /// Fields of every payload with a name of their own: the host's, in which a dot leads into an object, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// Every event: what every host tells, and how it is answered here. The two lists are one, item by item.
    pub(super) natives: &'static [NativeEvent],
    pub(super) events: &'static [HostRow],
    /// The permission modes in which the person has approved everything already.
    pub(super) free_modes: &'static [&'static str],
    pub(super) updates: Updates,
    pub(super) schema: Schema,
    pub(super) json: Counts,
    /// The exit code by which a hook ends the agent.
    pub(super) aborts: Option<i32>,
    pub(super) words: Words,
    pub(super) odd: Oddities,
}

impl Relative {
    /// A host of which nothing is known: what is not said of one is as most of the family have it.
    pub(super) const BARE: Self = Self {
        id: "",
        facts: &HostFacts::BARE,
        named_by: NAME,
        fields: &[("tool_response", "tool_result")],
        natives: &[],
        events: &[],
        free_modes: &[],
        updates: Updates::Replace(&[]),
        schema: Schema::Open,
        json: Counts::OnSuccess,
        aborts: None,
        words: Words::BARE,
        odd: Oddities::NONE,
    };

    pub(super) fn find(&self, name: &str) -> Option<&'static HostRow> {
        super::find(self.events, name)
    }

    pub(super) fn row_of(&self, event: &Event) -> Option<&'static HostRow> {
        super::row_of(self.events, event, self.id)
    }

    /// Returns where an event came from, if this host sent it.
    pub(super) fn origin_of<'e>(
        &self,
        event: &'e Event,
    ) -> Option<&'e anyhook_core::event::Origin> {
        let origin = event.origin.as_deref();
        origin.filter(|origin| origin.host == self.id)
    }

    fn is_free(&self, event: &Event) -> bool {
        let mode = event.get("permission_mode");
        let mode = mode.as_deref().and_then(Value::as_str);
        mode.is_some_and(|mode| self.free_modes.contains(&mode))
    }
}

impl Wire for Relative {
    fn id(&self) -> &'static str {
        self.id
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        (self.odd.read)(self, bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        let native = self.row_of(event).map(|row| &row.native);
        payload::as_it_came(self, event, native, |event| {
            (self.odd.write)(self, event, self.row_of(event))
        })
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        (self.odd.decode)(self, raw, event, self.row_of(event))
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.row_of(event).map_or_else(Reply::default, |row| {
            (self.odd.reply)(self, row, Some(event), result)
        })
    }
}

/// Reads a payload: its name goes to the origin, fields with a name of their own get the canonical one, and everything else stays.
pub(super) fn read_payload(
    host: &Relative,
    bytes: &[u8],
    hint: Option<&str>,
) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, &[host.named_by], hint)?;
    let native = payload::native_name(host, &mut data, &[host.named_by], hint)?;
    let row = host.find(&native);
    for (native, canonical) in host.fields {
        payload::rename(&mut data, native, canonical);
    }
    if let Some(row) = row {
        payload::check(&data, row.needs).map_err(|error: DecodeError| error.about(&native))?;
    }
    for (native, canonical) in row.map_or(&[][..], |row| row.fields) {
        payload::rename(&mut data, native, canonical);
    }
    payload::event(incoming(host, native, row, bytes), data)
}

/// Returns what the row tells of an event before its data is looked at.
pub(super) fn incoming<'a>(
    host: &'a Relative,
    native: String,
    row: Option<&HostRow>,
    bytes: &'a [u8],
) -> Incoming<'a> {
    Incoming {
        host: host.id,
        native,
        event: row.map(|row| row.native.event),
        subject: row.and_then(|row| row.subject),
        tools: host.facts.tools,
        bytes,
    }
}

/// Writes a payload: the same JSON again, where this host sent it.
pub(super) fn write_payload(
    host: &Relative,
    event: &Event,
    row: Option<&'static HostRow>,
) -> Value {
    let mut data = payload::fields(event, host.id, host.facts.tools);
    for (native, canonical) in row.map_or(&[][..], |row| row.fields) {
        payload::rename(&mut data, canonical, native);
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, canonical, native);
    }
    let native = payload::name_of(event, host.id, row.map(|row| &row.native));
    if !host.named_by.is_empty() {
        data.insert(host.named_by.to_owned(), native.into());
    }
    Value::Object(data)
}

impl Host for Relative {
    fn facts(&self) -> &'static HostFacts {
        self.facts
    }

    fn rows(&self) -> &'static [NativeEvent] {
        self.natives
    }

    /// A rewrite is said with an approval, and a rewrite alone must never approve. Where the person has approved
    /// everything already, it gives nothing away.
    fn can(&self, event: &Event) -> Can {
        let Some(row) = self.row_of(event) else {
            return Can::NOTHING;
        };
        let mut can = (self.odd.can)(row, event);
        if row.form == Form::Permission && self.is_free(event) {
            can.coupling = Coupling::Free;
        }
        can
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        encode::overlooks(self, event, result)
    }

    fn leaves(&self, line: &[u8]) -> bool {
        (self.odd.leaves)(line)
    }

    /// Where nothing can be refused, nothing is said.
    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(native) = row else {
            return (self.odd.refuse_unknown)(self, reason);
        };
        let is_refusable = native.is_gate() && native.can.says(Kind::Deny);
        let row = self.find(native.name).filter(|_| is_refusable);
        row.map_or_else(Reply::default, |row| {
            (self.odd.reply)(self, row, None, &HookResult::deny(reason))
        })
    }

    fn since(&self, row: &NativeEvent) -> Option<&'static str> {
        self.find(row.name)?.since
    }

    fn write_as(&self, event: &Event, native: &str) -> Value {
        (self.odd.write_as)(self, event, native)
    }

    fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        let row = super::row_as(self.events, event, native);
        (self.odd.decode)(self, raw, event, row)
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        self.find(name).map(|row| &row.native)
    }
}
