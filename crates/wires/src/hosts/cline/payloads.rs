//! The payloads of Cline, both directions: each event has an object of its own, and what is in it is where hooks look.
//!
//! The kit has names of its own for the events, and says the arguments of a call twice: as texts, and as they are.

use std::borrow::Cow;

use anyhook_core::event::{Event, Map};
use serde_json::{Value, json};

use super::row::ClineRow;
use super::table::{EVENTS, TOOLS};
use super::{Cline, ID, NAME, commands};
use crate::DecodeError;
use crate::fitted::NO_OBJECT;
use crate::hosts::find;
use crate::payload::{self, Incoming, Need};

const TOOL: &str = "tool_name";
const INPUT: &str = "tool_input";
const RESULT: &str = "tool_result";
const ERROR: &str = "error";
const CWD: &str = "cwd";
const ROOTS: &str = "workspaceRoots";
const SUCCESS: &str = "success";
/// A field of every payload of the kit, which the extension has not.
const KIT: &str = "agent_id";
const SESSION: (&str, &str) = ("taskId", "session_id");
/// What the kit calls its shell.
const SHELL: &str = "run_commands";
const SERVED: &str = "use_mcp_tool";

/// Reads a payload.
pub(super) fn read(bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = payload::object(&Cline, bytes, &[NAME], hint)?;
    let native = payload::native_name(&Cline, &mut data, &[NAME], hint)?;
    let row = find(&EVENTS, &native);
    let kit = row.filter(|row| row.kit_names.contains(&native.as_str()));
    let native = kit.map_or(native, |row| row.native.name.to_owned());
    let named = |error: DecodeError| error.about(&native);
    payload::rename(&mut data, SESSION.0, SESSION.1);
    if let Some(row) = row {
        lift(row, &mut data);
        if row.is_gate() {
            let tool = [Need::Text(TOOL), Need::Object(INPUT)];
            let prompt = [Need::Text("prompt")];
            let needs = if row.calls() { &tool[..] } else { &prompt };
            payload::check(&data, needs).map_err(named)?;
        }
    }
    let failed = row.and_then(|row| row.failed);
    let event = failed.filter(|_| data.contains_key(ERROR));
    let subject = row.map(|row| if row.calls() { TOOL } else { "source" });
    let incoming = Incoming {
        host: ID,
        native: native.clone(),
        event: event.or(row.map(|row| row.native.event)),
        subject,
        tools: &TOOLS,
        bytes,
    };
    let event = served(payload::event(incoming, data)?);
    let data = event.data.json();
    if row.is_some_and(ClineRow::is_gate) && data.get(TOOL).is_some_and(|tool| tool == "Bash") {
        let input = data.get(INPUT).and_then(Value::as_object);
        payload::check(input.unwrap_or(&Map::new()), &[Need::Text("command")]).map_err(named)?;
    }
    drop(data);
    Ok(event)
}

/// Puts what is in the event's own object where hooks look for it, and adds what this host says otherwise.
fn lift(row: &ClineRow, data: &mut Map) {
    if data.get(row.section).is_some_and(Value::is_object)
        && let Some(Value::Object(mut section)) = data.shift_remove(row.section)
    {
        for (inner, outer) in row.fields {
            if let Some(value) = section.shift_remove(*inner) {
                data.insert((*outer).to_owned(), value);
            }
        }
        if data.get(TOOL).is_some_and(|tool| tool == SHELL)
            && let Some(Value::Object(input)) = data.get_mut(INPUT)
        {
            commands::join(input);
        }
        let has_failed = section.get(SUCCESS) == Some(&Value::Bool(false));
        if row.failed.is_some() && has_failed {
            let why = data.get(RESULT).cloned();
            data.entry(ERROR).or_insert(why.unwrap_or_default());
        }
        data.insert(row.section.to_owned(), Value::Object(section));
    }
    for (name, value) in added(row, data) {
        data.entry(name).or_insert(value);
    }
}

fn added(row: &ClineRow, data: &Map) -> Vec<(&'static str, Value)> {
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
pub(super) fn write(event: &Event, row: Option<&'static ClineRow>) -> Value {
    let mut data = payload::fields(event, ID, &TOOLS);
    if let Some(row) = row {
        complete(row, &mut data);
        lower(row, &mut data);
    }
    payload::rename(&mut data, SESSION.1, SESSION.0);
    let name = payload::name_of(event, ID, row.map(|row| &row.native));
    data.insert(NAME.to_owned(), name.into());
    Value::Object(data)
}

/// Puts the fields of the event back into its section.
fn lower(row: &ClineRow, data: &mut Map) {
    let mut section = match data.shift_remove(row.section) {
        Some(Value::Object(section)) => section,
        Some(_) | None => Map::new(),
    };
    for (inner, outer) in row.fields {
        if let Some(value) = data.shift_remove(*outer) {
            section.insert((*inner).to_owned(), value);
        }
    }
    data.insert(row.section.to_owned(), Value::Object(section));
}

/// Adds what this host always says to an event of another one.
fn complete(row: &ClineRow, data: &mut Map) {
    let cwd = data.get(CWD).filter(|cwd| cwd.is_string());
    let roots: Vec<Value> = cwd.into_iter().cloned().collect();
    let mut all = vec![
        (SESSION.1, json!("")),
        (ROOTS, roots.into()),
        ("clineVersion", json!("")),
        ("userId", json!("")),
        (KIT, json!("")),
    ];
    if row.failed.is_some() {
        let failed = data.contains_key(ERROR);
        let mut section = Map::new();
        section.insert(SUCCESS.to_owned(), (!failed).into());
        all.push((row.section, Value::Object(section)));
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
