//! Defaults that work in a terminal, and placing a text in a list of messages.

use std::io::Write;

use anyhook_core::effects::{Injection, Level, Placement};
use serde_json::{Value, json};

use super::ports::{Display, DisplayMessage, PortError};
use crate::text::visible;

/// Shows texts on standard error, each line with its level and its source. Nothing in them is obeyed by a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StderrDisplay;

impl StderrDisplay {
    /// Returns what is written of a text.
    pub fn lines(shown: &DisplayMessage<'_>) -> String {
        let level = match shown.level {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let source: Vec<String> = shown.source.split_whitespace().map(visible).collect();
        let source = source.join(" ");
        let text = visible(shown.text);
        let lines = text
            .lines()
            .map(|line| format!("{level}: hook:{source}: {line}\n"));
        lines.collect()
    }
}

impl Display for StderrDisplay {
    fn show(&self, shown: &DisplayMessage<'_>) -> Result<(), PortError> {
        let written = std::io::stderr().write_all(Self::lines(shown).as_bytes());
        written.map_err(|error| PortError::new("cannot write to standard error").because(error))
    }
}

/// Adds the ephemeral texts of a result to the messages of one request, and to nothing that is kept.
///
/// Messages are objects with `role` and `content`. A text for the last tool result is appended to it if the last message
/// is one (its role is `tool`) and its content is text or a list of blocks; else it becomes a message of its own, as every
/// other text does.
pub fn place(texts: &[Injection], messages: &mut Vec<Value>) {
    for text in texts {
        let is_appended = text.place == Placement::LastToolResult
            && messages
                .last_mut()
                .is_some_and(|last| append(last, &text.text));
        if !is_appended {
            messages.push(message(text));
        }
    }
}

fn message(text: &Injection) -> Value {
    let mut message = json!({"role": text.role, "content": text.text});
    if let (Some(name), Value::Object(fields)) = (&text.name, &mut message) {
        fields.insert("name".into(), Value::from(&**name));
    }
    message
}

fn append(last: &mut Value, text: &str) -> bool {
    if last.get("role").and_then(Value::as_str) != Some("tool") {
        return false;
    }
    match last.get_mut("content") {
        Some(Value::String(content)) => {
            content.push_str("\n\n");
            content.push_str(text);
            true
        }
        Some(Value::Array(blocks)) => {
            blocks.push(json!({"type": "text", "text": text}));
            true
        }
        Some(_) | None => false,
    }
}
