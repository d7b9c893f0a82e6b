//! What the values of a `test-config.json` have to be: in words for its author, at the value.

use anyhook::core::taxonomy::nearest;
use serde_json::Value;

/// A field, what belongs there, and how to tell.
struct Field {
    name: &'static str,
    wanted: &'static str,
    fits: fn(&Value) -> bool,
}

const fn field(name: &'static str, wanted: &'static str, fits: fn(&Value) -> bool) -> Field {
    Field { name, wanted, fits }
}

const FIELDS: &[Field] = &[
    field("version", "the number 1", |value| {
        value
            .as_u64()
            .is_some_and(|number| u32::try_from(number).is_ok())
    }),
    field("timeout", "a number of seconds", Value::is_number),
    field("env", "an object of texts", Value::is_object),
    field("inherit-env", "a list of names", texts),
    field("dialects", "a list of names", texts),
    field("isolate", "`after-writes` or `each`", |value| {
        matches!(value.as_str(), Some("after-writes" | "each"))
    }),
    field("observers", "a list of names", texts),
];

/// The keys of what is wrong, what it is, and what helps.
type Wrong = (Vec<String>, String, Option<String>);

/// Finds the first value that is none of its field; nothing of a text that is no JSON, which is told elsewhere.
pub(super) fn wrong(text: &str) -> Option<Wrong> {
    let value: Value = serde_json::from_str(text).ok()?;
    let Value::Object(fields) = &value else {
        let message = format!(
            "the file has to be an object of fields, and is {}",
            kind(&value)
        );
        return Some((Vec::new(), message, Some(BEGIN.to_owned())));
    };
    if !fields.contains_key("version") {
        let message = "the field `version` is missing".to_owned();
        return Some((Vec::new(), message, Some(BEGIN.to_owned())));
    }
    fields
        .iter()
        .find_map(|(name, value)| of_field(name, value))
}

const BEGIN: &str = "begin with `{\"version\": 1}`";

fn of_field(name: &str, value: &Value) -> Option<Wrong> {
    let Some(known) = FIELDS.iter().find(|known| known.name == name) else {
        let names = FIELDS.iter().map(|known| known.name);
        let near = nearest(name, names.clone()).map(|near| format!("did you mean `{near}`?"));
        let all = names.collect::<Vec<_>>().join(", ");
        let message = format!("unknown field `{name}`, expected one of {all}");
        return Some((vec![name.to_owned()], message, near));
    };
    if !(known.fits)(value) {
        let message = format!("`{name}` must be {}, and is {}", known.wanted, kind(value));
        return Some((vec![name.to_owned()], message, None));
    }
    let (key, value) = value
        .as_object()?
        .iter()
        .find(|(_, value)| !value.is_string())?;
    let message = format!(
        "the variable `{key}` must be a text, and is {}",
        kind(value)
    );
    let help = (!value.is_object() && !value.is_array()).then(|| format!("write `\"{value}\"`"));
    Some((vec![name.to_owned(), key.clone()], message, help))
}

fn texts(value: &Value) -> bool {
    let list = value.as_array();
    list.is_some_and(|list| list.iter().all(Value::is_string))
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
        Value::String(_) => format!("the text `{value}`"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
