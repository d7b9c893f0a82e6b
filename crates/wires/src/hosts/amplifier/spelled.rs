//! The one field that Amplifier's loops spell in their own way: what a tool returned is `result` to them, and
//! `tool_result` in the catalogue and in the seed's examples.
//!
//! Hooks see the canonical name, whichever one came. The answer has the caller's: a loop takes a changed tool result from
//! `result` only, and a secret that a hook took out of another field would reach the model all the same.

use anyhook_core::event::{Event, Map};
use serde_json::Value;

use super::DATA;
use crate::json;

const OURS: &str = "tool_result";
const THEIRS: &str = "result";

/// Gives a tool's result its canonical name, in the data of an event that has one. Where both names stand with different
/// values nothing is touched: neither is known to be the other.
pub(super) fn canonical(event: &mut Event) {
    if !event.name.mutable().contains(&OURS) {
        return;
    }
    let data = event.data.json();
    let Some(value) = data.get(THEIRS) else {
        return;
    };
    if data.get(OURS).is_some_and(|ours| ours != value) {
        return;
    }
    let mut renamed = Map::new();
    for (name, value) in data.iter().filter(|(name, _)| *name != OURS) {
        let name = if name == THEIRS { OURS } else { name };
        renamed.insert(name.to_owned(), value.clone());
    }
    event.data = renamed.into();
}

/// Gives it back the name, or both names, under which it came.
pub(super) fn as_given(event: &Event, data: Map) -> Map {
    if !event.name.mutable().contains(&OURS) || !data.contains_key(OURS) {
        return data;
    }
    // A tool's result comes once in a call, and only then is its payload read a second time.
    let raw = event
        .origin
        .as_ref()
        .and_then(|origin| origin.raw.as_deref());
    let envelope = raw.and_then(|raw| json::object(raw).ok());
    let given = envelope.as_ref().and_then(|all| all.get(DATA)?.as_object());
    let Some(given) = given.filter(|given| given.contains_key(THEIRS)) else {
        return data;
    };
    let is_twin = given
        .get(OURS)
        .is_none_or(|ours| Some(ours) == given.get(THEIRS));
    if !is_twin {
        return data;
    }
    let is_single = !given.contains_key(OURS);
    let mut spelled = Map::new();
    for (name, value) in data {
        if name == OURS {
            spelled.insert(THEIRS.to_owned(), value.clone());
            if is_single {
                continue;
            }
        }
        spelled.insert(name, value);
    }
    spelled
}

/// Returns the data of an event as its caller spells it.
pub(super) fn data(event: &Event) -> Value {
    Value::Object(as_given(event, event.data.json().into_owned()))
}
