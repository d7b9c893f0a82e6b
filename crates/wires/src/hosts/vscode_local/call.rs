//! VS Code's names for tools and their arguments.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::ID;
use super::table::TOOLS;
use crate::answer::SPECIFIC;
use crate::hosts::relative::Host;
use crate::hosts::relative::row::HostRow;
use crate::payload;

/// The canonical argument that lists the files of a call that changes several.
const FILES: &str = "files";

/// The tool that makes such a call.
const SEVERAL: &str = "multi_replace_string_in_file";

/// The argument that holds its changes, each with the arguments of an edit.
const REPLACEMENTS: &str = "replacements";

/// The argument in which the model says why it calls a tool.
const EXPLANATION: &str = "explanation";

/// The arguments of an edit, and their canonical names.
const EDIT: &[(&str, &str)] = &[
    ("filePath", "file_path"),
    ("oldString", "old_string"),
    ("newString", "new_string"),
];

/// Lists the files of a call that changes several, so that a guard need not know the shape of the changes.
pub(super) fn open(call: &mut Map) {
    let is_several = call.get("tool_name").is_some_and(|name| name == SEVERAL);
    if is_several && let Some(Value::Object(input)) = call.get_mut("tool_input") {
        list_files(input);
        rename_edits(input);
    }
}

fn list_files(input: &mut Map) {
    let Some(Value::Array(changes)) = input.get(REPLACEMENTS) else {
        return;
    };
    if input.contains_key(FILES) {
        return;
    }
    let mut files: Vec<Value> = Vec::new();
    for path in changes.iter().filter_map(|change| change.get("filePath")) {
        let file = json!({"path": path, "change": "update"});
        if !files.contains(&file) {
            files.push(file);
        }
    }
    input.insert(FILES.to_owned(), Value::Array(files));
}

/// Gives the arguments of each change the names of an edit's, or takes them away again: each pair changes places.
fn rename_edits(input: &mut Map) {
    let Some(Value::Array(changes)) = input.get_mut(REPLACEMENTS) else {
        return;
    };
    for change in changes.iter_mut().filter_map(Value::as_object_mut) {
        for (native, canonical) in EDIT {
            payload::rename(change, native, canonical);
        }
    }
}

/// Makes the arguments of a call that changes several files the host's own again.
fn restore(tool: &str, input: &mut Map) {
    if tool == SEVERAL {
        rename_edits(input);
        input.shift_remove(FILES);
    }
}

/// Gives the arguments of a call that changes several files the host's own names.
pub(super) fn lower(_: &Event, _: &HostRow, data: &mut Map) {
    let tool = data.get("tool_name").and_then(Value::as_str);
    let tool = tool.unwrap_or_default().to_owned();
    if let Some(Value::Object(input)) = data.get_mut("tool_input") {
        restore(&tool, input);
    }
}

/// Returns arguments that a hook rewrote as the host's tool has them, or why the host would overlook them. What no other host's
/// tool has, and its hooks do not know, stays as it was.
pub(super) fn value(_: &Host, event: &Event, field: &str, value: Value) -> Result<Value, String> {
    if field != "tool_input" {
        return Ok(value);
    }
    let mut input = payload::native_input(event, ID, &TOOLS, value);
    if let Value::Object(fields) = &mut input {
        restore(&native_name(event), fields);
        if !fields.contains_key(EXPLANATION)
            && let Some(was) = event.get("tool_input")
            && let Some(explanation) = was.get(EXPLANATION)
        {
            fields.insert(EXPLANATION.to_owned(), explanation.clone());
        }
    }
    if fits(event, &input) {
        return Ok(input);
    }
    Err(corrected(&input))
}

/// The arguments that would have to be given, as the reason of a refusal.
fn corrected(input: &Value) -> String {
    let said = "A hook corrected the arguments, and VS Code would overlook the correction.";
    let value = input.to_string();
    if value.len() > INLINE_VALUE {
        return said.to_owned();
    }
    format!("{said} Try again with: {value}")
}

/// The longest value that a reason may hold.
const INLINE_VALUE: usize = 2 * 1024;

/// Gives new arguments of a call that changes several files the names that hooks know.
pub(super) fn before(event: &Event, object: &mut Map) {
    let specific = object.get_mut(SPECIFIC).and_then(Value::as_object_mut);
    let input = specific.and_then(|specific| specific.get_mut("updatedInput"));
    if native_name(event) == SEVERAL
        && let Some(Value::Object(input)) = input
    {
        list_files(input);
        rename_edits(input);
    }
}

fn native_name(event: &Event) -> String {
    let tool = payload::own(event, ID).and_then(|own| own.tool.as_deref());
    tool.map_or_else(String::new, |tool| tool.name.to_string())
}

/// Tells whether new arguments have the fields and the kinds of the old ones: others could fail the tool's schema, and
/// the host would run the old ones.
fn fits(event: &Event, input: &Value) -> bool {
    let mut was = payload::fields(event, ID, &TOOLS).shift_remove("tool_input");
    let (Some(Value::Object(was)), Value::Object(now)) = (&mut was, input) else {
        return false;
    };
    restore(&native_name(event), was);
    let kind = |value: &Value| std::mem::discriminant(value);
    let has =
        |(name, value): (&String, &Value)| now.get(name).is_some_and(|it| kind(it) == kind(value));
    was.len() == now.len() && was.iter().all(has)
}
