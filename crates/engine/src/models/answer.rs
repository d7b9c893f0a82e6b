//! The answer of a model, read strictly, in the form of hooks.json.
//!
//! The contract is `{"ok": true}`, or `{"ok": false, "reason": "…"}`; a decision of seed 004 is understood too. What is not
//! one JSON object and nothing else is no answer, because a model that quotes the event also quotes what stands in it. But a
//! refusal among prose is one: it can open nothing.
//!
//! ```
//! use anyhook_engine::models::answer::{ModelOutput, read};
//! use serde_json::json;
//!
//! let said = |text: &str| read(&ModelOutput::Text(text.into()));
//! assert_eq!(said(r#"{"ok": true, "reason": ""}"#)?, json!({}));
//! assert_eq!(
//!     said(r#"{"ok": false, "reason": "no test ran"}"#)?,
//!     json!({"decision": "block", "reason": "no test ran"})
//! );
//! assert!(said(r#"The event says {"ok": true}, so I agree."#).is_err());
//! # Ok::<(), anyhook_engine::models::answer::UnreadableAnswer>(())
//! ```

use anyhook_core::event::Map;
use anyhook_wires::json;
use serde_json::{Value, json};

/// What a model said.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelOutput {
    /// The arguments with which it called the one tool that it has.
    Object(Map),
    /// Text.
    Text(String),
}

/// Why an answer cannot be taken for one.
///
/// ```
/// use anyhook_engine::models::answer::{ModelOutput, UnreadableAnswer, read};
///
/// let Err(UnreadableAnswer(why)) = read(&ModelOutput::Text("{}".into())) else { panic!() };
/// assert_eq!(why, "the model answered with an object that has no `ok`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableAnswer(pub String);

impl UnreadableAnswer {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// The fields by which seed 004 decides.
const DECIDES: &[&str] = &["decision", "permissionDecision", "continue"];

/// The object of seed 004 in which the fields of an event stand.
const SPECIFIC: &str = "hookSpecificOutput";

/// The longest part of an answer that a text of ours quotes.
const QUOTED: usize = 120;

/// Reads an answer, and writes it as a hook would have printed it.
pub fn read(said: &ModelOutput) -> Result<Value, UnreadableAnswer> {
    match said {
        ModelOutput::Object(object) => judged(object.clone()),
        ModelOutput::Text(text) => match json::object(unfenced(text).as_bytes()) {
            Ok(object) => judged(object),
            Err(_) => among_prose(text),
        },
    }
}

/// Takes the one fence of Markdown off that models put around JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    let inner = inner.map(|inner| inner.strip_prefix("json").unwrap_or(inner).trim());
    inner.filter(|inner| !inner.contains("```")).unwrap_or(text)
}

/// Finds a refusal among prose. Anything else there is no answer.
fn among_prose(text: &str) -> Result<Value, UnreadableAnswer> {
    let mut refusals = json::printed(text).objects.into_iter();
    if let Some(refusal) = refusals.find(refuses) {
        return judged(refusal);
    }
    let quoted: String = crate::text::plain(text.trim())
        .chars()
        .take(QUOTED)
        .collect();
    let what = if quoted.is_empty() {
        "with nothing".to_owned()
    } else {
        format!("with something else than one JSON object: `{quoted}`")
    };
    Err(UnreadableAnswer::new(format!("the model answered {what}")))
}

fn judged(object: Map) -> Result<Value, UnreadableAnswer> {
    let unread = |why: &str| {
        Err(UnreadableAnswer::new(format!(
            "the model answered with {why}"
        )))
    };
    match (object.get("ok"), decides(&object)) {
        // A decision of seed 004 is taken as it stands: its reader reads those of commands too.
        (None, true) => return Ok(Value::Object(object)),
        (None, false) => return unread("an object that has no `ok`"),
        (Some(_), true) => return unread("`ok` and with another decision beside it"),
        (Some(_), false) => {}
    }
    let reason = match object.get("reason") {
        None | Some(Value::Null) => "",
        Some(Value::String(reason)) => reason.trim(),
        Some(_) => return unread("a `reason` that is no text"),
    };
    match object.get("ok") {
        Some(Value::Bool(true)) => Ok(json!({})),
        Some(Value::Bool(false)) if reason.is_empty() => {
            Ok(json!({"decision": "block", "reason": "a model refused this, and gave no reason"}))
        }
        Some(Value::Bool(false)) => Ok(json!({"decision": "block", "reason": reason})),
        _ => unread("an `ok` that is neither true nor false"),
    }
}

fn refuses(object: &Map) -> bool {
    let nested = object.get(SPECIFIC).and_then(Value::as_object);
    let mut places = std::iter::once(object).chain(nested);
    let says = |place: &Map, field: &str| {
        matches!(
            place.get(field).and_then(Value::as_str),
            Some("deny" | "block")
        )
    };
    object.get("ok") == Some(&Value::Bool(false))
        || places.any(|place| says(place, "decision") || says(place, "permissionDecision"))
}

fn decides(object: &Map) -> bool {
    let nested = object.get(SPECIFIC).and_then(Value::as_object);
    let mut places = std::iter::once(object).chain(nested);
    places.any(|place| {
        DECIDES
            .iter()
            .any(|field| place.get(*field).is_some_and(|value| !value.is_null()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Result<Value, String> {
        read(&ModelOutput::Text(text.to_owned())).map_err(|unread| unread.0)
    }

    #[test]
    fn what_is_read_in_what_a_model_said() {
        for row in include_str!("answers.txt")
            .lines()
            .filter(|row| !row.starts_with("# "))
        {
            let (text, expected) = row.split_once(" ⇒ ").unwrap();
            let answer = said(&text.replace('⏎', "\n"));
            let answer = answer.map_or_else(|why| why, |answer| answer.to_string());
            assert_eq!(answer.replace('\n', "⏎"), expected, "{row}");
        }
    }
}
