//! The payloads of Cursor, both directions.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::row::{Call, CursorRow, Form, SESSION, TEXTS};
use super::table::{EVENTS, TOOLS};
use super::{Cursor, ID, lifted, paths};
use crate::DecodeError;
use crate::hosts::find;
use crate::hosts::relative::NAME;
use crate::payload::{self, Incoming};

const CWD: &str = "cwd";
const ROOTS: &str = "workspace_roots";
const ACTIVE: &str = "stop_hook_active";
const LOOPS: &str = "loop_count";

/// Reads a payload.
pub(super) fn read(bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = payload::object(&Cursor, bytes, &[NAME], hint)?;
    let native = payload::native_name(&Cursor, &mut data, &[NAME], hint)?;
    let row = find(&EVENTS, &native);
    let is_old = row.is_some_and(|row| row.also.contains(&&*native));
    let native = row
        .filter(|_| is_old)
        .map_or(native, |row| row.native.name.to_owned());
    let named = |error: DecodeError| error.about(&native);
    if let Some(row) = row {
        payload::check(&data, row.needs).map_err(named)?;
        canonical(row, &mut data);
    }
    let incoming = Incoming {
        host: ID,
        native: native.clone(),
        event: row.map(|row| row.native.event),
        subject: row.and_then(|row| row.subject),
        tools: &TOOLS,
        bytes,
    };
    let event = payload::event(incoming, data).map(lifted::named)?;
    if row.is_some_and(|row| row.is_gate() && row.subject == Some("tool_name")) {
        lifted::check(&event).map_err(named)?;
    }
    Ok(event)
}

/// Gives the fields of a payload their canonical names and places, and adds what hooks look at.
fn canonical(row: &CursorRow, data: &mut Map) {
    paths::canonical(data);
    for name in TEXTS {
        let text = data.get(*name).and_then(Value::as_str);
        if let Some(parsed) = text.and_then(lifted::parsed) {
            data.insert((*name).to_owned(), parsed);
        }
    }
    for (native, canonical) in [&SESSION].into_iter().chain(row.fields) {
        payload::rename(data, native, canonical);
    }
    lifted::lift(row, data);
    for (name, value) in added(row, data) {
        data.entry(name).or_insert(value);
    }
}

/// What hooks look at, and this host says otherwise or not at all.
fn added(row: &CursorRow, data: &Map) -> Vec<(&'static str, Value)> {
    let mut all: Vec<(&str, Value)> = Vec::new();
    let root = data.get(ROOTS).and_then(|roots| roots.get(0));
    if let Some(root @ Value::String(_)) = root {
        all.push((CWD, root.clone()));
    }
    if row.form == Form::FollowUp {
        let loops = data.get(LOOPS).and_then(Value::as_u64);
        all.push((ACTIVE, (loops > Some(0)).into()));
    }
    let always = row.adds.iter();
    all.extend(always.map(|(name, text)| (*name, Value::from(*text))));
    all
}

/// Writes an event as this row has it.
pub(super) fn write(event: &Event, row: Option<&'static CursorRow>) -> Value {
    let mut data = payload::fields(event, ID, &TOOLS);
    if let Some(row) = row {
        native(row, &mut data);
    }
    let name = match row {
        Some(row) => row.native.name,
        None => payload::name_of(event, ID, None),
    };
    data.insert(NAME.to_owned(), name.into());
    Value::Object(data)
}

/// Gives the fields of an event this host's own names and places.
fn native(row: &CursorRow, data: &mut Map) {
    complete(row, data);
    lifted::lower(row, data);
    let fields = row.fields.iter().rev().chain([&SESSION]);
    for (native, canonical) in fields {
        payload::rename(data, canonical, native);
    }
    for name in TEXTS {
        if let Some(value) = data.get_mut(*name) {
            lifted::to_text(value);
        }
    }
}

/// Adds what this event always says to one of another host. What every payload says stands with the native files.
fn complete(row: &CursorRow, data: &mut Map) {
    let mut all = Vec::new();
    if row.form == Form::FollowUp {
        let active = data.get(ACTIVE) == Some(&Value::Bool(true));
        all.push(("status", json!("completed")));
        all.push((LOOPS, u8::from(active).into()));
    }
    if matches!(row.call, Call::Lifted("Shell", _)) {
        all.push(("sandbox", false.into()));
    }
    for (name, value) in all {
        data.entry(name).or_insert(value);
    }
    // Both ends of a session name it twice.
    if let (true, Some(session)) = (row.names_twice, data.get(SESSION.1).cloned()) {
        data.insert(SESSION.0.to_owned(), session);
    }
}
