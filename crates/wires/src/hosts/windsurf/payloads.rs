//! The payloads of Windsurf, both directions: what is in `tool_info` is where hooks look for it.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::row::{COMMANDS, Called, EDITS, WindsurfRow};
use super::table::{EVENTS, TOOLS};
use super::{ID, NAME, Windsurf};
use crate::hosts::find;
use crate::payload::{self, Incoming, Need};
use crate::{DecodeError, tools};

const INFO: &str = "tool_info";
const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const CWD: &str = "cwd";
const CHANGES: &str = "edits";
const SERVER: &str = "mcp_server_name";
const SERVED: &str = "mcp_tool_name";
const SESSION: (&str, &str) = ("trajectory_id", "session_id");

/// Reads a payload.
pub(super) fn read(bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = payload::object(&Windsurf, bytes, &[NAME], hint)?;
    let native = payload::native_name(&Windsurf, &mut data, &[NAME], hint)?;
    let row = find(&EVENTS, &native);
    let named = |error| DecodeError {
        event: Some(native.clone()),
        ..error
    };
    payload::rename(&mut data, SESSION.0, SESSION.1);
    if let Some(row) = row {
        check(row, &data).map_err(named)?;
        lift(row, &mut data);
        if row.is_gate() && row.tool.is_some() {
            payload::check(&data, &[Need::Text(TOOL), Need::Object(INPUT)]).map_err(named)?;
        }
    }
    let tool = row.and_then(|row| row.tool);
    let incoming = Incoming {
        host: ID,
        native,
        event: row.map(|row| row.native.event),
        subject: tool.map(|_| TOOL),
        tools: &TOOLS,
        bytes,
    };
    let mut event = payload::event(incoming, data)?;
    if let Some(Called::Own(_, like)) = tool {
        event.also = tools::also(like);
    }
    Ok(event)
}

fn check(row: &WindsurfRow, data: &Map) -> Result<(), DecodeError> {
    if !row.is_gate() {
        return Ok(());
    }
    payload::check(data, &[Need::Object(INFO)])?;
    let info = data.get(INFO).and_then(Value::as_object);
    let needs: Vec<Need> = row.needs.iter().map(|name| Need::Text(name)).collect();
    info.map_or(Ok(()), |info| payload::check(info, &needs))
}

/// Puts what happens where hooks look for it.
fn lift(row: &WindsurfRow, data: &mut Map) {
    if !data.get(INFO).is_some_and(Value::is_object) {
        return;
    }
    let Some(Value::Object(mut info)) = data.shift_remove(INFO) else {
        return;
    };
    let cwd = info.get(CWD).filter(|cwd| cwd.is_string()).cloned();
    match row.tool {
        Some(Called::Own(tool, _)) => {
            let instead = row.instead.filter(|(field, _)| info.contains_key(*field));
            let tool = instead.map_or(tool, |(_, tool)| tool);
            told_at_once(&mut info);
            data.insert(TOOL.to_owned(), tool.into());
            data.insert(INPUT.to_owned(), Value::Object(info));
        }
        called => {
            if called.is_some() {
                let text = |field| info.get(field).and_then(Value::as_str).unwrap_or_default();
                let name = format!("mcp__{}__{}", text(SERVER), text(SERVED));
                data.insert(TOOL.to_owned(), name.into());
            }
            for (inner, outer) in row.fields {
                if let Some(value) = info.shift_remove(*inner) {
                    data.insert((*outer).to_owned(), value);
                }
            }
            data.insert(INFO.to_owned(), Value::Object(info));
        }
    }
    if let Some(cwd) = cwd {
        data.entry(CWD).or_insert(cwd);
    }
}

/// The fields in which everybody else tells an edit, and guards look for what is new.
const TEXTS: [&str; 2] = ["old_string", "new_string"];

/// Tells all edits of a file in those fields too, the texts of several one below the other.
fn told_at_once(info: &mut Map) {
    let edits = info.get(CHANGES).and_then(Value::as_array);
    let Some(edits) = edits.filter(|edits| !edits.is_empty()).cloned() else {
        return;
    };
    for field in TEXTS {
        let texts: Option<Vec<&str>> = edits.iter().map(|edit| edit.get(field)?.as_str()).collect();
        if let Some(texts) = texts {
            info.entry(field).or_insert_with(|| texts.join("\n").into());
        }
    }
}

/// Writes an event as this row has it.
pub(super) fn write(event: &Event, row: Option<&'static WindsurfRow>) -> Value {
    let mut data = payload::fields(event, ID, &TOOLS);
    if let Some(row) = row {
        lower(row, &mut data);
        complete(&mut data);
    }
    payload::rename(&mut data, SESSION.1, SESSION.0);
    let name = payload::name_of(event, ID, row.map(|row| &row.native));
    data.insert(NAME.to_owned(), name.into());
    Value::Object(data)
}

/// Writes an event of another host for a hook of this one, which looks for what happens where this host says it.
pub(super) fn write_for_hook(event: &Event, row: Option<&'static WindsurfRow>) -> Value {
    let mut written = write(event, row);
    if let (Some(row), Value::Object(data)) = (row, &mut written) {
        let cwd = data.get(CWD).cloned();
        fill(row, cwd, data);
    }
    written
}

fn fill(row: &WindsurfRow, cwd: Option<Value>, data: &mut Map) {
    let Some(Value::Object(info)) = data.get_mut(INFO) else {
        return;
    };
    if let (Some(cwd), true) = (cwd, row.tool == COMMANDS) {
        info.entry(CWD).or_insert(cwd);
    }
    if row.tool == EDITS && !info.contains_key(CHANGES) {
        changes(info);
    }
}

/// Puts what happens into `tool_info` again.
fn lower(row: &WindsurfRow, data: &mut Map) {
    let had = data.get(INFO).is_some_and(Value::is_object);
    if let Some(Called::Own(..)) = row.tool {
        data.shift_remove(TOOL);
        if let Some(input) = data.shift_remove(INPUT) {
            data.insert(INFO.to_owned(), input);
        }
        return;
    }
    let mut info = Map::new();
    if had && let Some(Value::Object(given)) = data.shift_remove(INFO) {
        info = given;
    }
    if row.tool == Some(Called::Served)
        && let Some(Value::String(tool)) = data.shift_remove(TOOL)
        && let Some((server, tool)) = payload::served(&tool)
    {
        // A server may have such a name that ours for its tool can be split in two ways: what came holds.
        if !had {
            info.insert(SERVER.to_owned(), server.into());
            info.insert(SERVED.to_owned(), tool.into());
        }
    }
    for (inner, outer) in row.fields {
        if let Some(value) = data.shift_remove(*outer) {
            info.insert((*inner).to_owned(), value);
        }
    }
    if had || !info.is_empty() {
        data.insert(INFO.to_owned(), Value::Object(info));
    }
}

/// Adds what this host always says to an event of another one.
fn complete(data: &mut Map) {
    for (name, value) in [
        (SESSION.1, json!("")),
        ("execution_id", json!("")),
        ("model_name", json!("")),
        (INFO, json!({})),
    ] {
        data.entry(name).or_insert(value);
    }
}

/// Says an edit, or a file that is written as a whole, as this host says all of them: a hook that looks for secrets looks
/// there.
fn changes(info: &mut Map) {
    let text = |name: &str| info.get(name).filter(|value| value.is_string()).cloned();
    let new = text("new_string").or_else(|| text("content"));
    if let Some(new) = new {
        let old = text("old_string").unwrap_or_else(|| json!(""));
        let change = json!({"old_string": old, "new_string": new});
        info.insert(CHANGES.to_owned(), json!([change]));
    }
}
