//! What a tool returned, in the two forms, and in an answer.

use anyhook_core::event::Event;
use serde_json::{Value, json};

use super::payloads::Casing;
use crate::payload;

/// Fields of a tool's result in the camelCase form, and in the other one.
const RESULT: &[(&str, &str)] = &[
    ("resultType", "result_type"),
    ("textResultForLlm", "text_result_for_llm"),
];

/// Writes a tool's result as this host has it: one of another host is a text.
pub(super) fn result_of(value: Value, casing: Casing) -> Value {
    let Value::Object(mut result) = value else {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        return told(&text, casing);
    };
    let is_ours = RESULT
        .iter()
        .any(|(camel, snake)| result.contains_key(*camel) || result.contains_key(*snake));
    if !is_ours {
        return told(&Value::Object(result).to_string(), casing);
    }
    for (camel, snake) in RESULT {
        let (from, to) = match casing {
            Casing::Camel => (snake, camel),
            Casing::Pascal => (camel, snake),
        };
        if result.contains_key(*from) && !result.contains_key(*to) {
            payload::rename(&mut result, from, to);
        }
    }
    Value::Object(result)
}

fn told(text: &str, casing: Casing) -> Value {
    match casing {
        Casing::Camel => json!({"resultType": "success", "textResultForLlm": text}),
        Casing::Pascal => json!({"result_type": "success", "text_result_for_llm": text}),
    }
}

/// Returns a result that a hook of this host changed in the form that the event's own result has.
pub(super) fn changed(event: &Event, value: Value) -> Value {
    let was = event.get("tool_result");
    let form = was
        .as_deref()
        .and_then(Value::as_object)
        .and_then(|result| {
            let (camel, snake) = RESULT.last()?;
            let casing = |field: &str| result.contains_key(field);
            match (casing(camel), casing(snake)) {
                (true, _) => Some(Casing::Camel),
                (false, true) => Some(Casing::Pascal),
                (false, false) => None,
            }
        });
    match form {
        Some(casing) => result_of(value, casing),
        None => match value.get("textResultForLlm") {
            Some(text) if was.is_some() => text.clone(),
            _ => value,
        },
    }
}
