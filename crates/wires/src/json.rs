//! Reading JSON that another program wrote: lossily where that is safe, never with a guess.
//!
//! What is valid is read in one pass over the given bytes. What is not gets one more chance, for the three faults that
//! agents and shell scripts really produce: bytes that are no UTF-8, half of a surrogate pair, and raw control characters
//! inside a string. Everything else is an error with its place. In particular:
//!
//! - A key that stands twice in one object is refused, at every depth: two readers could take two different values.
//! - A number outside the range of a double (`1e400`) is refused: read as text it would change its type, read as
//!   infinity its value. An integer of more than 64 bits becomes the nearest double, as in the hosts themselves.
//! - More than 127 levels are refused before they are entered, so no input can exhaust the stack.

mod mended;
mod printed;

use std::fmt;

use anyhook_core::event::Map;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::DecodeError;
use mended::RepairedText;

pub(crate) use mended::place;
pub use printed::{ParsedOutput, printed};

/// Reads one JSON object.
///
/// ```
/// use anyhook_wires::json;
/// let read = json::object(br#"{"tool_name": "Bash"}"#).unwrap();
/// assert_eq!(read["tool_name"], "Bash");
/// let twice = json::object(br#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert_eq!(twice.to_string(), "duplicate key `a`");
/// ```
pub fn object(bytes: &[u8]) -> Result<Map, DecodeError> {
    strict(bytes).or_else(|_| {
        // A wrapper on Windows puts a byte order mark before each that it passes on.
        let text = String::from_utf8_lossy(bytes);
        mended(&RepairedText::new(text.trim_start_matches('\u{feff}')))
    })
}

/// Reads an object that a hook of a host printed, and tells what about it is no JSON to that host.
///
/// Of a key that stands twice the last value counts, as it does there.
pub(crate) fn almost(text: &str) -> Result<(Map, Option<DecodeError>), DecodeError> {
    let text = text.trim_start_matches('\u{feff}');
    if let Ok(map) = strict(text.as_bytes()) {
        return Ok((map, None));
    }
    let lossy = RepairedText::new(text);
    match mended(&lossy) {
        Ok(map) => Ok((map, lossy.control.map(|at| raw_control(text, at)))),
        Err(error) => match serde_json::from_str(&lossy.text) {
            Ok(map) => Ok((map, Some(error))),
            Err(_) => Err(error),
        },
    }
}

/// Reads a text that was mended, and tells of its errors where they stand in it: that is where they stood in the text that came,
/// unless a raw control character stands before them.
fn mended(RepairedText { text, .. }: &RepairedText) -> Result<Map, DecodeError> {
    strict(text.as_bytes()).map_err(|error| DecodeError {
        what: described(&error),
        at: Some(place(text, mended::offset(text, &error))),
        event: None,
    })
}

fn raw_control(text: &str, at: usize) -> DecodeError {
    DecodeError {
        at: Some(place(text, at)),
        ..DecodeError::new("a raw control character in a string")
    }
}

/// Makes an object of its fields.
pub(crate) fn map<const N: usize>(fields: [(&str, Value); N]) -> Map {
    let fields = fields.into_iter();
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Reads one object and nothing else, in one pass.
fn strict(bytes: &[u8]) -> Result<Map, serde_json::Error> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let UniqueKeysJson(value) = UniqueKeysJson::deserialize(&mut from)?;
    from.end()?;
    match value {
        Value::Object(map) => Ok(map),
        other => Err(serde_json::Error::custom(format_args!(
            "{}, not an object",
            kind(&other)
        ))),
    }
}

/// Names the kind of a value, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Says what is wrong, without the place, which is told apart.
fn described(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "it ends before the JSON is complete".to_owned();
    }
    let text = error.to_string();
    let what = text.rfind(" at line ").and_then(|at| text.get(..at));
    match what.unwrap_or(&text) {
        "recursion limit exceeded" => "nested deeper than 127 levels".to_owned(),
        what => what.to_owned(),
    }
}

/// A value in which no object holds a key twice.
struct UniqueKeysJson(Value);

impl<'de> Deserialize<'de> for UniqueKeysJson {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(UniqueKeysVisitor).map(Self)
    }
}

/// Takes values of these types as they are.
macro_rules! scalars {
    ($($visit:ident($ty:ty)),*) => {
        $(fn $visit<E: Error>(self, value: $ty) -> Result<Value, E> { Ok(value.into()) })*
    };
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    scalars! { visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str), visit_string(String) }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(UniqueKeysJson(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            // Checked before the value is read, so that the place is that of the key.
            if map.contains_key(&key) {
                let shown: String = key.chars().take(80).flat_map(char::escape_debug).collect();
                return Err(A::Error::custom(format_args!("duplicate key `{shown}`")));
            }
            let UniqueKeysJson(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
