//! Chat completions, as many servers speak them: llama.cpp, Ollama, vLLM, gateways, and the one that they are from.
//!
//! The answer's schema is asked for in `response_format`. A server that refuses that, or the newer name of the bound, is
//! asked again without.
//!
//! ```
//! use anyhook_engine::models::answer::ModelOutput;
//! use anyhook_engine::models::providers::openai::ROW;
//! use serde_json::json;
//!
//! let answer = json!({
//!     "choices": [{"message": {"role": "assistant", "content": "{\"ok\": true}"}, "finish_reason": "stop"}],
//!     "usage": {"prompt_tokens": 300, "completion_tokens": 5, "total_tokens": 305},
//! });
//! let read = (ROW.read)(answer.as_object().unwrap())?;
//! assert_eq!(read.said?, ModelOutput::Text("{\"ok\": true}".into()));
//! assert_eq!(read.tokens, Some(305));
//! # Ok::<(), anyhook_engine::models::answer::UnreadableAnswer>(())
//! ```

use anyhook_core::event::Map;
use serde_json::{Value, json};

use super::{ModelProtocol, ModelReply, ModelRequest, cut_off, number};
use crate::models::answer::{ModelOutput, UnreadableAnswer};
use crate::models::instruct::{RULES, schema};

/// The row.
pub static ROW: ModelProtocol = ModelProtocol {
    id: "openai",
    base: "https://api.openai.com/v1",
    path: "/chat/completions",
    headers: &[],
    key: ("authorization", "Bearer "),
    forms: &[strict, strict_of_old, plain],
    read,
};

/// The newer name of the bound: its first provider refuses the older one for its newer models.
const MOST: &str = "max_completion_tokens";

/// The older name, which some servers know alone.
const MOST_OF_OLD: &str = "max_tokens";

fn strict(wanted: &ModelRequest<'_>) -> Value {
    body(
        wanted,
        wanted.instruction,
        json!({MOST: wanted.most, "response_format": format()}),
    )
}

fn strict_of_old(wanted: &ModelRequest<'_>) -> Value {
    body(
        wanted,
        wanted.instruction,
        json!({MOST_OF_OLD: wanted.most, "response_format": format()}),
    )
}

/// Where the server knows no schema, the contract stands in the instruction.
fn plain(wanted: &ModelRequest<'_>) -> Value {
    let instruction = format!(
        "{}\n\nAnswer with one JSON object and nothing else, of this schema: {}",
        wanted.instruction,
        schema()
    );
    body(wanted, &instruction, json!({MOST_OF_OLD: wanted.most}))
}

/// The instruction is the system's, and the user's message the event alone: two messages of one role in a row are more
/// than the templates of some models can say.
fn body(wanted: &ModelRequest<'_>, instruction: &str, mut more: Value) -> Value {
    let mut body = json!({
        "model": wanted.model,
        "messages": [
            {"role": "system", "content": format!("{RULES}\n\nThe instruction:\n{instruction}")},
            {"role": "user", "content": wanted.data},
        ],
        "stream": false,
    });
    if let (Value::Object(body), Value::Object(more)) = (&mut body, &mut more) {
        body.append(more);
    }
    body
}

fn format() -> Value {
    json!({
        "type": "json_schema",
        "json_schema": {"name": "judgement", "strict": true, "schema": schema()},
    })
}

fn read(answer: &Map) -> Result<ModelReply, UnreadableAnswer> {
    let choice = answer.get("choices").and_then(|choices| choices.get(0));
    let choice =
        choice.ok_or_else(|| UnreadableAnswer::new("the server sent no message of a model"))?;
    let usage = answer.get("usage").and_then(Value::as_object);
    let parts = number(usage, "prompt_tokens").zip(number(usage, "completion_tokens"));
    let parts = parts.map(|(asked, answered)| asked.saturating_add(answered));
    Ok(ModelReply {
        said: said(choice),
        tokens: number(usage, "total_tokens").max(parts),
    })
}

fn said(choice: &Value) -> Result<ModelOutput, UnreadableAnswer> {
    let text = |at: &str| {
        choice
            .pointer(at)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let declined = !text("/message/refusal").is_empty();
    match text("/finish_reason") {
        "length" => Err(cut_off()),
        "content_filter" => Err(UnreadableAnswer::new("the model declined to answer")),
        _ if declined => Err(UnreadableAnswer::new("the model declined to answer")),
        _ => Ok(ModelOutput::Text(text("/message/content").to_owned())),
    }
}
