//! What the table of Windsurf does not say.

mod payloads;
mod row;

use anyhook_core::can::Can;
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::Row;
use crate::dialects::{SUCCESS, blocked, code, failed};
use crate::{DecodeError, Host, HostFacts, NativeEvent, Reply, Wire, payload};
use row::WindsurfRow;
use table::{EVENTS, ROWS};

include!(concat!(env!("OUT_DIR"), "/windsurf.rs"));

const NAME: &str = "agent_action_name";

const BLOCK: u8 = 2;

/// The agent Windsurf.
#[derive(Debug, Clone, Copy)]
pub struct Windsurf;

impl Wire for Windsurf {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        payloads::read(bytes, hint)
    }

    fn write_event(&self, event: &Event) -> Value {
        let row = row_of(event);
        payload::as_it_came(self, event, row.map(|row| &row.native), |event| {
            payloads::write(event, row)
        })
    }

    /// What a hook prints is not read.
    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        let is_gate = row_of(event).is_none_or(WindsurfRow::is_gate);
        match code(raw)? {
            SUCCESS => Ok(HookResult::proceed()),
            code if code == i32::from(BLOCK) && is_gate => {
                Ok(blocked(Ok(HookResult::proceed()), None, raw))
            }
            code => Err(failed(code, raw).into()),
        }
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        let refuses = result.verdict.kind() >= Kind::Ask || !result.effects.patch().is_empty();
        match row_of(event) {
            Some(row) if row.is_gate() && refuses => Reply::exit_2(&result.verdict.text()),
            Some(_) | None => Reply::default(),
        }
    }
}

impl Host for Windsurf {
    fn facts(&self) -> &'static HostFacts {
        &table::FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    fn can(&self, event: &Event) -> Can {
        row_of(event).map_or(Can::NOTHING, |row| row.native.can)
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        if row.is_none_or(|row| row.can.says(Kind::Deny)) {
            return Reply::exit_2(reason);
        }
        Reply::default()
    }

    fn write_as(&self, event: &Event, native: &str) -> Value {
        let row = row_as(event, native);
        payload::as_it_came(self, event, row.map(|row| &row.native), |event| {
            payloads::write_for_hook(event, row)
        })
    }
}

/// Returns the row of an event for a hook on one of those that are the same event of ours.
fn row_as(event: &Event, native: &str) -> Option<&'static WindsurfRow> {
    let named = super::find(&EVENTS, native).filter(|row| row.is(&event.name));
    named.or_else(|| row_of(event))
}

/// One event of ours is several of Windsurf's: a call of another host is the one of its tool.
fn row_of(event: &Event) -> Option<&'static WindsurfRow> {
    if event
        .origin
        .as_deref()
        .is_some_and(|origin| origin.host == ID)
    {
        return super::row_of(&EVENTS, event, ID);
    }
    let tool = event.text("tool_name");
    let fits = |row: &&WindsurfRow| row.tool.is_none_or(|own| own.fits(tool.as_deref()));
    EVENTS.iter().filter(fits).find(|row| row.is(&event.name))
}
