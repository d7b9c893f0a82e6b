//! `{"event": …, "input": {…}, "id": …}`: the input of a function of a table, and what else the program knows.
//!
//! `input` holds the keys of the original, flat: before a tool its arguments stand beside `tool_name`. The model
//! chooses the arguments, so nothing else of ours is looked for among them: the event's name, the session and the folder
//! stand around `input`, where no argument can pose as one of them.

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::row::{AthenaRow, Form};
use super::table::TOOLS;
use super::{ID, NAME};
use crate::{DecodeError, json, payload};

/// The first parameter of a function.
pub(super) const INPUT: &str = "input";

/// The second one.
const GIVEN: &str = "id";

const CALL: &str = "tool_use_id";
const SESSION: &str = "session_id";
const PROMPT: &str = "prompt";
const TOOL: &str = "tool_name";
const ARGUMENTS: &str = "tool_input";

/// What stands around a payload and is never a field of the event.
const RESERVED: &[&str] = &[NAME, INPUT, GIVEN];

/// Gives a payload its canonical fields. `row` is nothing for an event that a program made up.
pub(super) fn canonical(row: Option<&AthenaRow>, mut envelope: Map) -> Result<Map, DecodeError> {
    let (input, id) = parameters(&mut envelope)?;
    let form = row.map_or(Form::Open, |row| row.form);
    let mut data = match form {
        Form::Call => call(input),
        Form::Keys | Form::Open => input,
    };
    for (theirs, ours) in row.map_or(&[][..], |row| row.keys) {
        if theirs != ours {
            payload::rename(&mut data, theirs, ours);
        }
    }
    // A run that goes on without a prompt of its own is told too, and a prompt is a text to every hook.
    if let Some(prompt) = data.get_mut(PROMPT).filter(|value| value.is_null()) {
        *prompt = Value::from("");
    }
    if let Some(id) = id {
        identify(&mut data, row, id)?;
    }
    for (field, value) in envelope {
        let known = row.and_then(|row| row.keys.iter().find(|(theirs, _)| *theirs == field));
        agree(&mut data, known.map_or(&*field, |(_, ours)| ours), value)?;
    }
    Ok(data)
}

/// Takes the two parameters of a function.
fn parameters(envelope: &mut Map) -> Result<(Map, Option<String>), DecodeError> {
    let wrong = |name: &str, wanted: &str, found: Option<&Value>| {
        let found = found.map_or("missing", json::kind);
        DecodeError::new(format!("`{name}` must be {wanted}, and is {found}"))
    };
    let input = match envelope.shift_remove(INPUT) {
        Some(Value::Object(input)) => input,
        other => return Err(wrong(INPUT, "an object", other.as_ref())),
    };
    match envelope.shift_remove(GIVEN) {
        None | Some(Value::Null) => Ok((input, None)),
        Some(Value::String(id)) => Ok((input, Some(id))),
        other => Err(wrong(GIVEN, "a string or null", other.as_ref())),
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

/// What a function is given beside its payload is the call, else the session (ATH-13).
fn identify(data: &mut Map, row: Option<&AthenaRow>, id: String) -> Result<(), DecodeError> {
    let keys = row.map_or(&[][..], |row| row.keys);
    let is_about_call = keys.iter().any(|(_, ours)| *ours == CALL) || data.contains_key(CALL);
    agree(data, if is_about_call { CALL } else { SESSION }, id.into())
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
pub(super) fn native(row: Option<&AthenaRow>, event: &Event) -> Map {
    let mut data = payload::fields(event, ID, &TOOLS);
    let form = row.map_or(Form::Open, |row| row.form);
    let keys = row.map_or(&[][..], |row| row.keys);
    for (theirs, ours) in keys.iter().filter(|(theirs, ours)| theirs != ours) {
        if data.contains_key(*ours) {
            // Our own loop tells it under both names.
            data.shift_remove(*theirs);
        }
        payload::rename(&mut data, ours, theirs);
    }
    let is_key = |key: &str| keys.iter().any(|(theirs, _)| *theirs == key);
    // What a function is given beside its payload is the call, else the session.
    let mut given = [CALL, SESSION].into_iter().filter(|key| is_key(key));
    let id = given.find_map(|key| data.get(key).cloned());
    let mut input = Map::new();
    if form == Form::Call
        && let Some(Value::Object(arguments)) = data.shift_remove(ARGUMENTS)
    {
        input = arguments;
    }
    let mut around = Map::new();
    for (key, value) in data {
        let is_about = match form {
            // A tool's arguments stand there, and nothing may look like one of them.
            Form::Call => key == TOOL,
            Form::Keys => is_key(&key),
            Form::Open => key != SESSION && key != "cwd",
        };
        let is_reserved = RESERVED.contains(&&*key);
        if is_about || is_reserved && form != Form::Call {
            input.insert(key, value);
        } else if !(is_reserved || is_key(&key) && key == CALL) {
            around.insert(key, value);
        }
    }
    around.insert(INPUT.to_owned(), Value::Object(input));
    around.insert(GIVEN.to_owned(), id.unwrap_or_default());
    around
}
