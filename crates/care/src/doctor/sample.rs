//! A harmless payload of one event, in its host's own form.

use std::path::Path;

use anyhook_core::event::{Event, EventName, Map, Origin};
use anyhook_core::taxonomy::{Field, FieldKind, Presence};
use anyhook_wires::{Host, NativeEvent};
use serde_json::{Value, json};

/// The tools that are tried: some events are about one kind of tool only.
const TOOLS: [&str; 3] = ["Bash", "Read", "mcp__anyhook__self_test"];

/// Makes a payload of an event as its host sends it, in which nothing is about to happen: the tool is the shell, and the
/// command is `true`, unless the event is about other tools. The session is `session`, so that its report is found again.
pub(super) fn sample(host: &dyn Host, row: &NativeEvent, session: &str, cwd: &Path) -> Value {
    let mut all = TOOLS
        .map(|tool| with_tool(tool, (host, row), session, cwd))
        .into_iter();
    let first = all.next().unwrap_or_default();
    let is_read = |payload: &Value| {
        let bytes = payload.to_string();
        host.read_event(bytes.as_bytes(), Some(row.name)).is_ok()
    };
    if is_read(&first) {
        return first;
    }
    all.find(is_read).unwrap_or(first)
}

fn with_tool(
    tool: &str,
    (host, row): (&dyn Host, &NativeEvent),
    session: &str,
    cwd: &Path,
) -> Value {
    let name = EventName::new(row.event);
    let mut data = Map::new();
    let cwd = cwd.to_string_lossy();
    data.insert("session_id".to_owned(), session.into());
    data.insert("cwd".to_owned(), (*cwd).into());
    data.insert("permission_mode".to_owned(), "default".into());
    let fields = name.spec().map_or(&[] as &[Field], |spec| spec.fields);
    for field in fields {
        if field.presence == Presence::Required || field.name.starts_with("tool_") {
            data.insert(field.name.to_owned(), value(field, tool, &cwd));
        }
    }
    let mut event = Event::named(name, data);
    event.origin = Some(Box::new(Origin {
        host: host.id().into(),
        native: row.name.into(),
        ..Origin::default()
    }));
    host.write_event(&event)
}

fn value(field: &Field, tool: &str, cwd: &str) -> Value {
    match (field.name, field.kind) {
        ("tool_name", _) => tool.into(),
        // Of one native event the tool is the shell, of another it reads a file: each takes what it knows.
        ("tool_input", _) => {
            json!({"command": "true", "file_path": format!("{cwd}/anyhook-self-test")})
        }
        (name, FieldKind::String) if name.ends_with("cwd") || name.ends_with("path") => cwd.into(),
        (_, FieldKind::String) => "anyhook self-test".into(),
        (_, FieldKind::Number | FieldKind::Integer) => 0.into(),
        (_, FieldKind::Boolean) => false.into(),
        (_, FieldKind::Object | FieldKind::Any) => json!({}),
        (_, FieldKind::Array) => json!([]),
        (_, FieldKind::Enum(words)) => words.first().copied().unwrap_or_default().into(),
    }
}
