//! The JSON Schema of a manifest, made of the table of fields: an editor completes and explains by it.

use serde_json::{Map, Value, json};

use super::entry;
use super::table::{self, FieldSpec, ManifestLevel};
use crate::taxonomy::{EVENTS, EventSpec};

/// The version of the format.
///
/// ```
/// use anyhook_core::manifest::{Manifest, VERSION};
///
/// let parsed = Manifest::parse(&format!(r#"{{"version": {VERSION}, "hooks": {{}}}}"#))?;
/// assert!(parsed.findings.is_empty());
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
pub const VERSION: u32 = 1;

/// The events by every name that they have; any other name is legal too.
fn events() -> Map<String, Value> {
    let named = |spec: &'static EventSpec| {
        let own = spec.universal.into_iter().chain([spec.name]);
        own.chain(spec.aliases.iter().copied())
            .map(move |name| (name, spec))
    };
    let events = EVENTS.iter().flat_map(named).map(|(name, spec)| {
        let group = json!({"$ref": "#/$defs/groups", "description": spec.summary});
        (name.to_owned(), group)
    });
    events.collect()
}

/// What a field holds, with what it means.
fn described(field: &FieldSpec) -> Value {
    let mut form = serde_json::from_str(field.form).unwrap_or_default();
    if let Value::Object(form) = &mut form {
        form.insert("description".to_owned(), field.summary.into());
    }
    form
}

/// The fields of one object.
fn object(level: ManifestLevel, required: &[&str]) -> Value {
    let properties = table::of(level).flat_map(|field| {
        let form = described(field);
        let names = std::iter::once(field.name).chain(field.also);
        names.map(move |name| (name.to_owned(), form.clone()))
    });
    let properties: Map<String, Value> = properties.collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// Returns the JSON Schema of a manifest (draft 2020-12): closed but for the names of events, which are open.
///
/// ```
/// use anyhook_core::manifest::{VERSION, schema};
///
/// let schema = schema();
/// assert_eq!(schema["$id"], format!("urn:anyhook:hooks:{VERSION}"));
/// assert_eq!(schema["$defs"]["hook"]["properties"]["timeout"]["default"], 30);
/// ```
pub fn schema() -> Value {
    let mut hook = object(ManifestLevel::Entry, &["type"]);
    let needs = entry::TYPES.iter().map(|(kind, needs)| {
        json!({
            "if": {"properties": {"type": {"const": kind}}},
            "then": {"required": [needs]},
        })
    });
    let needs: Vec<Value> = needs.collect();
    if let Value::Object(hook) = &mut hook {
        hook.insert("allOf".to_owned(), needs.into());
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:anyhook:hooks:{VERSION}"),
        "title": "hooks.json",
        "description": "Which hooks an AI agent asks about which events.",
    });
    if let (Value::Object(schema), Value::Object(file)) = (
        &mut schema,
        object(ManifestLevel::File, &["version", "hooks"]),
    ) {
        schema.extend(file);
        let defs = json!({
            "groups": {"type": "array", "items": {"$ref": "#/$defs/group"}},
            "group": object(ManifestLevel::Group, &["hooks"]),
            "hook": hook,
        });
        schema.insert("$defs".to_owned(), defs);
    }
    if let Some(hooks) = schema.pointer_mut("/properties/hooks/properties") {
        *hooks = events().into();
    }
    schema
}

/// Returns the JSON Schema of the closed form (draft 2020-12): what every program reads that knows the format.
///
/// ```
/// use anyhook_core::manifest::closed_schema;
///
/// let schema = closed_schema();
/// let events = schema["properties"]["hooks"]["properties"].as_object().unwrap();
/// assert_eq!(events.len(), 10);
/// assert_eq!(schema["properties"]["hooks"]["additionalProperties"], false);
/// ```
pub fn closed_schema() -> Value {
    serde_json::from_str(include_str!("../../tables/hooks-closed.json")).unwrap_or_default()
}
