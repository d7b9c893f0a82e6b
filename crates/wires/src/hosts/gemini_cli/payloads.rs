//! The parts of Gemini CLI's payloads that have a name or a place of their own.

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::{ID, TOOLS};
use crate::hosts::relative::Host;
use crate::hosts::relative::row::HostRow;
use crate::payload;

/// Where the host says which server has the tool.
const MCP: &str = "mcp_context";

/// Puts the address of a call and the failure of a tool where hooks look for them: a tool that failed is told of like one that
/// has run, with the failure inside its result.
pub(super) fn open(row: &HostRow, data: &mut Map) {
    if data.get("tool_name").and_then(Value::as_str) == Some(FETCH)
        && let Some(Value::Object(input)) = data.get_mut("tool_input")
        && let Some(url) = address(input)
    {
        input.entry(URL).or_insert_with(|| url.into());
    }
    let error = data
        .get("tool_result")
        .and_then(|result| result.get("error"));
    if let (Some(_), Some(error)) = (row.failed, error.filter(|error| !error.is_null())) {
        let error = error.clone();
        data.entry("error").or_insert(error);
    }
}

/// The tool that is told in a prompt what to fetch.
const FETCH: &str = "web_fetch";
const URL: &str = "url";

/// Returns the one address in the prompt of some arguments.
fn address(input: &Map) -> Option<String> {
    let prompt = input.get("prompt")?.as_str()?;
    let of_word = |word: &str| {
        let at = word.find("https://").or_else(|| word.find("http://"))?;
        let end = |c: char| ".,;:!?)]}>\"'`".contains(c);
        Some(word.get(at..)?.trim_end_matches(end).to_owned())
    };
    let mut found = prompt.split_whitespace().filter_map(of_word);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Takes that address out again, `before` being the arguments that came: a prompt that still names the old one names the
/// new one then.
fn unaddressed(input: &mut Map, before: &Map) {
    let Some(old) = address(before).filter(|_| input.contains_key(URL)) else {
        return;
    };
    let new = input.shift_remove(URL);
    if let (Some(Value::String(new)), Some(Value::String(prompt))) = (new, input.get_mut("prompt"))
        && new != old
    {
        *prompt = prompt.replace(&old, &new);
    }
}

/// Names the tool of a server exactly. The host's own name for it joins server and tool with a letter that both may
/// hold, so the server stands in a field beside it. A tool of the host's own is never taken for a server's.
pub(super) fn close(event: &mut Event) {
    let context = event.get(MCP).filter(|_| event.get("tool_name").is_some());
    let text = |field: &str| {
        let text = context.as_ref()?.get(field)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    };
    let named = text("server_name").zip(text("tool_name"));
    if let Some(((server, tool), native)) = named.zip(event.subject.clone())
        && !TOOLS.rows.iter().any(|row| *row.name == *native)
    {
        payload::serve(event, &native, &format!("mcp__{server}__{tool}"));
    }
}

/// Adds what this host always says.
pub(super) fn lower(event: &Event, row: &HostRow, data: &mut Map) {
    data.entry("transcript_path").or_insert_with(|| "".into());
    if let Some(at) = event.get("timestamp") {
        data.insert("timestamp".to_owned(), at.into_owned());
    }
    if let Some((server, tool)) = event.text("tool_name").as_deref().and_then(payload::served) {
        data.entry(MCP)
            .or_insert_with(|| json!({"server_name": server, "tool_name": tool}));
    }
    if row.failed.is_some() {
        result(data);
    }
}

/// Gives a tool's result the form that it has here: what the model sees, what is shown, and what failed.
fn result(data: &mut Map) {
    let error = data.shift_remove("error");
    let is_native = |value: &Value| value.get("llmContent").is_some();
    if error.is_none() && data.get("tool_result").is_some_and(is_native) {
        return;
    }
    let value = data.shift_remove("tool_result").or_else(|| error.clone());
    let text = value.as_ref().map(words).unwrap_or_default();
    let mut result = json!({"llmContent": text, "returnDisplay": text});
    if let (Some(error), Some(fields)) = (error, result.as_object_mut()) {
        let error = match error {
            Value::Object(error) => Value::Object(error),
            other => json!({"message": words(&other)}),
        };
        fields.insert("error".to_owned(), error);
    }
    data.insert("tool_result".to_owned(), result);
}

/// Arguments that only tell what a call is for: it does the same whether they are there or not.
const INERT: &[&str] = &["description", "instruction"];

/// Returns what a hook made of a field. Of arguments all of them, by their names here: the host may keep an argument that is
/// not named, so one that a hook took away would come back: then they are an error, and so are some that are no object.
pub(super) fn value(_: &Host, event: &Event, field: &str, value: Value) -> Result<Value, String> {
    let whole = match field {
        "tool_result" => return Ok(output(&value)),
        "tool_input" => payload::native_input(event, ID, &TOOLS, value),
        _ => value,
    };
    let Value::Object(mut whole) = whole else {
        return Err(format!(
            "a hook changed `{field}` to something that is no object"
        ));
    };
    let own = payload::fields(event, ID, &TOOLS);
    let is_fetch = own.get("tool_name").is_some_and(|tool| tool == FETCH);
    let mut old = own.get(field).and_then(Value::as_object).cloned();
    if let Some(old) = old.as_mut().filter(|_| is_fetch) {
        let before = old.clone();
        unaddressed(old, &before);
        unaddressed(&mut whole, &before);
    }
    let missing: Vec<String> = old
        .iter()
        .flat_map(Map::keys)
        .filter(|key| !whole.contains_key(*key) && !INERT.contains(&&***key))
        .map(|key| format!("`{key}`"))
        .collect();
    if missing.is_empty() {
        return Ok(Value::Object(whole));
    }
    Err(format!(
        "A hook took {} out of `{field}`, and Gemini CLI might put it back. Try again with: {}",
        missing.join(", "),
        Value::Object(whole)
    ))
}

/// Returns the text that takes the place of a result.
fn output(value: &Value) -> Value {
    match words(value) {
        text if text.trim().is_empty() => "a hook took the output away".into(),
        text => text.into(),
    }
}

/// Returns a value as the text that a model reads: of a result of this host, the part that is for the model.
fn words(value: &Value) -> String {
    match value.get("llmContent").unwrap_or(value) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
