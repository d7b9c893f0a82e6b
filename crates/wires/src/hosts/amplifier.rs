//! What the table of Amplifier does not say.

mod spelled;

use std::sync::Arc;

use anyhook_core::can::Capabilities;
use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookInfo;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::{self, Class};
use serde_json::{Value, json};

use super::relative::decode::HookRun;
use super::relative::row::HostRow;
use super::relative::{Host, HostFunctions};
use super::universal;
use crate::dialects::amplifier::Flat;
use crate::{DecodeError, Reply, dialects, json};
use table::{NOTICE, REFUSES, TOLD};

include!(concat!(env!("OUT_DIR"), "/amplifier.rs"));

/// The key of the event's name.
const NAME: &str = "event";

/// The key of the event's data.
const DATA: &str = "data";

const ODD: HostFunctions = HostFunctions {
    read,
    write: |_, event, _| write(event),
    decode: |run| dialects::read_universal(run.raw, run.event),
    read_back,
    value: |_, _, _, value| Ok(value),
    can: |_, event| can(event.name.class(), event.name.mutable()),
    answer: |_, event, result, hooks| answer(event, result, hooks),
    refuse: |_, row, reason| refuse(row, reason),
    ..HostFunctions::BARE
};

fn can(class: Class, mutable: &'static [&'static str]) -> Capabilities {
    let can = match class {
        Class::Gate => REFUSES,
        // A sub-agent that has finished is not sent back to work here.
        Class::Continuation | Class::After => TOLD,
        Class::Notice => NOTICE,
    };
    Capabilities {
        rewrite: mutable,
        ..can
    }
}

fn read(_: &Host, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut envelope = json::object(bytes)?;
    let native = universal::native_name(&mut envelope, &[NAME], hint)?;
    let about = |error: DecodeError| error.about(&native);
    let data = data(&mut envelope).map_err(about)?;
    check(&native, &data).map_err(about)?;
    Ok(event(data, native, bytes))
}

fn write(event: &Event) -> Value {
    let own = crate::payload::own(event, ID);
    let name = own.map_or(event.name.as_str(), |own| &own.native);
    json!({ NAME: name, DATA: spelled::data(event) })
}

/// Writes a fitted result; where the hooks are known, with the name of the one whose words they are.
fn answer(event: &Event, result: &HookResult, hooks: &[Arc<HookInfo>]) -> Reply {
    let mut flat = Flat::answering(result, event, hooks);
    // The data of a refusal is the refusing hook's own.
    if result.verdict.kind() < Kind::Deny {
        flat.data = flat.data.map(|data| spelled::as_given(event, data));
    }
    Reply::object(flat.to_json())
}

fn read_back(HookRun { raw, event, .. }: HookRun<'_>) -> HandlerResult {
    let flat = serde_json::from_slice(&raw.stdout.kept).ok();
    match flat.and_then(|map| Flat::from_json(map).ok()) {
        Some(flat) => Ok(flat.emitted(event)),
        None => dialects::read_universal(raw, event),
    }
}

fn refuse(row: Option<&HostRow>, reason: &str) -> Reply {
    let is_refusable = row.is_none_or(|row| row.can.says(Kind::Deny));
    let said = if is_refusable {
        HookResult::deny(reason)
    } else {
        HookResult::proceed().notify(reason)
    };
    let nothing = Event::new(row.map_or("", |row| row.event), Value::Null);
    let mut flat = Flat::of(&said, &nothing, &[]);
    // The data could not be read, so nothing is said about it: an empty object would empty the event.
    flat.data = None;
    Reply::object(flat.to_json())
}

/// Takes the data; none is as good as an empty object. An object with other keys and without `data` is no envelope but
/// another host's payload: its hooks would look at nothing.
fn data(envelope: &mut Map) -> Result<Map, DecodeError> {
    match envelope.shift_remove(DATA) {
        None if !envelope.is_empty() => {
            Err(DecodeError::new(format!("the payload has no `{DATA}`")))
        }
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(data)) => Ok(data),
        Some(other) => Err(DecodeError::wrong(DATA, "an object", Some(&other))),
    }
}

/// Refuses a gate that hides what a hook would decide about: what matchers look at and what hooks rewrite must be there
/// where the row says that it is.
fn check(native: &str, data: &Map) -> Result<(), DecodeError> {
    universal::check(data)?;
    let Some(row) = taxonomy::find(native).filter(|row| row.class == Class::Gate) else {
        return Ok(());
    };
    let is_decided = |field: &str| row.subject == Some(field) || row.mutable.contains(&field);
    let mismatches = row.mismatches(data);
    let hidden = mismatches.iter().find(|wrong| is_decided(wrong.field));
    hidden.map_or(Ok(()), |wrong| {
        let wanted = format!("of kind {}", wrong.wanted.as_str());
        Err(DecodeError::wrong(
            wrong.field,
            &wanted,
            wrong.found.as_ref(),
        ))
    })
}

fn event(data: Map, native: String, bytes: &[u8]) -> Event {
    let mut event = crate::payload::under_its_name(ID, native, data, bytes);
    spelled::canonical(&mut event);
    event
}

#[cfg(test)]
mod tests;
