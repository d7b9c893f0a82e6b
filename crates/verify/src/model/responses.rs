//! Responses of `OpenAI`.

use serde_json::{Value, json};

use super::{Answer, NAME, Protocol, Written, has_any};

pub(super) const PROTOCOL: Protocol = Protocol {
    is_path: |path| path.ends_with("/responses"),
    offers_tools: |request| has_any(request, "tools"),
    writes,
};

fn writes(answer: &Answer<'_>) -> Written {
    let items = items(answer);
    let response = |status: &str, output: &[Value]| {
        json!({
            "id": format!("resp_{}", answer.number),
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": NAME,
            "output": output,
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 15,
            },
        })
    };
    if !answer.is_stream {
        return Written::Whole(response("completed", &items));
    }
    let begun = response("in_progress", &[]);
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    for (index, item) in items.iter().enumerate() {
        let added =
            json!({"type": "response.output_item.added", "output_index": index, "item": item});
        let done =
            json!({"type": "response.output_item.done", "output_index": index, "item": item});
        events.extend([added, done]);
    }
    let whole = response("completed", &items);
    events.push(json!({"type": "response.completed", "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        if let Some(event) = event.as_object_mut() {
            event.insert("sequence_number".to_owned(), number.into());
        }
    }
    Written::Events(events)
}

fn items(answer: &Answer<'_>) -> Vec<Value> {
    let number = answer.number;
    let calls = answer.turn.calls.iter().enumerate();
    let items = calls.map(|(index, (name, input))| {
        json!({
            "type": "function_call",
            "id": format!("fc_{number}_{index}"),
            "call_id": format!("call_{number}_{index}"),
            "name": name,
            "arguments": input.to_string(),
            "status": "completed",
        })
    });
    let mut items: Vec<Value> = items.collect();
    if items.is_empty() {
        let text = json!({"type": "output_text", "text": answer.turn.text, "annotations": []});
        items.push(json!({
            "type": "message",
            "id": format!("msg_{number}"),
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }));
    }
    items
}
