//! What events carry, from a line to a file.

use anyhook_core::event::Map;
use serde_json::{Value, json};

/// 237 bytes: what most events look like.
pub(crate) fn small() -> Map {
    object(json!({
        "session_id": "0195f3a2-7c1e-7d7a-9b11-3f2d8c6a4e10",
        "tool_name": "Edit",
        "tool_input": {"file_path": "/home/dev/shop/src/cart.rs", "old_string": "total += 1;", "new_string": "total += item.price;"},
        "cwd": "/home/dev/shop",
        "turn": 12
    }))
}

/// 64 KiB in one string: a file that is written.
pub(crate) fn text() -> Map {
    let mut map = small();
    map.insert("content".to_owned(), Value::from("x".repeat(64 * 1024)));
    map
}

/// 70 KB in 700 objects: a conversation.
pub(crate) fn structured() -> Map {
    let mut map = small();
    let message = |at: usize| json!({"id": at, "role": "assistant", "text": "a short sentence that somebody said", "ok": true});
    map.insert("messages".to_owned(), (0..700).map(message).collect());
    map
}

fn object(value: Value) -> Map {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
