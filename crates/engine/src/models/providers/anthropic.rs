//! The Messages API of Anthropic, and of the servers that speak it.
//!
//! The model has one tool and has to call it: the arguments of that call are the answer, and its schema is the contract.
//!
//! ```
//! use anyhook_engine::models::answer::ModelOutput;
//! use anyhook_engine::models::providers::anthropic::ROW;
//! use serde_json::json;
//!
//! let answer = json!({
//!     "content": [{"type": "tool_use", "id": "t", "name": "judge", "input": {"ok": true, "reason": ""}}],
//!     "stop_reason": "tool_use",
//!     "usage": {"input_tokens": 300, "output_tokens": 12},
//! });
//! let read = (ROW.read)(answer.as_object().unwrap())?;
//! assert!(matches!(read.said?, ModelOutput::Object(said) if said["ok"] == json!(true)));
//! assert_eq!(read.tokens, Some(312));
//! # Ok::<(), anyhook_engine::models::answer::UnreadableAnswer>(())
//! ```

use anyhook_core::event::Map;
use serde_json::{Value, json};

use super::{ModelProtocol, ModelReply, ModelRequest, cut_off, number};
use crate::models::answer::{ModelOutput, UnreadableAnswer};
use crate::models::instruct::{RULES, schema};

/// The row.
pub static ROW: ModelProtocol = ModelProtocol {
    id: "anthropic",
    base: "https://api.anthropic.com",
    path: "/v1/messages",
    headers: &[("anthropic-version", "2023-06-01")],
    key: ("x-api-key", ""),
    forms: &[request],
    read,
};

/// The one tool of the model.
const TOOL: &str = "judge";

fn request(wanted: &ModelRequest<'_>) -> Value {
    json!({
        "model": wanted.model,
        "max_tokens": wanted.most,
        "system": [
            {"type": "text", "text": RULES},
            {"type": "text", "text": wanted.instruction},
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": wanted.data}]}],
        "tools": [{
            "name": TOOL,
            "description": "Gives your judgement of the event.",
            "input_schema": schema(),
        }],
        "tool_choice": {"type": "tool", "name": TOOL, "disable_parallel_tool_use": true},
    })
}

fn read(answer: &Map) -> Result<ModelReply, UnreadableAnswer> {
    let content = answer.get("content").and_then(Value::as_array);
    let content =
        content.ok_or_else(|| UnreadableAnswer::new("the server sent no message of a model"))?;
    Ok(ModelReply {
        said: match answer.get("stop_reason").and_then(Value::as_str) {
            Some("max_tokens") => Err(cut_off()),
            Some("refusal") => Err(UnreadableAnswer::new("the model declined to answer")),
            Some(_) | None => said(content),
        },
        tokens: tokens(answer.get("usage").and_then(Value::as_object)),
    })
}

/// Reads the call of the tool; a server that knows no tools answers in text.
fn said(content: &[Value]) -> Result<ModelOutput, UnreadableAnswer> {
    let text =
        |block: &Value, field: &str| block.get(field).and_then(Value::as_str).map(str::to_owned);
    let is = |block: &&Value, kind: &str| text(block, "type").as_deref() == Some(kind);
    let mut calls = content.iter().filter(|block| is(block, "tool_use"));
    match (calls.next(), calls.next()) {
        (Some(_), Some(_)) => Err(UnreadableAnswer::new("the model answered more than once")),
        (Some(call), None) => match (text(call, "name").as_deref(), call.get("input")) {
            (Some(TOOL), Some(Value::Object(input))) => Ok(ModelOutput::Object(input.clone())),
            _ => Err(UnreadableAnswer::new(
                "the model called something that it was not given",
            )),
        },
        (None, _) => {
            let texts = content.iter().filter(|block| is(block, "text"));
            let texts: Vec<String> = texts.filter_map(|block| text(block, "text")).collect();
            Ok(ModelOutput::Text(texts.concat()))
        }
    }
}

/// What was cached was read all the same.
fn tokens(usage: Option<&Map>) -> Option<u64> {
    let all = [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    let counted = all.iter().filter_map(|field| number(usage, field));
    counted.reduce(u64::saturating_add)
}
