//! The script of the scripted provider, as a person writes it.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

/// One line of a script: a text, or a reply in full.
#[derive(Debug, Clone)]
pub(super) enum Line {
    Text(String),
    Reply(Said),
}

/// A reply in full.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<Wanted>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) error: Option<String>,
}

/// A call of a reply.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) input: serde_json::Map<String, Value>,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(OneLine)
    }
}

/// Reads a line by what it is, so that an error is about what is wrong in it.
struct OneLine;

impl<'de> Visitor<'de> for OneLine {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or an object with `text`, `calls`, `usage` or `error`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Line, E> {
        Ok(Line::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Line, A::Error> {
        Said::deserialize(MapAccessDeserializer::new(fields)).map(Line::Reply)
    }
}

/// A text that is no script.
///
/// ```
/// use anyhook_agent::provider::scripted::{ScriptError, Scripted};
///
/// let error: ScriptError = Scripted::read("[\n  {\"txt\": \"hello\"}\n]").unwrap_err();
/// assert_eq!((error.line, error.column), (2, 8));
/// assert_eq!(error.what, "unknown field `txt`, expected one of `text`, `calls`, `usage`, `error`");
/// assert!(error.help().contains("a JSON list of replies"));
/// assert_eq!(error.to_string(), format!("line 2, column 8: {}", error.what));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1: where the reader saw that it is wrong.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl ScriptError {
    /// Returns what to do about it.
    pub fn help(&self) -> &'static str {
        "a script is a JSON list of replies, such as `[{\"calls\": [{\"name\": \"bash\", \"input\": {\"command\": \"ls\"}}]}, \
         \"done\"]`"
    }
}

impl From<serde_json::Error> for ScriptError {
    fn from(error: serde_json::Error) -> Self {
        let mut what = error.to_string();
        if let Some(end) = what.rfind(" at line ") {
            what.truncate(end);
        }
        // The names that JSON has for them.
        for (rust, json) in [
            ("sequence", "list"),
            ("invalid type: map", "invalid type: object"),
        ] {
            what = what.replace(rust, json);
        }
        Self {
            line: error.line(),
            column: error.column().max(1),
            what,
        }
    }
}
