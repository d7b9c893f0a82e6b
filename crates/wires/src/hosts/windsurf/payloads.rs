//! The payloads of Windsurf, both directions: what is in `tool_info` is where hooks look for it.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::ID;
use super::table::TOOLS;
use crate::hosts::relative::row::{Called, HostRow};
use crate::hosts::relative::{Relative, incoming};
use crate::hosts::row_as;
use crate::payload::{self, Need};
use crate::{DecodeError, tools};

const INFO: &str = "tool_info";
const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const CWD: &str = "cwd";
const CHANGES: &str = "edits";
const SERVER: &str = "mcp_server_name";
const SERVED: &str = "mcp_tool_name";
/// The field with which an edit writes the whole file, and what it is then.
const WHOLE: (&str, &str) = ("content", "Write");

/// Reads a payload.
pub(super) fn read(
    host: &Relative,
    bytes: &[u8],
    hint: Option<&str>,
) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, &[host.named_by], hint)?;
    let native = payload::native_name(host, &mut data, &[host.named_by], hint)?;
    let row = host.find(&native);
    for (theirs, ours) in host.fields {
        payload::rename(&mut data, theirs, ours);
    }
    if let Some(row) = row {
        opened(row, &mut data).map_err(|error| error.about(&native))?;
    }
    let mut event = payload::event(incoming(host, native, row, bytes), data)?;
    if let Some(Called::Own(_, like)) = row.and_then(|row| row.tool) {
        event.also = tools::also(like);
    }
    Ok(event)
}

/// Puts what happens where hooks look for it, unless they would look at something that is not there.
fn opened(row: &HostRow, data: &mut Map) -> Result<(), DecodeError> {
    let is_gate = !row.needs.is_empty();
    if is_gate {
        payload::check(data, &[Need::Object(INFO)])?;
        let info = data.get(INFO).and_then(Value::as_object);
        info.map_or(Ok(()), |info| payload::check(info, row.needs))?;
    }
    lift(row, data);
    if is_gate && row.tool.is_some() {
        payload::check(data, &[Need::Text(TOOL), Need::Object(INPUT)])?;
    }
    Ok(())
}

/// Puts what happens where hooks look for it.
fn lift(row: &HostRow, data: &mut Map) {
    if !data.get(INFO).is_some_and(Value::is_object) {
        return;
    }
    let Some(Value::Object(mut info)) = data.shift_remove(INFO) else {
        return;
    };
    let cwd = info.get(CWD).filter(|cwd| cwd.is_string()).cloned();
    match row.tool {
        Some(Called::Own(tool, _)) => {
            let is_whole = tool == "Edit" && info.contains_key(WHOLE.0);
            let tool = if is_whole { WHOLE.1 } else { tool };
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
pub(super) fn write(host: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut data = payload::fields(event, ID, &TOOLS);
    if let Some(row) = row {
        lower(row, &mut data);
        complete(&mut data);
    }
    for (theirs, ours) in host.fields {
        payload::rename(&mut data, ours, theirs);
    }
    let name = payload::name_of(event, ID, row.map(|row| &row.native));
    data.insert(host.named_by.to_owned(), name.into());
    Value::Object(data)
}

/// Writes an event of another host for a hook of this one, which looks for what happens where this host says it.
pub(super) fn write_as(host: &Relative, event: &Event, native: &str) -> Value {
    let row = row_as(host.events, event, native);
    payload::as_it_came(host, event, row.map(|row| &row.native), |event| {
        let mut written = write(host, event, row);
        if let (Some(row), Value::Object(data)) = (row, &mut written) {
            let cwd = data.get(CWD).cloned();
            fill(row, cwd, data);
        }
        written
    })
}

fn fill(row: &HostRow, cwd: Option<Value>, data: &mut Map) {
    let tool = row.tool.and_then(|called| match called {
        Called::Own(tool, _) => Some(tool),
        Called::Served => None,
    });
    let Some(Value::Object(info)) = data.get_mut(INFO) else {
        return;
    };
    if let (Some(cwd), true) = (cwd, tool == Some("run_command")) {
        info.entry(CWD).or_insert(cwd);
    }
    if tool == Some("Edit") && !info.contains_key(CHANGES) {
        changes(info);
    }
}

/// Puts what happens into `tool_info` again.
fn lower(row: &HostRow, data: &mut Map) {
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
        ("session_id", json!("")),
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
