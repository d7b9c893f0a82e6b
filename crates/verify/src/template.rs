//! Templates of JSON with places in their texts.

use serde_json::Value;

/// Fills a template: a text that is a place alone becomes the value, and within a text stands the value as text.
pub(crate) fn filled(template: &Value, fields: &[(&str, Value)]) -> Value {
    match template {
        Value::String(text) => in_text(text, fields),
        Value::Array(list) => list.iter().map(|part| filled(part, fields)).collect(),
        Value::Object(parts) => {
            let parts = parts.iter();
            let parts = parts.map(|(name, part)| (name.clone(), filled(part, fields)));
            Value::Object(parts.collect())
        }
        other => other.clone(),
    }
}

fn in_text(text: &str, fields: &[(&str, Value)]) -> Value {
    let place = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let alone = fields.iter().find(|(name, _)| Some(*name) == place);
    if let Some((_, value)) = alone {
        return value.clone();
    }
    let mut text = text.to_owned();
    for (name, value) in fields {
        let place = format!("{{{name}}}");
        if text.contains(&place) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text = text.replace(&place, &value);
        }
    }
    text.into()
}
