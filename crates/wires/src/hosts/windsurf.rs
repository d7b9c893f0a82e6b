//! What the table of Windsurf does not say: what is in `tool_info` is where hooks look for it.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::relative::row::{CalledTool, HostRow};
use super::relative::{Host, HostFunctions, write_as as write_as_family};
use crate::payload::{self, CWD, INPUT, RequiredField, TOOL};
use crate::{DecodeError, tools};

include!(concat!(env!("OUT_DIR"), "/windsurf.rs"));

const ODD: HostFunctions = HostFunctions {
    open,
    // An edit may be of a new file, so a hook that guards either is asked.
    close: |event, row| {
        if let Some(CalledTool::Own(_, like)) = row.and_then(|row| row.tool) {
            event.also = tools::also(like);
        }
        Ok(())
    },
    lower,
    write_as,
    ..HostFunctions::BARE
};

const INFO: &str = "tool_info";
const CHANGES: &str = "edits";
const SERVER: &str = "mcp_server_name";
const SERVED: &str = "mcp_tool_name";

/// Names the tool that the event is about.
fn open(row: &HostRow, data: &mut Map) -> Result<(), DecodeError> {
    let info = if row.tool.is_some_and(|called| called != CalledTool::Served) {
        INPUT
    } else {
        INFO
    };
    if let Some(Value::Object(info)) = data.get_mut(info) {
        let cwd = info.get(CWD).filter(|cwd| cwd.is_string()).cloned();
        let text = |field| info.get(field).and_then(Value::as_str).unwrap_or_default();
        let tool = match row.tool {
            // An edit with a content writes the whole file.
            Some(CalledTool::Own("Edit", _)) if info.contains_key("content") => "Write".to_owned(),
            Some(CalledTool::Own(tool, _) | CalledTool::Lifted(tool, _)) => tool.to_owned(),
            Some(CalledTool::Served) => format!("mcp__{}__{}", text(SERVER), text(SERVED)),
            None => String::new(),
        };
        told_at_once(info);
        if !tool.is_empty() {
            data.insert(TOOL.to_owned(), tool.into());
        }
        if let Some(cwd) = cwd {
            data.entry(CWD).or_insert(cwd);
        }
    }
    if row.tool.is_some() && !row.needs.is_empty() {
        payload::check(
            data,
            &[RequiredField::Text(TOOL), RequiredField::Object(INPUT)],
        )?;
    }
    Ok(())
}

/// Tells all edits of a file where everybody else tells one, and guards look for what is new: the texts of several one below
/// the other.
fn told_at_once(info: &mut Map) {
    let edits = info.get(CHANGES).and_then(Value::as_array);
    let Some(edits) = edits.filter(|edits| !edits.is_empty()).cloned() else {
        return;
    };
    for field in ["old_string", "new_string"] {
        let texts: Option<Vec<&str>> = edits.iter().map(|edit| edit.get(field)?.as_str()).collect();
        if let Some(texts) = texts {
            info.entry(field).or_insert_with(|| texts.join("\n").into());
        }
    }
}

/// Adds what this host always says to an event of another one, and says its call as this host does.
fn lower(_: &Event, row: &HostRow, data: &mut Map) {
    let called = row.tool.and_then(|_| data.shift_remove(TOOL));
    match row.tool {
        Some(CalledTool::Own(..)) => {
            data.entry(INPUT).or_insert_with(|| json!({}));
        }
        Some(CalledTool::Lifted(..) | CalledTool::Served) | None => {
            let named = called.as_ref().and_then(Value::as_str);
            let info = match named.and_then(payload::served) {
                Some((server, tool)) => json!({SERVER: server, SERVED: tool}),
                None => json!({}),
            };
            data.entry(INFO).or_insert(info);
        }
    }
    for name in ["session_id", "execution_id", "model_name"] {
        data.entry(name).or_insert_with(|| "".into());
    }
}

/// Writes an event of another host for a hook of this one, which looks for what happens where this host says it.
fn write_as(host: &Host, event: &Event, native: &str) -> Value {
    let mut written = write_as_family(host, event, native);
    let tool = host.row_as(event, native).and_then(|row| row.tool);
    let cwd = written.get(CWD).cloned();
    if host.origin_of(event).is_none()
        && let Some(Value::Object(info)) = written.get_mut(INFO)
    {
        match (tool, cwd) {
            (Some(CalledTool::Own("run_command", _)), Some(cwd)) => {
                info.entry(CWD).or_insert(cwd);
            }
            (Some(CalledTool::Own("Edit", _)), _) if !info.contains_key(CHANGES) => {
                list_changes(info);
            }
            _ => {}
        }
    }
    written
}

/// Says an edit, or a file that is written as a whole, as this host says all of them: a hook that looks for secrets looks
/// there.
fn list_changes(input: &mut Map) {
    let text = |name: &str| input.get(name).filter(|value| value.is_string()).cloned();
    if let Some(new) = text("new_string").or_else(|| text("content")) {
        let old = text("old_string").unwrap_or_else(|| "".into());
        let change = json!([{"old_string": old, "new_string": new}]);
        input.insert(CHANGES.to_owned(), change);
    }
}
