//! Chat completions of `OpenAI`.

use serde_json::{Value, json};

use super::{Answer, NAME, Protocol, Written, has_any};

pub(super) const PROTOCOL: Protocol = Protocol {
    is_path: |path| path.ends_with("/chat/completions"),
    offers_tools: |request| has_any(request, "tools"),
    writes,
};

fn writes(answer: &Answer<'_>) -> Written {
    let (message, finish) = message(answer);
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let document = |object: &str, choices: Value| {
        json!({
            "id": format!("chatcmpl-{}", answer.number),
            "object": object,
            "created": 1,
            "model": NAME,
            "choices": choices,
        })
    };
    if !answer.is_stream {
        let choice = json!([{"index": 0, "message": message, "finish_reason": finish}]);
        let mut whole = document("chat.completion", choice);
        if let Some(whole) = whole.as_object_mut() {
            whole.insert("usage".to_owned(), usage);
        }
        return Written::Whole(whole);
    }
    let chunk = |choices| document("chat.completion.chunk", choices);
    let said = chunk(json!([{"index": 0, "delta": message, "finish_reason": null}]));
    let end = chunk(json!([{"index": 0, "delta": {}, "finish_reason": finish}]));
    let mut last = chunk(json!([]));
    if let Some(last) = last.as_object_mut() {
        last.insert("usage".to_owned(), usage);
    }
    Written::EventsAndDone(vec![said, end, last])
}

fn message(answer: &Answer<'_>) -> (Value, &'static str) {
    let calls = answer.turn.calls.iter().enumerate();
    let calls = calls.map(|(index, (name, input))| {
        json!({
            "index": index,
            "id": format!("call_{}_{index}", answer.number),
            "type": "function",
            "function": {"name": name, "arguments": input.to_string()},
        })
    });
    let calls: Vec<Value> = calls.collect();
    if calls.is_empty() {
        let text = &answer.turn.text;
        return (json!({"role": "assistant", "content": text}), "stop");
    }
    let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
    (message, "tool_calls")
}
