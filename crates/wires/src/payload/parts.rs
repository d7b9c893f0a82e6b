//! One event of a patch as the events that another host would have had: one for each file.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::patch::{self, FilePatch};
use super::tool::PATCH;
use crate::Host;

/// The canonical argument that holds several edits, each with its own file.
const EDITS: &str = "edits";

/// Takes an event apart that a host would have told in parts: a patch of several files, where the host has no tool for
/// patches but one that writes and one that edits; and several edits in one call. Empty where the host tells it
/// as one.
///
/// A new file is a `Write` with what is added; any other is an `Edit` of what was there into what is there afterwards, so
/// that a hook which looks at paths or at new text sees all of them.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_wires::host;
/// use anyhook_wires::payload::parts;
/// use serde_json::json;
///
/// let patch = [
///     "*** Begin Patch",
///     "*** Add File: a.rs",
///     "+fn a() {}",
///     "*** Update File: b.rs",
///     "@@",
///     "-old",
///     "+new",
///     "*** End Patch",
/// ];
/// let event = Event::new(
///     "tool:pre",
///     json!({"tool_name": "apply_patch", "tool_input": {"patch": patch.join("\n")}, "cwd": "/p"}),
/// );
/// let tools: Vec<_> = parts(&event, host("claude-code").unwrap())
///     .iter()
///     .map(|part| part.text("tool_name").unwrap().into_owned())
///     .collect();
/// assert_eq!(tools, ["Write", "Edit"]);
/// ```
pub fn parts(event: &Event, host: &Host) -> Vec<Event> {
    let data = event.data.json();
    let tool = data.get("tool_name").and_then(Value::as_str);
    let input = data.get("tool_input").and_then(Value::as_object);
    let patch = input
        .and_then(|input| input.get(PATCH))
        .and_then(Value::as_str);
    let is_own = super::own(event, host.id()).is_some();
    let (Some(tool), Some(patch)) = (tool, patch) else {
        let edits = input.filter(|_| !is_own).and_then(edits);
        let edits = edits.into_iter().flatten();
        return edits.map(|edit| with_call(event, "Edit", edit)).collect();
    };
    if is_own || host.facts().tools.rows.iter().any(|row| row.is == tool) {
        return Vec::new();
    }
    let folder = data.get("cwd").and_then(Value::as_str);
    let sections = patch::sections(patch);
    sections
        .iter()
        .map(|section| part(event, section, folder))
        .collect()
}

fn part(event: &Event, section: &FilePatch, folder: Option<&str>) -> Event {
    let path = absolute(&section.path, folder);
    let (tool, input) = if section.is_new {
        (
            "Write",
            json!({"file_path": path, "content": section.after}),
        )
    } else {
        let input = json!({
            "file_path": path, "old_string": section.before, "new_string": section.after,
        });
        ("Edit", input)
    };
    with_call(event, tool, input)
}

/// Returns the edits of a call, each with its file: where the call names none itself, or tells several edits of one file
/// that others would have told one by one.
fn edits(input: &Map) -> Option<Vec<Value>> {
    let edits = input.get(EDITS)?.as_array()?;
    let has = |edit: &Value, field: &str| edit.get(field).is_some();
    let Some(file) = input.get("file_path") else {
        let names_file = |edit: &Value| has(edit, "file_path");
        return edits.iter().any(names_file).then(|| edits.clone());
    };
    let is_one = edits.len() == 1 && input.contains_key("new_string");
    if edits.is_empty() || is_one || !edits.iter().all(|edit| has(edit, "new_string")) {
        return None;
    }
    let of_file = |edit: &Value| {
        let mut edit = edit.as_object().cloned().unwrap_or_default();
        edit.entry("file_path").or_insert_with(|| file.clone());
        Value::Object(edit)
    };
    Some(edits.iter().map(of_file).collect())
}

fn with_call(event: &Event, tool: &str, input: Value) -> Event {
    let mut data: Map = event.data.json().into_owned();
    data.insert("tool_name".to_owned(), tool.into());
    data.insert("tool_input".to_owned(), input);
    let mut part = event.clone();
    part.data = data.into();
    part
}

/// Makes the paths of a call absolute: scripts for an agent that tells them so compare them so.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_wires::payload::with_absolute_paths;
/// use serde_json::json;
///
/// let input = json!({"tool_name": "Write", "tool_input": {"file_path": "src/a.rs"}, "cwd": "/p"});
/// let event = with_absolute_paths(Event::new("tool:pre", input));
/// assert_eq!(event.data.json()["tool_input"], json!({"file_path": "/p/src/a.rs"}));
/// ```
pub fn with_absolute_paths(mut event: Event) -> Event {
    let mut data: Map = event.data.json().into_owned();
    let folder = data.get("cwd").and_then(Value::as_str).map(str::to_owned);
    let Some(Value::Object(input)) = data.get_mut("tool_input") else {
        return event;
    };
    let mut is_changed = false;
    for key in ["file_path", "notebook_path", "path"] {
        if let Some(Value::String(path)) = input.get_mut(key) {
            let told = absolute(path, folder.as_deref());
            is_changed |= told != *path;
            *path = told;
        }
    }
    if is_changed {
        event.data = data.into();
    }
    event
}

/// Makes a path absolute, as hosts that name one file tell it.
fn absolute(path: &str, folder: Option<&str>) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '~']) && !path.contains(':') => {
            format!("{}/{path}", folder.trim_end_matches('/'))
        }
        Some(_) | None => path.to_owned(),
    }
}
