//! What the table of the universal form does not say.

pub(super) mod names;

use anyhook_core::can::Visibility;
use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::taxonomy::Class;
use serde_json::Value;

use super::claude_code;
use super::relative::row::HostRow;
use super::relative::{Host, HostFunctions, encode};
use crate::payload::{RESULT, RequiredField};
use crate::{DecodeError, dialects, json, payload, tools};
use table::OTHERS;

include!(concat!(env!("OUT_DIR"), "/universal.rs"));

const NAMES: [&str; 2] = ["hookEventName", "hook_event_name"];

const ODD: HostFunctions = HostFunctions {
    read,
    write: |_, event, _| write(event),
    decode: |run| dialects::read_universal(run.raw, run.event),
    value: |_, _, _, value| Ok(value),
    can: |host, event| row_of(host, event).can,
    answer: |host, event, result, _| encode::reply(host, row_of(host, event), Some(event), result),
    hides: |_, can| can.notify == Visibility::Yes,
    ..HostFunctions::BARE
};

fn read(_: &Host, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = json::object(bytes)?;
    let native = native_name(&mut data, &NAMES, hint)?;
    let about = |error: DecodeError| error.about(hint.unwrap_or(&native));
    let data = names::joined(data).map_err(about)?;
    check(&data).map_err(about)?;
    Ok(event(data, &native, bytes))
}

fn write(event: &Event) -> Value {
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

fn row_of(host: &Host, event: &Event) -> &'static HostRow {
    let other = match event.name.class() {
        Class::Gate => 0,
        Class::Continuation | Class::After => 1,
        Class::Notice => 2,
    };
    let row = host.row_of(event).or_else(|| OTHERS.get(other));
    row.unwrap_or(&HostRow::BARE)
}

/// Takes the event's name out of the payload, whichever of these it is under. A known event that the command line
/// names holds against it.
pub(super) fn native_name(
    data: &mut Map,
    names: &[&str],
    hint: Option<&str>,
) -> Result<String, DecodeError> {
    let same = |one: &str, other: &str| EventName::new(one) == EventName::new(other);
    let mut found: Option<String> = None;
    for key in names {
        match (data.shift_remove(*key), &found) {
            (Some(Value::String(name)), _) if name.is_empty() => {}
            (Some(Value::String(name)), None) => found = Some(name),
            (Some(Value::String(name)), Some(first)) if !same(&name, first) => {
                return Err(DecodeError::new(format!(
                    "the payload names two events: `{first}` and `{name}`"
                )));
            }
            (Some(Value::String(_)) | None, _) => {}
            (Some(other), _) => return Err(DecodeError::wrong(key, "a string", Some(&other))),
        }
    }
    let known = hint.filter(|hint| EventName::new(hint).spec().is_some());
    let is_other = |hint: &&str| found.as_deref().is_some_and(|name| !same(name, hint));
    let held = known.filter(is_other).map(str::to_owned);
    held.or(found)
        .or_else(|| hint.map(str::to_owned))
        .ok_or_else(|| DecodeError::nameless(names))
}

/// Refuses a tool whose name is no text, or whose arguments are no object: a hook would look at nothing.
pub(super) fn check(data: &Map) -> Result<(), DecodeError> {
    for need in [
        RequiredField::Text("tool_name"),
        RequiredField::Object("tool_input"),
        RequiredField::Text("prompt"),
    ] {
        let (RequiredField::Text(field) | RequiredField::Object(field)) = need;
        if data.contains_key(field) {
            payload::check(data, &[need])?;
        }
    }
    Ok(())
}

fn event(mut data: Map, native: &str, bytes: &[u8]) -> Event {
    if !data.contains_key(RESULT)
        && let Some(value) = data.shift_remove("tool_response")
    {
        data.insert(RESULT.to_owned(), value);
    }
    payload::under_its_name(ID, native.to_owned(), data, bytes)
}

#[cfg(test)]
mod tests;
