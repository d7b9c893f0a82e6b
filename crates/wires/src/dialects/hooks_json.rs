//! The answers of seed 004: `hookSpecificOutput` with a `permissionDecision`, `decision: block`, and what hosts made of
//! them since.
//!
//! Every field is understood where the seed puts it, and beside it: a hook whose author remembered the form half is
//! better understood than dropped. An empty `updatedInput` is the seed's own placeholder and changes nothing.

use anyhook_core::event::{Event, EventName, Map};
use anyhook_core::handler::HandlerResult;
use serde_json::Value;

use crate::answer::{self, Nesting, ParsedAnswer, SPECIFIC, invalid};
use crate::hosts::claude_code;
use crate::hosts::claude_code::table::{ANSWER, OWN_FIELDS};

pub(super) fn owns(object: &Map) -> bool {
    ANSWER.iter().any(|field| object.contains_key(*field))
}

pub(super) fn read(object: &mut Map, event: &Event) -> HandlerResult {
    let mut object = std::mem::take(object);
    drop_placeholder(&mut object);
    if let Some(Value::Object(nested)) = object.get_mut(SPECIFIC) {
        drop_placeholder(nested);
    }
    let mut answer = answer::read(object, event, Nesting::Anywhere);
    named(&mut answer, event);
    let unknown = natives(&mut answer).join(", ");
    if !unknown.is_empty() {
        if answer.problems.is_empty() && answer.result.is_identity() {
            return Err(invalid(format!("its answer has nothing to say but {unknown}")).into());
        }
        answer.warn(format!("a hook's answer has unknown fields: {unknown}"));
    }
    answer.settled()
}

/// Takes the fields of this form out of an object of another one.
pub(super) fn taken(object: &mut Map) -> Map {
    let fields = ANSWER.iter().filter(|field| **field != "reason");
    let taken =
        fields.filter_map(|field| Some(((*field).to_owned(), object.shift_remove(*field)?)));
    taken.collect()
}

fn drop_placeholder(map: &mut Map) {
    if map
        .get("updatedInput")
        .and_then(Value::as_object)
        .is_some_and(Map::is_empty)
    {
        map.shift_remove("updatedInput");
    }
}

/// An answer that names another event is still heard, but its approval is not: it was meant for something else.
fn named(answer: &mut ParsedAnswer, event: &Event) {
    let other = answer
        .names
        .take()
        .filter(|name| EventName::new(name.as_str()) != event.name);
    if let Some(other) = other {
        let asked = event.name.universal();
        answer.warn(format!(
            "a hook answered `{other}` when it was asked about `{asked}`"
        ));
        answer.distrust();
    }
}

/// Keeps the fields that only one host has as native answers, and returns the names of those that no host has.
fn natives(answer: &mut ParsedAnswer) -> Vec<String> {
    let mut fields = std::mem::take(&mut answer.rest);
    for holder in [SPECIFIC, "decision"] {
        if let Some(Value::Object(mut held)) = fields.shift_remove(holder) {
            fields.append(&mut held);
        }
    }
    let (mut known, mut unknown) = (Map::new(), Vec::new());
    for (key, value) in fields {
        if OWN_FIELDS.contains(&&*key) {
            known.insert(key, value);
        } else {
            unknown.push(format!("`{key}`"));
        }
    }
    if !known.is_empty() {
        let result = std::mem::take(&mut answer.result);
        answer.result = result.native(claude_code::ID, known);
    }
    unknown
}
