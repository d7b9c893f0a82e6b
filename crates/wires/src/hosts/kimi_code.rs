//! What the table of Kimi Code does not say.

use serde_json::{Value, json};

use super::relative::HostFunctions;
use crate::DecodeError;

include!(concat!(env!("OUT_DIR"), "/kimi_code.rs"));

const PROMPT: &str = "prompt";

const ODD: HostFunctions = HostFunctions {
    // A prompt of several parts is their text. One without any text would hide what a hook decides about.
    open: |row, data| {
        if row.event == "prompt:submit" {
            let prompt = data.get(PROMPT).and_then(text);
            let prompt = prompt.ok_or_else(|| DecodeError::new("`prompt` has no text"))?;
            data.insert(PROMPT.to_owned(), prompt.into());
        }
        Ok(())
    },
    lower: |_, _, data| {
        if let Some(prompt) = data.get_mut(PROMPT).filter(|prompt| prompt.is_string()) {
            *prompt = json!([{"type": "text", "text": prompt}]);
        }
    },
    ..HostFunctions::BARE
};

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
