//! Telling a payload of this host from those of others.

use anyhook_core::event::Map;
use serde_json::Value;

use crate::hosts::relative::{NAME, Relative};

/// Tells whether a payload is Copilot's: in camelCase with a time in numbers, or in the other form without the fields
/// that VS Code adds to it.
pub(super) fn speaks(host: &Relative, payload: &Map) -> bool {
    let text = |field: &str| payload.get(field).and_then(Value::as_str);
    let is_camel = text("sessionId").is_some()
        && payload.get("timestamp").is_some_and(Value::is_number)
        && !payload.contains_key("hookEventName")
        && text(NAME).is_none_or(|name| name == "Notification");
    let named = text(NAME).and_then(|name| host.find(name).filter(|row| row.also == Some(name)));
    let is_pascal = named.is_some_and(|row| {
        // Only what Copilot ends or folds away has a transcript; and each of those says why.
        let has_transcript = payload.contains_key("transcript_path");
        let tells_why = ["stop_reason", "custom_instructions"]
            .iter()
            .any(|field| payload.contains_key(*field));
        let foreign = [
            "permission_mode",
            "tool_use_id",
            "hookEventName",
            "session_title",
        ];
        text("session_id").is_some()
            && text("timestamp").is_some()
            && has_transcript == tells_why
            && (row.subject != Some("source") || text("source") != Some("clear"))
            && !foreign.iter().any(|field| payload.contains_key(*field))
    });
    is_camel || is_pascal
}
