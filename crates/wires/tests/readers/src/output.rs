//! The kind of text on an output stream. This only detects the kind; each reader knows what it means.

use serde_json::{Map, Value};

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// The text of a stream as a host's runtime sees it: decoded lossily, trimmed, without a byte order mark.
pub(crate) fn text(bytes: &[u8]) -> String {
    let decoded = String::from_utf8_lossy(bytes);
    decoded
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .to_owned()
}

/// Says whether a trimmed text is meant to be a JSON object.
pub(crate) fn looks_like_an_object(text: &str) -> bool {
    text.starts_with('{') && text.ends_with('}')
}

/// The JSON kind that a field must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Flag,
    List,
    Object,
    Any,
}

impl Kind {
    fn holds(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }
}

/// A field of an object, if it is there and not null; the wrong kind is an error that names it.
pub(crate) fn field<'a>(
    object: &'a Object,
    name: &str,
    kind: Kind,
) -> Result<Option<&'a Value>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) if kind.holds(value) => Ok(Some(value)),
        Some(value) => Err(format!("`{name}` must not be `{value}`")),
    }
}

/// A text field, under the same contract as [`field`].
pub(crate) fn text_field(object: &Object, name: &str) -> Result<Option<String>, String> {
    let found = field(object, name, Kind::Text)?;
    Ok(found.and_then(Value::as_str).map(str::to_owned))
}

/// A field that must be one of some words.
pub(crate) fn word<'a>(
    object: &'a Object,
    name: &str,
    words: &[&str],
) -> Result<Option<&'a str>, String> {
    let Some(value) = field(object, name, Kind::Text)? else {
        return Ok(None);
    };
    match value.as_str() {
        Some(said) if words.contains(&said) => Ok(Some(said)),
        _ => Err(format!(
            "`{name}` must be one of {}, not `{value}`",
            words.join(", ")
        )),
    }
}
