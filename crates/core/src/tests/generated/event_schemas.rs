//! `schema/events`: what the payload of each event holds, as JSON Schema.

use crate::taxonomy::{COMMON, EVENTS, EventSpec, Field, FieldKind, Presence};
use serde_json::{Map, Value, json};

/// Every schema with its file.
pub(super) fn all() -> Vec<(String, String)> {
    let written = |spec: &EventSpec| {
        let text = serde_json::to_string_pretty(&schema(spec)).unwrap();
        (
            file(spec),
            format!(
                "{text}
"
            ),
        )
    };
    EVENTS.iter().map(written).collect()
}

/// Returns the file of an event's schema.
pub(super) fn file(spec: &EventSpec) -> String {
    format!("schema/events/{}.json", spec.name.replace(':', "."))
}

fn schema(spec: &EventSpec) -> Value {
    let is_own = |name: &str| spec.fields.iter().any(|field| field.name == name);
    let common = COMMON.iter().filter(|field| !is_own(field.name));
    let properties: Map<String, Value> = spec
        .fields
        .iter()
        .chain(common)
        .map(|field| (field.name.to_owned(), property(field)))
        .collect();
    let required: Vec<&str> = spec
        .fields
        .iter()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name)
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:anyhook:event:{}", spec.name),
        "title": spec.name,
        "description": spec.summary,
        "type": "object",
        "properties": properties,
        "required": required,
    })
}

/// A `null` counts as absent, so it is legal where absence is.
fn property(field: &Field) -> Value {
    let optional = field.presence == Presence::Optional;
    let mut property = Map::new();
    match field.kind {
        FieldKind::Any if optional => {}
        FieldKind::Any => {
            property.insert("not".to_owned(), json!({"type": "null"}));
        }
        FieldKind::Enum(words) => {
            let mut words: Vec<Value> = words.iter().map(|word| json!(word)).collect();
            if optional {
                words.push(Value::Null);
            }
            property.insert("enum".to_owned(), Value::Array(words));
        }
        kind => {
            let name = kind.as_str();
            let kind = if optional {
                json!([name, "null"])
            } else {
                json!(name)
            };
            property.insert("type".to_owned(), kind);
        }
    }
    property.insert("description".to_owned(), json!(field.summary));
    Value::Object(property)
}
