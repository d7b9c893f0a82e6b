//! What the table of the universal form does not say.

mod encode;
pub(super) mod names;

use std::borrow::Cow;

use anyhook_core::can::Can;
use anyhook_core::event::{Event, EventName, Map, Origin};
use anyhook_core::handler::Said;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::hosts::claude_code;
use crate::{
    DecodeError, Host, HostFacts, NativeEvent, Reply, Wire, dialects, json, payload, tools,
};

use table::{BLOCKS, NOTICE, ROWS, TOOL_GATE};

include!(concat!(env!("OUT_DIR"), "/universal.rs"));

const NAMES: [&str; 2] = ["hookEventName", "hook_event_name"];

/// Names of old for a canonical field.
const FORMER: &[(&str, &str)] = &[("tool_response", "tool_result")];

/// A caller that speaks the universal form: `run` without a host, the test runner, an agent of one's own.
#[derive(Debug, Clone, Copy)]
pub struct Universal;

impl Wire for Universal {
    fn id(&self) -> &'static str {
        ID
    }

    fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let named = |error: DecodeError| {
            let glimpsed = || NAMES.iter().find_map(|name| json::glimpse(bytes, name));
            DecodeError {
                event: hint.map(str::to_owned).or_else(glimpsed),
                ..error
            }
        };
        let mut data = json::object(bytes).map_err(named)?;
        let native = native_name(&mut data, hint).map_err(named)?;
        let data = names::joined(data).map_err(named)?;
        check(&data).map_err(named)?;
        Ok(event(data, &native, bytes))
    }

    fn write_event(&self, event: &Event) -> Value {
        let mut data = event.data.json().into_owned();
        let tool = data
            .get("tool_name")
            .and_then(Value::as_str)
            .map(str::to_owned);
        if let Some(tool) = &tool {
            data.insert("tool_name".to_owned(), tools::canonical(tool).into());
        }
        if let Some(input) = data.get_mut("tool_input") {
            payload::list_files(input);
        }
        let mut twins = names::twins(data);
        let alias = claude_code::name_of(&event.name).unwrap_or(event.name.as_str());
        twins.insert("hookEventName".to_owned(), event.name.universal().into());
        twins.insert("hook_event_name".to_owned(), alias.into());
        if let Some(origin) = event.origin.as_deref().filter(|origin| origin.host != ID) {
            let mut native = Map::new();
            native.insert("host".to_owned(), (&*origin.host).into());
            native.insert("event".to_owned(), (&*origin.native).into());
            if let Some(tool) = tool {
                native.insert("tool".to_owned(), tool.into());
            }
            twins.insert("native".to_owned(), Value::Object(native));
        }
        Value::Object(twins)
    }

    fn read_result(&self, raw: &Transcript, event: &Event) -> Said {
        dialects::read_universal(raw, event)
    }

    fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        encode::reply(&event.name, &self.can(event), result)
    }
}

impl Host for Universal {
    fn facts(&self) -> &'static HostFacts {
        &table::FACTS
    }

    fn rows(&self) -> &'static [NativeEvent] {
        &ROWS
    }

    /// An event without a row is one that a program made up: its class says what can be said.
    fn can(&self, event: &Event) -> Can {
        if let Some(row) = ROWS.iter().find(|row| row.event == event.name.as_str()) {
            return row.can;
        }
        match event.name.class() {
            Class::Gate => TOOL_GATE,
            Class::Continuation | Class::After => BLOCKS,
            Class::Notice => NOTICE,
        }
    }

    fn refuse_unread(&self, row: Option<&'static NativeEvent>, reason: &str) -> Reply {
        let Some(row) = row else {
            return Reply::exit_2(reason);
        };
        let name = EventName::new(row.event);
        if name.class() != Class::Gate {
            return Reply::default();
        }
        encode::reply(&name, &row.can, &HookResult::deny(reason))
    }
}

/// Takes the event's name out of the payload, whichever of the two it is under. A known event that the command line
/// names holds against it.
fn native_name(data: &mut Map, hint: Option<&str>) -> Result<String, DecodeError> {
    let mut found: Option<String> = None;
    for key in NAMES {
        let name = match data.shift_remove(key) {
            None => continue,
            Some(Value::String(name)) => name,
            Some(other) => {
                let kind = json::kind(&other);
                return Err(DecodeError::new(format!(
                    "`{key}` must be a string, and is {kind}"
                )));
            }
        };
        match found {
            Some(first) if EventName::new(&first) != EventName::new(&name) => {
                return Err(DecodeError::new(format!(
                    "the payload names two events: `{first}` and `{name}`"
                )));
            }
            Some(_) => {}
            None => found = Some(name),
        }
    }
    let known = hint.filter(|hint| EventName::new(hint).spec().is_some());
    let found = match (found, known) {
        (Some(name), Some(hint)) if EventName::new(&name) != EventName::new(hint) => {
            Some(hint.to_owned())
        }
        (found, _) => found,
    };
    found
        .or_else(|| hint.map(str::to_owned))
        .ok_or_else(|| DecodeError::new("the payload names no event, and nothing else does"))
}

/// Refuses a tool whose name is no text, or whose arguments are no object: a hook would look at nothing.
pub(super) fn check(data: &Map) -> Result<(), DecodeError> {
    let wrong = |field: &str, fits: fn(&Value) -> bool, wanted: &str| {
        let value = data.get(field).filter(|value| !fits(value))?;
        let found = json::kind(value);
        Some(DecodeError::new(format!(
            "`{field}` must be {wanted}, and is {found}"
        )))
    };
    let error = wrong("tool_name", Value::is_string, "a string")
        .or_else(|| wrong("tool_input", Value::is_object, "an object"))
        .or_else(|| wrong("prompt", Value::is_string, "a string"));
    error.map_or(Ok(()), Err)
}

fn event(mut data: Map, native: &str, bytes: &[u8]) -> Event {
    for (former, now) in FORMER {
        if !data.contains_key(*now)
            && let Some(value) = data.shift_remove(*former)
        {
            data.insert((*now).to_owned(), value);
        }
    }
    let session = data
        .get("session_id")
        .and_then(Value::as_str)
        .map(Box::from);
    let also = match data.get("tool_name").and_then(Value::as_str) {
        Some(tool) => tools::also(tool),
        None => &[],
    };
    let name = EventName::new(native);
    let mut event = Event::new(name.as_str(), Value::Object(data));
    event.also = if event.subject.is_some() { also } else { &[] };
    event.origin = Some(Box::new(Origin {
        host: Cow::Borrowed(ID),
        native: native.into(),
        session,
        project: None,
        raw: Some(bytes.into()),
        tool: None,
    }));
    event
}

#[cfg(test)]
mod tests;
