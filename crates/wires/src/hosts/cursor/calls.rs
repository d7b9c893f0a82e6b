//! The calls of tools, wherever an event has them: `{command, cwd}` of `beforeShellExecution` is a call of `Shell`, and a
//! server's tool has its arguments in a text. And what hooks look at, which Cursor says otherwise or not at all.

use std::path::Path;

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use crate::hosts::relative::row::{CalledTool, Form, HostRow};
use crate::payload::{self, INPUT, RESULT, TOOL};
use crate::{DecodeError, json, tools};

/// What the names of servers' tools begin with.
const MARK: &str = "MCP:";

const SERVER: &str = "mcp_server_name";
const ACTIVE: &str = "stop_hook_active";
const LOOPS: &str = "loop_count";

/// Makes a call of what an event says, with the tool's name as `preToolUse` has it.
pub(super) fn open(row: &HostRow, data: &mut Map) {
    if has_text(row)
        && let Some(result) = data.get_mut(RESULT)
    {
        parse(result);
    }
    match row.tool {
        Some(CalledTool::Lifted(tool, arguments)) => {
            let given = arguments.iter();
            let input: Map = given
                .filter_map(|name| Some(((*name).to_owned(), data.shift_remove(*name)?)))
                .collect();
            data.insert(TOOL.to_owned(), tool.into());
            data.insert(INPUT.to_owned(), Value::Object(input));
        }
        Some(CalledTool::Served) => {
            if let Some(Value::String(tool)) = data.get_mut(TOOL) {
                *tool = format!("{MARK}{tool}");
            }
            match data.get_mut(INPUT) {
                // No text at all is no arguments.
                Some(Value::String(text)) if text.trim().is_empty() => {
                    data.insert(INPUT.to_owned(), json!({}));
                }
                Some(input) => parse(input),
                None => {}
            }
        }
        Some(CalledTool::Own(..)) | None => {}
    }
    payload::enter(data, "workspace_roots");
    if row.form == Form::FollowUp {
        let loops = data.get(LOOPS).and_then(Value::as_u64);
        data.entry(ACTIVE).or_insert((loops > Some(0)).into());
    }
}

/// Tells whether the result of an event comes as a text that holds JSON.
fn has_text(row: &HostRow) -> bool {
    let mut fields = row.fields.iter();
    fields.any(|(native, _)| matches!(*native, "tool_output" | "result_json"))
}

/// Makes an object of a text that holds one.
fn parse(value: &mut Value) {
    let text = value.as_str();
    if let Some(Ok(object)) = text.map(|text| json::object(text.as_bytes())) {
        *value = Value::Object(object);
    }
}

/// Gives the tool of an event the names that it goes by: a server's tool has its server's, where that is told, and every edit
/// goes by `Write` in Cursor's matchers, so a hook that guards edits is asked about it. Refuses a call without arguments that a
/// hook could look at.
pub(super) fn close(event: &mut Event, row: Option<&HostRow>) -> Result<(), DecodeError> {
    let project = root(event);
    if let (Some(origin), Some(project)) = (&mut event.origin, project) {
        origin.project = Some(project);
    }
    let native = event.subject.clone().unwrap_or_default();
    let tool = native.strip_prefix(MARK);
    if &*native == "Write" {
        event.also = tools::also("fs_write");
    } else if let Some(tool) = tool.filter(|_| event.get(TOOL).is_some()) {
        let server = event.text(SERVER).unwrap_or_default().into_owned();
        payload::serve(event, &native, &format!("mcp__{server}__{tool}"));
    }
    let is_call = |row: &HostRow| row.form == Form::Permit && row.subject == Some(TOOL);
    let input = event.get(INPUT);
    if !row.is_some_and(is_call) || input.as_deref().is_some_and(Value::is_object) {
        return Ok(());
    }
    let wanted = "an object, or the text of one";
    Err(DecodeError::wrong(INPUT, wanted, input.as_deref()))
}

/// The folder of the workspace in which the event happens: its project.
fn root(event: &Event) -> Option<Box<Path>> {
    let folder = event.text("cwd")?.into_owned();
    let roots = event.get("workspace_roots")?;
    let mut roots = roots.as_array()?.iter().filter_map(Value::as_str);
    let root = roots.find(|root| Path::new(&folder).starts_with(root))?;
    Some(Path::new(root).into())
}

/// Puts the call where the event has it, and adds what this event always says to one of another host. What every payload says
/// stands with the native files.
pub(super) fn lower(_: &Event, row: &HostRow, data: &mut Map) {
    if row.form == Form::FollowUp {
        let active = data.get(ACTIVE) == Some(&Value::Bool(true));
        data.entry("status").or_insert(json!("completed"));
        data.entry(LOOPS).or_insert(u8::from(active).into());
    }
    // Both ends of a session name it twice.
    if let (true, Some(session)) = (row.event.starts_with("session:"), data.get("session_id")) {
        data.insert("conversation_id".to_owned(), session.clone());
    }
    if has_text(row)
        && let Some(result) = data.get_mut(RESULT)
    {
        to_text(result);
    }
    // Of an event that is about no tool, such a name is read as it stands.
    if row.subject == Some(TOOL) {
        name_served(data);
    }
    match row.tool {
        Some(CalledTool::Lifted(tool, arguments)) => {
            if tool == "Shell" {
                data.entry("sandbox").or_insert(false.into());
            }
            data.shift_remove(TOOL);
            if let Some(Value::Object(mut input)) = data.shift_remove(INPUT) {
                list_edits(arguments, &mut input);
                let given = arguments.iter();
                let given =
                    given.filter_map(|name| Some(((*name).to_owned(), input.shift_remove(*name)?)));
                data.extend(given);
            }
        }
        Some(CalledTool::Served) => {
            if let Some(Value::String(tool)) = data.get_mut(TOOL) {
                *tool = tool.strip_prefix(MARK).unwrap_or(tool).to_owned();
            }
            if let Some(input) = data.get_mut(INPUT) {
                to_text(input);
            }
        }
        Some(CalledTool::Own(..)) | None => {}
    }
}

/// Names the tool of a server as this host does.
fn name_served(data: &mut Map) {
    let named = data.get(TOOL).and_then(Value::as_str);
    let Some((server, own)) = named.and_then(payload::served) else {
        return;
    };
    let (server, own) = (server.to_owned(), format!("{MARK}{own}"));
    data.insert(TOOL.to_owned(), own.into());
    data.entry(SERVER).or_insert_with(|| server.into());
}

/// Gives an edit of another host the form of a list.
fn list_edits(arguments: &[&str], input: &mut Map) {
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
fn to_text(value: &mut Value) {
    if !value.is_string() {
        *value = value.to_string().into();
    }
}
