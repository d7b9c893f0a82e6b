//! Writing an answer: the parts that only Copilot has.

use anyhook_core::event::{Event, Map};
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::payloads::Casing;
use super::results::result_of;
use crate::Reply;
use crate::hosts::relative::Host;
use crate::hosts::relative::encode::{self, AnswerEncoder};
use crate::hosts::relative::row::{Exit2Meaning, HostRow};

/// Returns a new result in the host's form, and a new prompt that is a text.
pub(super) fn value(
    host: &Host,
    event: &Event,
    field: &str,
    value: Value,
) -> Result<Value, String> {
    match field {
        "tool_result" => Ok(result_of(value, Casing::Camel)),
        "prompt" if !value.is_string() => {
            Err("a hook changed the prompt to something that is no text".to_owned())
        }
        _ => encode::value(host, event, field, value),
    }
}

/// Writes the answers that only this event of this host has. An interruption comes with a refusal, and makes none; a refused
/// prompt makes no request that could be changed.
pub(super) fn natives(answer: &mut AnswerEncoder<'_>) {
    if answer.top.contains_key("decision") && answer.can.rewrite == ["prompt"] {
        return;
    }
    let behavior = answer.specific.get("behavior").and_then(Value::as_str);
    let refuses = behavior == Some("deny");
    answer.own_answers();
    if !refuses {
        answer.specific.shift_remove("interrupt");
    }
}

/// Refuses an event that is not known, in every word that refuses a gate.
pub(super) fn refuse(host: &Host, row: Option<&'static HostRow>, reason: &str) -> Reply {
    if row.is_some() {
        return encode::refuse(host, row, reason);
    }
    let result = HookResult::deny(reason);
    let gates = host
        .events
        .iter()
        .filter(|row| row.exit_2 == Exit2Meaning::Blocks);
    let mut top = Map::new();
    for row in gates {
        let mut answer = AnswerEncoder::new(host, row, None, &result);
        answer.verdict();
        top.append(&mut answer.specific);
    }
    Reply {
        stdout: Reply::object(top).stdout,
        ..Reply::exit_2(reason)
    }
}
