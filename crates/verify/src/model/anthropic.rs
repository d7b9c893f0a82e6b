//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Answer, NAME, Protocol, Written, has_any};

pub(super) const PROTOCOL: Protocol = Protocol {
    is_path: |path| path.ends_with("/messages"),
    offers_tools: |request| has_any(request, "tools"),
    writes,
};

fn writes(answer: &Answer<'_>) -> Written {
    let blocks = blocks(answer);
    let stop = if answer.turn.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    let usage = json!({
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    });
    let message = |content: &[Value], stop: Value| {
        json!({
            "id": format!("msg_{}", answer.number),
            "type": "message",
            "role": "assistant",
            "model": NAME,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": null,
            "usage": usage,
        })
    };
    if !answer.is_stream {
        return Written::Whole(message(&blocks, stop.into()));
    }
    let mut events = vec![json!({"type": "message_start", "message": message(&[], Value::Null)})];
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = parts(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    Written::Events(events)
}

fn blocks(answer: &Answer<'_>) -> Vec<Value> {
    let calls = answer.turn.calls.iter().enumerate();
    let blocks = calls.map(|(index, (name, input))| {
        let id = format!("toolu_{}_{index}", answer.number);
        json!({"type": "tool_use", "id": id, "name": name, "input": input})
    });
    let mut blocks: Vec<Value> = blocks.collect();
    if blocks.is_empty() {
        blocks.push(json!({"type": "text", "text": answer.turn.text}));
    }
    blocks
}

/// Splits a block into what its stream begins with, and what follows.
fn parts(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    if let Some(input) = start.get_mut("input") {
        let text = std::mem::replace(input, json!({})).to_string();
        return (
            start,
            json!({"type": "input_json_delta", "partial_json": text}),
        );
    }
    let text = start.get_mut("text").map(std::mem::take);
    (
        json!({"type": "text", "text": ""}),
        json!({"type": "text_delta", "text": text}),
    )
}
