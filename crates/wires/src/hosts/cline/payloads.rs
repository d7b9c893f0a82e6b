//! The payloads of Cline, both directions: each event has an object of its own, and what is in it is where hooks look.
//!
//! The kit has names of its own for the events, and says the arguments of a call twice: as texts, and as they are.

use std::borrow::Cow;

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::table::TOOLS;
use super::{ID, commands};
use crate::DecodeError;
use crate::fitted::NO_OBJECT;
use crate::hosts::relative::row::HostRow;
use crate::hosts::relative::{Relative, incoming};
use crate::payload::{self, Need};

const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const RESULT: &str = "tool_result";
const ERROR: &str = "error";
const CWD: &str = "cwd";
const ROOTS: &str = "workspaceRoots";
/// Where a call says whether it has failed.
const SUCCESS: (&str, &str) = ("postToolUse", "success");
/// A field of every payload of the kit, which the extension has not.
const KIT: &str = "agent_id";
/// What the kit calls its shell.
const SHELL: &str = "run_commands";
const SERVED: &str = "use_mcp_tool";

/// Reads a payload.
pub(super) fn read(
    host: &Relative,
    bytes: &[u8],
    hint: Option<&str>,
) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, &[host.named_by], hint)?;
    let native = payload::native_name(host, &mut data, &[host.named_by], hint)?;
    let row = host.find(&native);
    let is_of_kit = row.is_some_and(|row| row.also.contains(&&*native));
    let named = row.filter(|_| is_of_kit).map(|row| row.native.name);
    let native = named.map_or(native, str::to_owned);
    let about = |error: DecodeError| error.about(&native);
    if let Some(row) = row {
        lift(host, row, &mut data);
        payload::check(&data, row.needs).map_err(about)?;
    }
    let mut incoming = incoming(host, native.clone(), row, bytes);
    let failed = row.and_then(|row| row.failed);
    incoming.event = failed
        .filter(|_| data.contains_key(ERROR))
        .or(incoming.event);
    let event = served(payload::event(incoming, data)?);
    let is_call = row.is_some_and(|row| !row.needs.is_empty());
    if is_call && event.text(TOOL).is_some_and(|tool| tool == "Bash") {
        let input = event.get(INPUT).map(Cow::into_owned);
        let input = input.as_ref().and_then(Value::as_object).cloned();
        let needs = [Need::Text("command")];
        payload::check(&input.unwrap_or_default(), &needs).map_err(about)?;
    }
    Ok(event)
}

/// Puts what is in the event's own object where hooks look for it, and adds what this host says otherwise.
fn lift(host: &Relative, row: &HostRow, data: &mut Map) {
    for (native, canonical) in host.fields.iter().chain(row.fields) {
        payload::rename(data, native, canonical);
    }
    if data.get(TOOL).is_some_and(|tool| tool == SHELL)
        && let Some(Value::Object(input)) = data.get_mut(INPUT)
    {
        commands::join(input);
    }
    let section = data.get(SUCCESS.0).filter(|_| row.failed.is_some());
    let success = section.and_then(|section| section.get(SUCCESS.1));
    if success == Some(&Value::Bool(false)) {
        let why = data.get(RESULT).cloned();
        data.entry(ERROR).or_insert(why.unwrap_or_default());
    }
    for (name, value) in added(row, data) {
        data.entry(name).or_insert(value);
    }
}

fn added(row: &HostRow, data: &Map) -> Vec<(&'static str, Value)> {
    let root = data.get(ROOTS).and_then(|roots| roots.get(0));
    let root = root.filter(|root| root.is_string());
    let cwd = root.map(|root| (CWD, root.clone()));
    let always = row.adds.map(|(name, text)| (name, Value::from(text)));
    cwd.into_iter().chain(always).collect()
}

/// Names the tool of a server.
fn served(mut event: Event) -> Event {
    if event.subject.as_deref() != Some(SERVED) {
        return event;
    }
    let input = event.get(INPUT).map(Cow::into_owned).unwrap_or_default();
    let text = |field: &str| input.get(field)?.as_str();
    if let (Some(server), Some(tool)) = (text("server_name"), text("tool_name")) {
        payload::serve(&mut event, SERVED, &format!("mcp__{server}__{tool}"));
    }
    event
}

/// Writes an event as this row has it.
pub(super) fn write(host: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut data = payload::fields(event, ID, &TOOLS);
    if let Some(row) = row {
        complete(row, &mut data);
        for (native, canonical) in row.fields {
            payload::rename(&mut data, canonical, native);
        }
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, canonical, native);
    }
    let name = payload::name_of(event, ID, row.map(|row| &row.native));
    data.insert(host.named_by.to_owned(), name.into());
    Value::Object(data)
}

/// Adds what this host always says to an event of another one.
fn complete(row: &HostRow, data: &mut Map) {
    let cwd = data.get(CWD).filter(|cwd| cwd.is_string());
    let roots: Vec<Value> = cwd.into_iter().cloned().collect();
    let mut all = vec![
        ("session_id", json!("")),
        (ROOTS, roots.into()),
        ("clineVersion", json!("")),
        ("userId", json!("")),
        (KIT, json!("")),
    ];
    if row.failed.is_some() {
        all.push((SUCCESS.0, json!({SUCCESS.1: !data.contains_key(ERROR)})));
        if let Some(error) = data.get(ERROR).cloned() {
            data.entry(RESULT).or_insert(error);
        }
    }
    for (name, value) in all {
        data.entry(name).or_insert(value);
    }
}

/// Tells whether the kit sent an event, and not the extension.
pub(super) fn is_of_kit(event: &Event) -> bool {
    event.get(KIT).is_some()
}

/// Returns new arguments as the kit takes them: those that it said as texts are what they were, if nothing changed them.
pub(super) fn overriding(event: &Event, input: Value) -> Result<Value, String> {
    let call = event.get("tool_call");
    let was = call
        .as_deref()
        .and_then(|call| call.get("input")?.as_object());
    let Value::Object(mut input) = payload::native_input(event, ID, &TOOLS, input) else {
        return Err(NO_OBJECT.to_owned());
    };
    let empty = Map::new();
    let was = was.unwrap_or(&empty);
    let is_shell = call.as_deref().is_some_and(|call| call["name"] == SHELL);
    if is_shell && !input.get("command").is_some_and(Value::is_string) {
        return Err(
            "a hook took the argument `command` away, which cannot be said here".to_owned(),
        );
    }
    commands::split(&mut input, was);
    for (name, value) in &mut input {
        let (Some(was), Value::String(text)) = (was.get(name), &*value) else {
            continue;
        };
        if !was.is_string() {
            *value = serde_json::from_str(text).unwrap_or_else(|_| text.clone().into());
        }
    }
    Ok(input.into())
}
