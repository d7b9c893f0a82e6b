//! Gemini `generateContent`.

use serde_json::{Value, json};

use super::{Answer, NAME, Protocol, Written};

pub(super) const PROTOCOL: Protocol = Protocol {
    is_path: |path| path.ends_with("enerateContent"),
    offers_tools,
    writes,
};

fn offers_tools(request: &Value) -> bool {
    let tools = request.get("tools").and_then(Value::as_array);
    let mut tools = tools.into_iter().flatten();
    tools.any(|tool| super::has_any(tool, "functionDeclarations"))
}

fn writes(answer: &Answer<'_>) -> Written {
    let calls = answer.turn.calls.iter();
    let calls = calls.map(|(name, input)| json!({"functionCall": {"name": name, "args": input}}));
    let mut parts: Vec<Value> = calls.collect();
    if parts.is_empty() {
        parts.push(json!({"text": answer.turn.text}));
    }
    let said = json!({
        "candidates": [{
            "content": {"role": "model", "parts": parts},
            "finishReason": "STOP",
            "index": 0,
        }],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": NAME,
    });
    if answer.is_stream {
        Written::Events(vec![said])
    } else {
        Written::Whole(said)
    }
}
