//! `{"event": …, "input": {…}, "id": …}`: the input of a function of a table, and what else the program knows.
//!
//! `input` holds the keys of the original, flat: before a tool its arguments stand beside `tool_name`. The model
//! chooses the arguments, so nothing else of ours is looked for among them: the event's name, the session and the folder
//! stand around `input`, where no argument can pose as one of them.

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use crate::DecodeError;
use crate::hosts::relative::row::HostRow;
use crate::payload::{self, TOOL};

/// The first parameter of a function.
const INPUT: &str = "input";

/// The second one.
const GIVEN: &str = "id";

const CALL: &str = "tool_use_id";
const SESSION: &str = "session_id";
const PROMPT: &str = "prompt";
const ARGUMENTS: &str = "tool_input";

/// What stands around a payload and is never a field of the event.
const RESERVED: &[&str] = &["event", INPUT, GIVEN];

/// Tells whether the arguments of a tool stand beside the keys of a payload.
fn is_call(row: &HostRow) -> bool {
    row.event == "tool:pre"
}

/// Gives a payload its canonical fields.
pub(super) fn open(row: &HostRow, data: &mut Map) -> Result<(), DecodeError> {
    let mut envelope = std::mem::take(data);
    let (input, id) = parameters(&mut envelope)?;
    *data = if is_call(row) { call(input) } else { input };
    for (theirs, ours) in row.fields {
        payload::rename(data, theirs, ours);
    }
    match data
        .get_mut(PROMPT)
        .filter(|_| row.event == "prompt:submit")
    {
        // A run that goes on without a prompt of its own is told too, and a prompt is a text to every hook.
        Some(prompt) if prompt.is_null() => *prompt = "".into(),
        Some(prompt) if !prompt.is_string() => {
            return Err(DecodeError::wrong(PROMPT, "a string or null", Some(prompt)));
        }
        Some(_) | None => {}
    }
    if let Some(id) = id {
        // What a function is given beside its payload is the call, else the session.
        let is_about_call = row.subject == Some(TOOL) || data.contains_key(CALL);
        agree(data, if is_about_call { CALL } else { SESSION }, id.into())?;
    }
    for (field, value) in envelope {
        agree(data, &field, value)?;
    }
    Ok(())
}

/// Takes the two parameters of a function.
fn parameters(envelope: &mut Map) -> Result<(Map, Option<String>), DecodeError> {
    let input = match envelope.shift_remove(INPUT) {
        Some(Value::Object(input)) => input,
        other => return Err(DecodeError::wrong(INPUT, "an object", other.as_ref())),
    };
    match envelope.shift_remove(GIVEN) {
        None | Some(Value::Null) => Ok((input, None)),
        Some(Value::String(id)) => Ok((input, Some(id))),
        other => Err(DecodeError::wrong(
            GIVEN,
            "a string or null",
            other.as_ref(),
        )),
    }
}

/// Takes the arguments of a call from beside its keys.
fn call(mut input: Map) -> Map {
    let mut data = Map::new();
    for key in [TOOL, CALL] {
        if let Some(value) = input.shift_remove(key) {
            data.insert(key.to_owned(), value);
        }
    }
    data.insert(ARGUMENTS.to_owned(), Value::Object(input));
    data
}

/// Takes up what stands around the payload. Where both say something else, it is unknown which of them holds.
fn agree(data: &mut Map, field: &str, value: Value) -> Result<(), DecodeError> {
    match data.get(field) {
        Some(known) if *known == value => {}
        Some(known) if !known.is_null() => {
            return Err(DecodeError::new(format!(
                "the payload has two values for `{field}`, and they differ"
            )));
        }
        Some(_) | None => {
            data.insert(field.to_owned(), value);
        }
    }
    Ok(())
}

/// Writes an event as the program does.
pub(super) fn lower(_: &Event, row: &HostRow, data: &mut Map) {
    for (theirs, ours) in row.fields.iter().filter(|(theirs, ours)| theirs != ours) {
        if data.contains_key(*ours) {
            // Our own loop tells it under both names.
            data.shift_remove(*theirs);
        }
        payload::rename(data, ours, theirs);
    }
    let is_key = |key: &str| row.fields.iter().any(|(theirs, _)| *theirs == key);
    let is_about = |key: &str| is_key(key) || is_call(row) && key == CALL;
    // What a function is given beside its payload is the call, else the session.
    let mut given = [CALL, SESSION].into_iter().filter(|key| is_about(key));
    let id = given.find_map(|key| data.get(key).cloned());
    let arguments = is_call(row).then(|| data.shift_remove(ARGUMENTS)).flatten();
    let mut input = match arguments {
        Some(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    for (key, value) in std::mem::take(data) {
        let is_inside = match (is_call(row), row.fields) {
            // A tool's arguments stand there, and nothing may look like one of them.
            (true, _) => key == TOOL,
            // The program decides.
            (false, []) => key != SESSION && key != "cwd",
            (false, _) => is_key(&key),
        };
        let is_reserved = RESERVED.contains(&&*key);
        if is_inside || is_reserved && !is_call(row) {
            input.insert(key, value);
        } else if !(is_reserved || is_about(&key) && key == CALL) {
            data.insert(key, value);
        }
    }
    data.insert(INPUT.to_owned(), Value::Object(input));
    data.insert(GIVEN.to_owned(), id.unwrap_or_default());
}
