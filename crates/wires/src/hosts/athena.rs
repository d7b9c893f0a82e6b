//! What the table of `ex_athena` does not say.

mod payloads;
mod row;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::dialects::athena as returns;
use crate::payload::{self, Incoming};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Reply, Wire};
use row::AthenaRow;
use table::{EVENTS, HALTS, TOOLS};

include!(concat!(env!("OUT_DIR"), "/athena.rs"));

const NAME: &str = "event";

/// The exit code of a command line that is wrong; a function that is left with it raises.
const USAGE: u8 = 64;

/// A program that holds `ex_athena`.
#[derive(Debug, Clone, Copy)]
pub struct Athena;

impl Wire for Athena {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let mut envelope = payload::object(self, bytes, &[NAME], hint)?;
        let native = payload::native_name(self, &mut envelope, &[NAME], hint)?;
        let named = [hint, Some(&*native)].into_iter().flatten();
        let mut slips = named.filter(|name| self.row(name).is_none());
        if let Some(name) = slips.next() {
            return Err(DecodeError {
                event: Some(name.to_owned()),
                ..DecodeError::new(no_event(name))
            });
        }
        let native = self.row(&native).map_or("", |row| row.name).to_owned();
        let row = super::find(&EVENTS, &native);
        let named = |error: DecodeError| error.about(&native);
        let data = payloads::canonical(row, envelope).map_err(named)?;
        check(row, &data).map_err(named)?;
        let event = row.map(|row| row.native.event);
        let incoming = Incoming {
            host: ID,
            native,
            event,
            subject: event.and_then(|event| EventName::new(event).spec()?.subject),
            tools: &TOOLS,
            bytes,
        };
        payload::event(incoming, data)
    }

    fn write_event(&self, event: &Event) -> Value {
        let row = row_of(event);
        let native = row.map(|row| &row.native);
        payload::as_it_came(self, event, native, |event| {
            let mut envelope = payloads::native(row, event);
            let native = payload::name_of(event, ID, native);
            envelope.insert(NAME.to_owned(), Value::from(native));
            Value::Object(envelope)
        })
    }

    /// Reads what a function returned. One that failed has crashed, and a crash halts where the loop hears a halt.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        returns::returned(raw, event).or_else(|fault| {
            if self.can(event).says(Kind::Halt) {
                return Ok(HookResult::halt(format!("a hook crashed: {}", fault.text)));
            }
            Err(fault)
        })
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        reply(returns::said(event, &self.can(event), result))
    }
}

impl Host for Athena {
    fn facts(&self) -> &'static HostFacts {
        &table::FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &table::ROWS
    }

    /// What is no event of the library is never read; of one that another host has, a program hears a halt.
    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(HALTS, |row| row.native.can)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let event = Event::new(row.map_or("", |row| row.event), Map::new());
        let can = row.map_or(HALTS, |row| row.can);
        let said = HookResult::deny(reason);
        let (said, _) = said.fit(event.name.class(), event.name.mutable(), &can);
        reply(returns::said(&event, &can, &said))
    }

    /// The library's events are an enumerated list, so another name is a slip, with which every hook would be off.
    fn misnamed(&self, name: &str) -> Option<Reply> {
        let names = EVENTS.iter().map(|row| row.native.name);
        let near = anyhook_core::taxonomy::nearest(name, names);
        let help = near.map(|near| format!("help: did you mean `{near}`?\n"));
        Some(Reply {
            stderr: format!("error: {}\n{}", no_event(name), help.unwrap_or_default()),
            exit: USAGE,
            ..Reply::default()
        })
    }
}

fn no_event(name: &str) -> String {
    format!("ex_athena has no event `{name}`")
}

fn row_of(event: &Event) -> Option<&'static AthenaRow> {
    super::by_event(&EVENTS, &event.name)
}

/// Refuses a gate that hides what a hook would decide about.
fn check(row: Option<&AthenaRow>, data: &Map) -> Result<(), DecodeError> {
    let Some(row) = row else {
        return Ok(());
    };
    payload::check(data, row.needs)?;
    // A run without a prompt of its own has none.
    let prompt = data
        .get("prompt")
        .filter(|_| row.native.event == "prompt:submit");
    match prompt {
        Some(prompt) if !prompt.is_string() && !prompt.is_null() => {
            let found = crate::json::kind(prompt);
            Err(DecodeError::new(format!(
                "`prompt` must be a string or null, and is {found}"
            )))
        }
        Some(_) | None => Ok(()),
    }
}

fn reply(answer: Map) -> Reply {
    Reply {
        stdout: format!("{}\n", Value::Object(answer)),
        ..Reply::default()
    }
}
