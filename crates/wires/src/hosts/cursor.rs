//! What the table of Cursor does not say.

mod decode;
mod encode;
mod lifted;
mod paths;
mod payloads;
mod row;

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::relative::NAME;
use super::{find, row_as};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Overlooked, Reply, Wire, payload};
use row::CursorRow;
use table::{EVENTS, ROWS};

include!(concat!(env!("OUT_DIR"), "/cursor.rs"));

/// The agent Cursor.
#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Wire for Cursor {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        payloads::read(bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        written(*self, event, row_of(event))
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        decode::read(raw, event, row_of(event))
    }

    /// An event that is not known is answered too: on a gate that prints nothing, everything would be blocked.
    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        row_of(event).map_or_else(encode::nothing, |row| encode::reply(row, event, result))
    }
}

impl Host for Cursor {
    fn facts(&self) -> &'static HostFacts {
        &table::FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.can(event))
    }

    fn overlooks(&self, event: &Event, result: &HookResult) -> Option<Overlooked> {
        encode::overlooks(row_of(event)?, event, result)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row.and_then(|row| find(&EVENTS, row.name)) else {
            return Reply::exit_2(reason);
        };
        encode::refusal(row, reason)
    }

    fn write_as(&self, event: &Event, native: &str) -> Value {
        written(*self, event, row_as(&EVENTS, event, native))
    }

    fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> Said {
        decode::read(raw, event, row_as(&EVENTS, event, native))
    }

    fn row(&self, name: &str) -> Option<&'static NativeEvent> {
        find(&EVENTS, name).map(|row| &row.native)
    }

    fn asks_later(&self, event: &Event) -> Option<&'static NativeEvent> {
        event.origin.as_deref().filter(|origin| origin.host == ID)?;
        let tool = event.subject.as_deref()?;
        let again = row_of(event)?.again.iter();
        let (_, native) = again
            .copied()
            .find(|(prefix, _)| tool.starts_with(prefix))?;
        self.row(native)
    }
}

fn written(host: Cursor, event: &Event, row: Option<&'static CursorRow>) -> Value {
    let mut written = payload::as_it_came(&host, event, row.map(|row| &row.native), |event| {
        payloads::write(event, row)
    });
    // A name of old is read and never written.
    if let (Some(row), Value::Object(data)) = (row, &mut written) {
        data.insert(NAME.to_owned(), row.native.name.into());
    }
    written
}

fn row_of(event: &Event) -> Option<&'static CursorRow> {
    super::row_of(&EVENTS, event, ID)
}
