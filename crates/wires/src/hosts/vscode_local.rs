//! What the table of VS Code's own agent does not say.

mod call;

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::relative::row::HostRow;
use super::relative::{NAME, Oddities, Relative, incoming};
use crate::{DecodeError, payload};

include!(concat!(env!("OUT_DIR"), "/vscode_local.rs"));

const ODD: Oddities = Oddities {
    read,
    write,
    before: call::before,
    // What is left means nothing to the host.
    after: |answer, _| answer.rest.clear(),
    value: call::value,
    ..Oddities::NONE
};

/// The same field in early payloads.
const EARLY_NAME: &str = "hookEventName";

/// Fields of early payloads, and their canonical names.
const EARLY: &[(&str, &str)] = &[
    ("sessionId", "session_id"),
    ("transcriptPath", "transcript_path"),
    ("toolName", "tool_name"),
    ("toolInput", "tool_input"),
    ("toolResponse", "tool_response"),
    ("toolUseId", "tool_use_id"),
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("stopHookActive", "stop_hook_active"),
    ("customInstructions", "custom_instructions"),
];

fn read(host: &Relative, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut data = payload::object(host, bytes, &[NAME, EARLY_NAME], hint)?;
    let is_early = is_early(&data);
    let native = payload::native_name(host, &mut data, &[NAME, EARLY_NAME], hint)?;
    let row = host.find(&native);
    let native = row.map_or(native, |row| row.native.name.to_owned());
    if is_early {
        respelled(&mut data);
    }
    payload::rename(&mut data, "tool_response", "tool_result");
    let named = |error: DecodeError| error.about(&native);
    payload::check(&data, row.map_or(&[], |row| row.needs)).map_err(named)?;
    let server = call::open(&mut data);
    let incoming = incoming(host, native.clone(), row, bytes);
    let mut event = payload::event(incoming, data).map_err(named)?;
    call::close(&mut event, server);
    Ok(event)
}

fn write(_: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut data = call::written(event);
    payload::rename(&mut data, "tool_result", "tool_response");
    let native = payload::name_of(event, ID, row.map(|row| &row.native));
    data.insert(NAME.to_owned(), native.into());
    Value::Object(data)
}

fn is_early(payload: &Map) -> bool {
    !payload.contains_key(NAME) && payload.contains_key(EARLY_NAME)
}

/// Gives the fields of an early payload their later names, or takes them away again: each pair changes places.
fn respelled(data: &mut Map) {
    for (early, late) in EARLY {
        payload::rename(data, early, late);
    }
}

#[cfg(test)]
mod tests;
