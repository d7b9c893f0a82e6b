//! The returns of `ex_athena` as objects: `{"return": "deny", "reason": "…"}`, one for each of its six.
//!
//! | Return | Object |
//! |---|---|
//! | `:ok` | `{"return": "ok"}` |
//! | `{:halt, reason}` | `{"return": "halt", "reason": "…"}` |
//! | `{:deny, reason}` | `{"return": "deny", "reason": "…"}` |
//! | `{:inject, messages}` | `{"return": "inject", "messages": [{"role": "system", "content": "…", "name": "…"}]}` |
//! | `{:transform, prompt}` | `{"return": "transform", "prompt": "…"}` |
//! | `{:augment, text}` | `{"return": "augment", "text": "…"}` |
//!
//! Beside each may stand `notices`, a list of texts for the person, and beside a reason its `code` and `metadata`. A
//! return that the event does not know is a fault, but a refusal and a halt are heard at every event: graver is never
//! wrong.

use anyhook_core::can::Capabilities;
use anyhook_core::effects::{Injection, Placement, Role};
use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
use anyhook_core::transcript::Transcript;
use serde_json::{Value, json};

use super::{SUCCESS, code, failed, read_object, stands};
use crate::answer::{NO_REASON, document, invalid, warning};
use crate::json;

/// The key that makes an object an answer of this form.
const RETURN: &str = "return";

const PROMPT: &str = "prompt:submit";

/// The events whose functions stand in groups: they know no injection.
const OF_A_TOOL: &[&str] = &["tool:pre", "tool:post"];

pub(super) fn owns(object: &Map) -> bool {
    object.contains_key(RETURN)
}

/// Reads what a process printed as the return of a function: nothing is `:ok`, and whatever is no return a fault.
pub(crate) fn returned(raw: &Transcript, event: &Event) -> HandlerResult {
    let code = code(raw)?;
    if code != SUCCESS {
        return Err(failed(code, raw).into());
    }
    let stdout = raw.stdout.text();
    if stdout.trim().is_empty() {
        return Ok(HookResult::proceed());
    }
    let (object, wrong) = document(stdout.trim(), raw)?;
    if !object.contains_key(RETURN) {
        return Err(invalid(format!("it returned an object without `{RETURN}`")).into());
    }
    stands(
        read_object(object, event)?,
        wrong.map(|text| invalid(text).into()),
    )
}

/// Takes one return out of an object.
pub(super) fn read(object: &mut Map, event: &Event) -> HandlerResult {
    let said = object.shift_remove(RETURN).unwrap_or_default();
    let word = said.as_str().unwrap_or_default();
    let mut take = |field: &str| object.shift_remove(field).unwrap_or_default();
    let notices = take("notices");
    let result = match word {
        "ok" => Ok(HookResult::proceed()),
        "halt" => Ok(HookResult::from(Verdict::Halt {
            reasons: [reason(&mut take)].into(),
        })),
        "deny" => Ok(HookResult::from(Verdict::Deny {
            reasons: [reason(&mut take)].into(),
        })),
        "inject" => inject(take("messages"), event),
        "transform" => text(word, take("prompt"), PROMPT, event)
            .map(|prompt| HookResult::proceed().modify("prompt", prompt)),
        "augment" => text(word, take("text"), "tool:post", event).map(|text| {
            HookResult::proceed().injecting(Injection {
                place: Placement::LastToolResult,
                ..Injection::new(text)
            })
        }),
        _ => Err(format!("it returned `{said}`, which is no return")),
    };
    let said = result.map_err(|text| Box::new(invalid(text)))?;
    Ok(noticed(said, &notices))
}

fn reason(take: &mut impl FnMut(&str) -> Value) -> Reason {
    let text = match take("reason") {
        Value::String(text) if !text.is_empty() => text,
        Value::Null | Value::String(_) => NO_REASON.to_owned(),
        // A term that is no text is still why.
        other => other.to_string(),
    };
    let code = take("code").as_str().map(Box::from);
    let detail = Some(take("metadata")).filter(|value| !value.is_null());
    Reason {
        code,
        detail,
        ..Reason::new(text)
    }
}

fn inject(messages: Value, event: &Event) -> Result<HookResult, String> {
    if OF_A_TOOL.contains(&event.name.as_str()) {
        return Err(unknown("inject", event));
    }
    let all = match messages {
        Value::Array(all) => all,
        one => vec![one],
    };
    let mut said = HookResult::proceed();
    for message in &all {
        let field = |name: &str| message.get(name);
        let text = field("content").and_then(Value::as_str);
        let role = match field("role") {
            None => Some(Role::System),
            Some(role) => serde_json::from_value(role.clone()).ok(),
        };
        let (Some(text), Some(role)) = (text, role) else {
            return Err(format!(
                "it returned `inject` with `{message}`, which is no message"
            ));
        };
        said = said.injecting(Injection {
            role,
            name: field("name").and_then(Value::as_str).map(Box::from),
            ..Injection::new(text)
        });
    }
    Ok(said)
}

/// Takes the text of a return that this event alone knows.
fn text(word: &str, text: Value, of: &str, event: &Event) -> Result<String, String> {
    match text {
        Value::String(text) if event.name.as_str() == of => Ok(text),
        Value::String(_) => Err(unknown(word, event)),
        other => Err(no_text(word, &other)),
    }
}

fn unknown(word: &str, event: &Event) -> String {
    format!(
        "it returned `{word}`, which `{}` does not know",
        event.name.as_str()
    )
}

fn no_text(word: &str, value: &Value) -> String {
    let found = json::kind(value);
    format!("it returned `{word}` with {found} where a text belongs")
}

fn noticed(mut said: HookResult, notices: &Value) -> HookResult {
    match notices {
        Value::Null => {}
        Value::Array(all) => {
            for text in all.iter().filter_map(Value::as_str) {
                said = said.notify(text);
            }
        }
        other => said = said.notifying(warning(no_text("notices", other))),
    }
    said
}

/// Writes a fitted result as one return.
pub(crate) fn said(event: &Event, can: &Capabilities, result: &HookResult) -> Map {
    let kind = result.verdict.kind();
    let mut answer = if kind == Kind::Halt && can.says(Kind::Halt) {
        refusal("halt", result)
    } else if kind >= Kind::Ask && can.says(Kind::Deny) {
        refusal("deny", result)
    } else if kind >= Kind::Ask && can.says(Kind::Halt) {
        refusal("halt", result)
    } else {
        effect(event, can, result)
    };
    let notices = result.effects.notify().iter().map(|said| &*said.text);
    let notices: Vec<&str> = notices.collect();
    if !notices.is_empty() {
        answer.insert("notices".to_owned(), json!(notices));
    }
    answer
}

fn refusal(word: &str, result: &HookResult) -> Map {
    let text = result.verdict.text();
    let text = if text.is_empty() { NO_REASON } else { &text };
    let mut answer = json::map([(RETURN, word.into()), ("reason", text.into())]);
    let first = result.verdict.reasons().first();
    if let Some((code, reason)) = first.and_then(|reason| Some((reason.code.as_ref()?, reason))) {
        answer.insert("code".to_owned(), json!(code));
        answer.extend(
            reason
                .detail
                .clone()
                .map(|all| ("metadata".to_owned(), all)),
        );
    }
    answer
}

fn effect(event: &Event, can: &Capabilities, result: &HookResult) -> Map {
    let effects = &result.effects;
    let prompt = effects
        .rewrite("prompt")
        .filter(|_| event.name.as_str() == PROMPT);
    if let Some(prompt) = prompt {
        return match prompt.value.as_ref().map(Datum::json) {
            Some(Value::String(prompt)) => {
                json::map([(RETURN, "transform".into()), ("prompt", prompt.into())])
            }
            // The loop would drop it, and go on with the prompt that was changed.
            _ => json::map([
                (RETURN, "halt".into()),
                (
                    "reason",
                    "a hook changed the prompt into something that is no text".into(),
                ),
            ]),
        };
    }
    let texts = effects.inject();
    if texts.is_empty() || can.inject.is_none() {
        return json::map([(RETURN, "ok".into())]);
    }
    if event.name.as_str() == "tool:post" {
        let texts: Vec<&str> = texts.iter().map(|said| &*said.text).collect();
        return json::map([
            (RETURN, "augment".into()),
            ("text", texts.join("\n\n").into()),
        ]);
    }
    let messages: Vec<Value> = texts.iter().map(message).collect();
    json::map([(RETURN, "inject".into()), ("messages", messages.into())])
}

fn message(said: &Injection) -> Value {
    let mut message = json!({"role": said.role, "content": said.text});
    if let (Some(name), Value::Object(fields)) = (&said.name, &mut message) {
        fields.insert("name".to_owned(), json!(name));
    }
    message
}
