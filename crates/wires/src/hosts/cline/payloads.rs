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
use crate::payload::{self, CWD, INPUT, RESULT, RequiredField, TOOL};

const ERROR: &str = "error";
const ROOTS: &str = "workspaceRoots";
/// Where a call says whether it has failed.
const SUCCESS: (&str, &str) = ("postToolUse", "success");
/// What the kit calls its shell.
const SHELL: &str = "run_commands";
const SERVED: &str = "use_mcp_tool";

/// Makes one script of a list of commands, and adds what this host says otherwise.
pub(super) fn open(row: &HostRow, data: &mut Map) {
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
    payload::enter(data, ROOTS);
}

/// Names the tool of a server, and refuses a shell command that hooks cannot see.
pub(super) fn close(event: &mut Event, row: Option<&HostRow>) -> Result<(), DecodeError> {
    let input = event.get(INPUT).map(Cow::into_owned).unwrap_or_default();
    let text = |field: &str| input.get(field)?.as_str();
    if event.subject.as_deref() == Some(SERVED)
        && let (Some(server), Some(tool)) = (text("server_name"), text("tool_name"))
    {
        payload::serve(event, SERVED, &format!("mcp__{server}__{tool}"));
    }
    let is_call = row.is_some_and(|row| !row.needs.is_empty());
    if is_call && event.text(TOOL).is_some_and(|tool| tool == "Bash") {
        let empty = Map::new();
        let input = input.as_object().unwrap_or(&empty);
        payload::check(input, &[RequiredField::Text("command")])?;
    }
    Ok(())
}

/// Adds what this host always says to an event of another one.
pub(super) fn lower(_: &Event, row: &HostRow, data: &mut Map) {
    let cwd = data.get(CWD).filter(|cwd| cwd.is_string());
    let roots: Vec<Value> = cwd.into_iter().cloned().collect();
    data.entry(ROOTS).or_insert(roots.into());
    for name in ["session_id", "clineVersion", "userId", "agent_id"] {
        data.entry(name).or_insert_with(|| "".into());
    }
    if row.failed.is_some() {
        let success = json!({SUCCESS.1: !data.contains_key(ERROR)});
        data.entry(SUCCESS.0).or_insert(success);
        if let Some(error) = data.get(ERROR).cloned() {
            data.entry(RESULT).or_insert(error);
        }
    }
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
