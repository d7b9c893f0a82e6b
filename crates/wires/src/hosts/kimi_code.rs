//! What the table of Kimi Code does not say.

use anyhook_core::event::{Data, Event};
use serde_json::{Value, json};

use super::relative::row::HostRow;
use super::relative::{Oddities, Relative, read_payload, write_payload};
use crate::DecodeError;

include!(concat!(env!("OUT_DIR"), "/kimi_code.rs"));

const ODD: Oddities = Oddities {
    read,
    write,
    ..Oddities::NONE
};

/// Reads a prompt of several parts as their text. One without any text would hide what a hook decides about.
fn read(host: &Relative, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
    let mut event = read_payload(host, bytes, hint)?;
    if event.name.as_str() == "prompt:submit" {
        let mut data = event.data.json().into_owned();
        let prompt = data
            .get("prompt")
            .and_then(text)
            .ok_or_else(|| DecodeError {
                event: Some("UserPromptSubmit".to_owned()),
                ..DecodeError::new("`prompt` has no text")
            })?;
        data.insert("prompt".to_owned(), prompt.into());
        event.data = Data::from(data);
    }
    Ok(event)
}

fn text(prompt: &Value) -> Option<String> {
    let part = |part: &Value| Some(part.get("text")?.as_str()?.to_owned());
    match prompt {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().filter_map(part).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// Writes a prompt as its parts.
fn write(host: &Relative, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut written = write_payload(host, event, row);
    if let Some(prompt) = written
        .get_mut("prompt")
        .filter(|prompt| prompt.is_string())
    {
        *prompt = json!([{"type": "text", "text": prompt}]);
    }
    written
}
