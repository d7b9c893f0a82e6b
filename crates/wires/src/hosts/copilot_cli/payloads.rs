//! The two forms of a payload, both directions.

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::arguments;
use super::results::result_of;
use super::table::{CLAUDE, TOOLS};
use crate::DecodeError;
use crate::hosts::relative::row::{Form, HostRow};
use crate::hosts::relative::{Host, NAME, incoming};
use crate::hosts::universal::names::{camel, snake};
use crate::payload::{self, INPUT, Tools};

/// The casing of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Casing {
    Camel,
    Pascal,
}

impl Casing {
    /// Returns the casing in which a payload came: the `PascalCase` form names its event. Some events have no name in that
    /// casing, and a notification names itself in the other form.
    fn of(data: &Map, row: Option<&HostRow>) -> Self {
        let is_named = data.get(NAME).is_some_and(Value::is_string);
        let has_pascal = row.is_none_or(|row| !row.also.is_empty());
        if is_named && has_pascal {
            Self::Pascal
        } else {
            Self::Camel
        }
    }
}

/// Reads a payload in either form.
pub(super) fn read(host: &Host, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = crate::json::object(bytes)?;
    let named = data.get(NAME).cloned();
    let native = payload::native_name(host, &mut data, &[NAME], hint)?;
    let row = host.row(&native);
    let native = row.map_or(native, |row| row.name.to_owned());
    // The name stays in the data: it tells in which form the event is written back.
    if let Some(named) = named {
        data.insert(NAME.to_owned(), named);
    }
    if Casing::of(&data, row) == Casing::Camel {
        let arguments = arguments_of(row, &data);
        payload::rename(&mut data, arguments, INPUT);
        payload::rename(&mut data, ANSWER.0, ANSWER.1);
        respelled(&mut data, snake);
    }
    event(host, row, &native, data, bytes).map_err(|error| DecodeError {
        event: Some(native),
        ..error
    })
}

fn event(
    host: &Host,
    row: Option<&'static HostRow>,
    native: &str,
    mut data: Map,
    bytes: &[u8],
) -> Result<Event, DecodeError> {
    let is_gate = row.is_some_and(|row| !row.needs.is_empty());
    let calls_server = data.contains_key("server_name");
    let opened = if calls_server {
        Ok(arguments::OriginalCall::default())
    } else {
        arguments::open(&mut data)
    };
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) if is_gate => return Err(error),
        Err(_) => arguments::OriginalCall::default(),
    };
    let mut incoming = incoming(host, native.to_owned(), row, bytes);
    incoming.tools = tools_of(&data);
    let mut event = payload::event(incoming, data)?;
    if calls_server {
        event.also = &[];
    }
    opened.close(&mut event);
    if let Some(row) = row {
        payload::check(&event.data.json(), row.needs)?;
    }
    Ok(event)
}

/// Writes an event in the form in which it came; one of another host in camelCase.
pub(super) fn write(host: &Host, event: &Event, row: Option<&'static HostRow>) -> Value {
    let casing = if host.origin_of(event).is_some() {
        Casing::of(&event.data.json(), row)
    } else {
        Casing::Camel
    };
    payload::as_it_came(host, event, row, |event| written(host, event, row, casing))
}

/// Writes an event for a hook that stands in the settings under this key: its casing chooses the form.
pub(super) fn write_as(host: &Host, event: &Event, key: &str) -> Value {
    let row = host.row_of(event);
    let casing = match row.and_then(|row| row.also.first()) {
        Some(pascal) if *pascal == key => Casing::Pascal,
        _ => Casing::Camel,
    };
    written(host, event, row, casing)
}

fn written(host: &Host, event: &Event, row: Option<&'static HostRow>, casing: Casing) -> Value {
    let mut data = fields(host, event, casing);
    recased(&mut data, row, casing);
    if casing == Casing::Camel {
        payload::rename(&mut data, INPUT, arguments_of(row, &Map::new()));
        payload::rename(&mut data, ANSWER.1, ANSWER.0);
        respelled(&mut data, camel);
    }
    Value::Object(data)
}

/// Returns the data with this host's names of the tool, in the casing that is wanted.
fn fields(host: &Host, event: &Event, casing: Casing) -> Map {
    let is_gate = host.row_of(event).is_some_and(|row| !row.needs.is_empty());
    let own = match casing {
        Casing::Pascal if is_gate => &CLAUDE,
        Casing::Pascal | Casing::Camel => tools_of(&event.data.json()),
    };
    payload::fields(event, "", own)
}

/// What the agent said last, in the camelCase form and in the other one.
const ANSWER: (&str, &str) = ("response", "last_assistant_message");

/// Gives the fields of one form the names that they have in the other one, which is the canonical one.
fn respelled(data: &mut Map, turned: fn(&str) -> Option<String>) {
    let names = data.keys().filter(|name| **name != NAME);
    let names = names.filter_map(|name| Some((name.clone(), turned(name)?)));
    let names: Vec<(String, String)> = names.collect();
    for (from, to) in names {
        payload::rename(data, &from, &to);
    }
}

/// Returns where the arguments of the tool stand in a payload of the camelCase form.
fn arguments_of(row: Option<&'static HostRow>, data: &Map) -> &'static str {
    let fields = match row {
        Some(row) if row.form == Form::Answer => &["toolInput", "toolArgs"][..],
        _ => &["toolArgs"],
    };
    let found = fields.iter().find(|field| data.contains_key(**field));
    found
        .or_else(|| fields.first())
        .copied()
        .unwrap_or("toolArgs")
}

/// The tools of the host; but what a server calls its own tools is its own business.
fn tools_of(data: &Map) -> &'static Tools {
    if data.contains_key("server_name") {
        &Tools::CANONICAL
    } else {
        &TOOLS
    }
}

/// Gives an event that came otherwise the marks of a casing.
fn recased(data: &mut Map, row: Option<&'static HostRow>, casing: Casing) {
    data.shift_remove(NAME);
    let name = match (row, casing) {
        (Some(row), Casing::Pascal) => row.also.first().copied(),
        // A notification names itself in this form too.
        (Some(row), Casing::Camel) if row.name == "notification" => Some("Notification"),
        (_, Casing::Pascal | Casing::Camel) => None,
    };
    if let Some(name) = name {
        data.insert(NAME.to_owned(), name.into());
    }
    if let Some(result) = data.get_mut("tool_result") {
        *result = result_of(result.take(), casing);
    }
}
