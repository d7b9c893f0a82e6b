//! What we put into a text: one line per entry, so that a person can read the file.

use serde_json::{Value, json};

use crate::settings::{Settings, SettingsEntry};

/// Returns an entry with the group that the host wants around it.
pub(super) fn wrapped(settings: &Settings, entry: &SettingsEntry) -> Value {
    if settings.groups(entry.event) {
        return json!({"hooks": [entry.value]});
    }
    entry.value.clone()
}

/// Writes a text as JSON.
pub(super) fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a value on one line, with a space behind each comma and colon.
pub(super) fn line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| format!("{}: {}", string(name), line(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!(
                "[{}]",
                items.iter().map(line).collect::<Vec<_>>().join(", ")
            )
        }
        other => other.to_string(),
    }
}
