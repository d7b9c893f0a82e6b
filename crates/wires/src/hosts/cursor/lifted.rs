//! The calls of tools, wherever an event has them: `{command, cwd}` of `beforeShellExecution` is a call of `Shell`, and a
//! server's tool has its arguments in a text.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::row::{Call, CursorRow, SETS};
use crate::{DecodeError, json, payload, tools};

/// What the names of servers' tools begin with.
pub(super) const MARK: &str = "MCP:";

const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const SERVER: &str = "mcp_server_name";

/// Makes a call of what an event says, with the tool's name as `preToolUse` has it.
pub(super) fn lift(row: &CursorRow, data: &mut Map) {
    match row.call {
        Call::Given => {}
        Call::Lifted(tool, arguments) => {
            let given = arguments.iter();
            let input: Map = given
                .filter_map(|name| Some(((*name).to_owned(), data.shift_remove(*name)?)))
                .collect();
            data.insert(TOOL.to_owned(), tool.into());
            data.insert(INPUT.to_owned(), Value::Object(input));
        }
        Call::Served => {
            if let Some(Value::String(tool)) = data.get_mut(TOOL) {
                *tool = format!("{MARK}{tool}");
            }
            if let Some(input) = data.get_mut(INPUT)
                && let Some(parsed) = arguments(input)
            {
                *input = parsed;
            }
        }
    }
}

/// Returns the arguments that a text holds. No text at all is no arguments.
fn arguments(text: &Value) -> Option<Value> {
    let text = text.as_str()?;
    if text.trim().is_empty() {
        return Some(json!({}));
    }
    parsed(text)
}

/// Returns the object that a text holds, if it holds one.
pub(super) fn parsed(text: &str) -> Option<Value> {
    json::object(text.as_bytes()).ok().map(Value::Object)
}

/// Refuses a call without arguments that a hook could look at.
pub(super) fn check(event: &Event) -> Result<(), DecodeError> {
    let input = event.get(INPUT);
    if input.as_deref().is_some_and(Value::is_object) {
        return Ok(());
    }
    let found = input.as_deref().map_or("missing", json::kind);
    Err(DecodeError::new(format!(
        "`{INPUT}` must be an object, or the text of one, and is {found}"
    )))
}

/// Gives the tool of an event the names that it goes by: a server's tool has its server's, where that is told, and one
/// that stands for several has those of all.
pub(super) fn named(mut event: Event) -> Event {
    let Some(native) = event.subject.clone() else {
        return event;
    };
    if let Some((_, like)) = SETS.iter().find(|(set, _)| **set == *native) {
        event.also = tools::also(like);
        return event;
    }
    let tool = native
        .strip_prefix(MARK)
        .filter(|_| event.get(TOOL).is_some());
    if let Some(tool) = tool {
        let server = event.text(SERVER);
        let is = format!("mcp__{}__{tool}", server.as_deref().unwrap_or_default());
        drop(server);
        payload::serve(&mut event, &native, &is);
    }
    event
}

/// Puts the call where the event has it.
pub(super) fn lower(row: &CursorRow, data: &mut Map) {
    // Of an event that is about no tool, such a name is read as it stands.
    if row.subject == Some(TOOL) {
        served(data);
    }
    match row.call {
        Call::Given => {}
        Call::Lifted(_, arguments) => {
            let input = data.shift_remove(INPUT);
            data.shift_remove(TOOL);
            if let Some(Value::Object(mut input)) = input {
                edits(arguments, &mut input);
                for name in arguments {
                    if let Some(value) = input.shift_remove(*name) {
                        data.insert((*name).to_owned(), value);
                    }
                }
            }
        }
        Call::Served => {
            if let Some(Value::String(tool)) = data.get_mut(TOOL) {
                *tool = tool.strip_prefix(MARK).unwrap_or(tool).to_owned();
            }
            if let Some(input) = data.get_mut(INPUT) {
                to_text(input);
            }
        }
    }
}

/// Names the tool of a server as this host does.
fn served(data: &mut Map) {
    let named = data
        .get(TOOL)
        .and_then(Value::as_str)
        .and_then(payload::served);
    let Some((server, own)) = named else {
        return;
    };
    let (server, own) = (server.to_owned(), format!("{MARK}{own}"));
    data.insert(TOOL.to_owned(), own.into());
    data.entry(SERVER).or_insert_with(|| server.into());
}

/// Gives an edit of another host the form of a list.
fn edits(arguments: &[&str], input: &mut Map) {
    const EDITS: &str = "edits";
    if !arguments.contains(&EDITS) || input.contains_key(EDITS) {
        return;
    }
    let mut text = |field: &str| input.shift_remove(field).unwrap_or_else(|| "".into());
    let (old, new, content) = (text("old_string"), text("new_string"), text("content"));
    let new = if new == "" { content } else { new };
    let edits = json!([{"old_string": old, "new_string": new}]);
    input.insert(EDITS.to_owned(), edits);
}

/// Makes a value the text that this host tells.
pub(super) fn to_text(value: &mut Value) {
    if !value.is_string() {
        *value = value.to_string().into();
    }
}
