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
use anyhook_core::event::{Event, EventName, Origin};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::payload::{self, Incoming};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Overlooked, Reply, Wire};
pub(super) use odd::Oddities;
use row::{Form, HostRow};
pub(super) use words::{Contexts, Counts, Misnamed, Notices, Reasons, Schema, Updates, Words};

pub(super) const NAME: &str = "hook_event_name";

/// The exit code of a command line that is wrong.
const USAGE: u8 = 64;

/// A host that speaks as Claude Code does, as data.
#[derive(Debug, Clone, Copy)]
pub struct Relative {
    pub(super) id: &'static str,
    pub(super) facts: &'static HostFacts,
    /// The fields of a payload that may name its event: the first is written.
    pub(super) named_by: &'static [&'static str],
    /// Fields of every payload with a name of their own: the host's, in which a dot leads into an object, and the canonical one.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// Names of old for fields: read where the new one is not there, and never written.
    pub(super) former: &'static [(&'static str, &'static str)],
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
    /// Whether another name than those of its events is a slip, with which every hook would be off.
    pub(super) lists_all: bool,
    /// What may be said about an event that the host does not have.
    pub(super) unknown: Can,
    pub(super) words: Words,
    pub(super) odd: Oddities,
}

impl Relative {
    /// A host of which nothing is known: what is not said of one is as most of the family have it.
    pub(super) const BARE: Self = Self {
        id: "",
        facts: &HostFacts::BARE,
        named_by: &[NAME],
        fields: &[("tool_response", "tool_result")],
        former: &[],
        natives: &[],
        events: &[],
        free_modes: &[],
        updates: Updates::Replace(&[]),
        schema: Schema::Open,
        json: Counts::OnSuccess,
        aborts: None,
        lists_all: false,
        unknown: Can::NOTHING,
        words: Words::BARE,
        odd: Oddities::NONE,
    };

    /// Finds the row of a name as the host spells it, or once did, else in any other spelling.
    pub(super) fn find(&self, name: &str) -> Option<&'static HostRow> {
        let is_it = |row: &&HostRow| row.native.name == name || row.also.contains(&name);
        let exact = self.events.iter().find(is_it);
        let event = EventName::new(name);
        exact.or_else(|| self.events.iter().find(|row| row.is(&event)))
    }

    /// Returns the row of an event for a hook on this event of the host: one event of ours may be several of a host's.
    pub(super) fn row_as(&self, event: &Event, native: &str) -> Option<&'static HostRow> {
        let named = self.find(native).filter(|row| row.is(&event.name));
        named.or_else(|| self.by_call(event))
    }

    /// Returns the row of an event: the one under whose name it came, if this host sent it.
    pub(super) fn row_of(&self, event: &Event) -> Option<&'static HostRow> {
        match self.origin_of(event) {
            Some(origin) => self.row_as(event, &origin.native),
            None => self.by_call(event),
        }
    }

    fn by_call(&self, event: &Event) -> Option<&'static HostRow> {
        let tool = event.text("tool_name");
        let mut rows = self.events.iter();
        rows.find(|row| row.is(&event.name) && row.fits(tool.as_deref()))
    }

    /// Returns where an event came from, if this host sent it.
    pub(super) fn origin_of<'e>(&self, event: &'e Event) -> Option<&'e Origin> {
        payload::own(event, self.id)
    }

    fn no_event(&self, name: &str) -> String {
        let called = self.facts.aliases.first().unwrap_or(&self.id);
        format!("{called} has no event `{name}`")
    }

    /// Says nothing.
    pub(super) fn silence(&self) -> Reply {
        Reply {
            stdout: self.words.silence.to_owned(),
            ..Reply::default()
        }
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
        self.row_of(event).map_or_else(
            || self.silence(),
            |row| (self.odd.reply)(self, row, Some(event), result),
        )
    }
}

/// Reads a payload: its name goes to the origin, fields with a name of their own get the canonical one, and everything else stays.
pub(super) fn read_payload(
    host: &Relative,
    bytes: &[u8],
    hint: Option<&str>,
) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, host.named_by, hint)?;
    let native = payload::native_name(host, &mut data, host.named_by, hint)?;
    let row = host.find(&native);
    let mut slips = [hint, Some(&*native)].into_iter().flatten();
    let slip = slips.find(|name| host.lists_all && host.find(name).is_none());
    if let Some(name) = slip {
        return Err(DecodeError::new(host.no_event(name)).about(name));
    }
    // A name of old is one of the event's names, and not the one that it goes by.
    let is_old = |row: &&HostRow| row.also.contains(&&*native);
    let native = row
        .filter(is_old)
        .map_or_else(|| native.clone(), |row| row.native.name.to_owned());
    let about = |error: DecodeError| error.about(&native);
    for (former, now) in host.former {
        if !data.contains_key(*now) {
            payload::rename(&mut data, former, now);
        }
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, native, canonical);
    }
    if let Some(row) = row {
        payload::check(&data, row.needs).map_err(about)?;
        for (native, canonical) in row.fields {
            payload::rename(&mut data, native, canonical);
        }
        (host.odd.open)(row, &mut data).map_err(about)?;
        if let Some((name, text)) = row.adds {
            data.entry(name).or_insert_with(|| text.into());
        }
    }
    let mut incoming = incoming(host, native.clone(), row, bytes);
    let failed = row.and_then(|row| row.failed);
    incoming.event = failed
        .filter(|_| data.contains_key("error"))
        .or(incoming.event);
    let mut event = payload::event(incoming, data)?;
    (host.odd.close)(&mut event, row).map_err(about)?;
    Ok(event)
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
    if let Some(row) = row {
        (host.odd.lower)(event, row, &mut data);
        for (native, canonical) in row.fields {
            payload::rename(&mut data, canonical, native);
        }
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, canonical, native);
    }
    let native = payload::name_of(event, host.id, row.map(|row| &row.native));
    if let Some(name) = host.named_by.first() {
        data.insert((*name).to_owned(), native.into());
    }
    Value::Object(data)
}

/// Writes a payload for a hook on this event of the host, which may have several for one of ours.
pub(super) fn write_as(host: &Relative, event: &Event, native: &str) -> Value {
    let row = host.row_as(event, native);
    let written = payload::as_it_came(host, event, row.map(|row| &row.native), |event| {
        (host.odd.write)(host, event, row)
    });
    let native = host.find(native).map_or(native, |row| row.native.name);
    match host.named_by.first() {
        Some(name) => payload::renamed(written, event, host.id, (name, native)),
        None => written,
    }
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
            return self.unknown;
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

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        (self.odd.refuse)(self, row.and_then(|row| self.find(row.name)), reason)
    }

    fn misnamed(&self, name: &str) -> Option<Reply> {
        let names = self.natives.iter().map(|row| row.name);
        let near = taxonomy::nearest(name, names);
        let help = near.map(|near| format!("help: did you mean `{near}`?\n"));
        self.lists_all.then(|| Reply {
            stderr: format!(
                "error: {}\n{}",
                self.no_event(name),
                help.unwrap_or_default()
            ),
            exit: USAGE,
            ..Reply::default()
        })
    }

    fn asks_later(&self, event: &Event) -> Option<&'static NativeEvent> {
        self.origin_of(event)?;
        let tool = event.subject.as_deref()?;
        let mut again = self.row_of(event)?.again.iter();
        let (_, native) = again.find(|(prefix, _)| tool.starts_with(prefix))?;
        self.row(native)
    }

    fn since(&self, row: &NativeEvent) -> Option<&'static str> {
        self.find(row.name)?.since
    }

    fn write_as(&self, event: &Event, native: &str) -> Value {
        (self.odd.write_as)(self, event, native)
    }

    fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        let row = self.row_as(event, native);
        (self.odd.decode)(self, raw, event, row)
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        let row = self.find(name)?;
        let mut natives = self.natives.iter();
        natives.find(|native| native.name == row.native.name)
    }
}
