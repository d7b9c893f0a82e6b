//! The shapes of the built-in tools' results: a replacement of another shape is dropped by the host.

use serde_json::Value;

/// The keys without which a value is no result of that tool.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Bash", &["stdout", "stderr", "interrupted"]),
    ("PowerShell", &["stdout", "stderr", "interrupted"]),
    ("Write", &["filePath"]),
    ("Edit", &["filePath", "oldString", "newString"]),
    ("Read", &["type", "file"]),
    ("Glob", &["numFiles", "filenames"]),
    ("Grep", &["numFiles", "filenames"]),
];

/// Says whether the tool of this payload is served by MCP.
pub(super) fn is_mcp(payload: &Value) -> bool {
    tool(payload).starts_with("mcp__")
}

/// Says whether the host takes a value as this payload's tool result.
///
/// A tool served by MCP may answer anything. A tool that is not in the table must answer the JSON kind that it answered.
pub(super) fn fits(payload: &Value, value: &Value) -> bool {
    if is_mcp(payload) {
        return true;
    }
    let name = tool(payload);
    match REQUIRED.iter().find(|(known, _)| *known == name) {
        Some((_, keys)) => keys.iter().all(|key| value.get(key).is_some()),
        None => payload
            .get("tool_response")
            .is_none_or(|said| std::mem::discriminant(said) == std::mem::discriminant(value)),
    }
}

/// Says whether the tool of this payload can be called with these arguments. Only the one that was tried is known.
pub(super) fn runs_with(payload: &Value, input: &Value) -> bool {
    tool(payload) != "Bash" || input.get("command").is_some_and(Value::is_string)
}

fn tool(payload: &Value) -> &str {
    payload
        .get("tool_name")
        .and_then(Value::as_str)
        .unwrap_or_default()
}
