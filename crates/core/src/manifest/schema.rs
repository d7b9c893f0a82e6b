//! The JSON Schema of a manifest, made of the table of fields: an editor completes and explains by it.

use serde_json::{Map, Value, json};

use super::entry;
use super::sandbox;
use super::table::{self, FieldSpec, Level};
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

/// The fields of a command that one system may have otherwise.
pub(super) fn variant() -> Value {
    let fields = table::of(Level::Entry).filter(|field| field.varies());
    let properties: Map<String, Value> = fields
        .map(|field| (field.name.to_owned(), described(field)))
        .collect();
    json!({"type": "object", "minProperties": 1, "properties": properties, "additionalProperties": false})
}

pub(super) fn then() -> Value {
    let reason =
        |summary: &str| json!({"type": "string", "pattern": "\\S", "description": summary});
    let mark = |summary: &str| json!({"type": "string", "pattern": "^[A-Za-z0-9_.:-]{1,64}$", "description": summary});
    let mut confine = sandbox::form();
    if let Value::Object(confine) = &mut confine {
        let summary = "Run the shell command of the call confined: it is rewritten, and what is not said here is closed.";
        confine.insert("description".to_owned(), summary.into());
    }
    json!({
        "type": "object",
        "minProperties": 1,
        "properties": {
            "deny": reason("Refuse, for this reason."),
            "ask": reason("Ask a person this question."),
            "allow": {
                "description": "Approve: the agent's own question is skipped.",
                "anyOf": [{"const": true}, {"type": "string", "pattern": "\\S"}],
            },
            "halt": reason("Stop the agent, for this reason."),
            "modify": {"type": "object", "description": "New values of fields."},
            "confine": confine,
            "inject": reason("A text for the model."),
            "notify": reason("A text for the person."),
            "mark": mark("Set a mark of the session, which later events ask about with `marked`."),
            "unmark": mark("Take a mark away."),
            "for": {"enum": ["turn", "session"], "default": "session", "description": "How long the mark lasts."},
            "snapshot": {"const": true, "description": "Keep what the action may destroy before it happens; `anyhook undo` brings it back."},
            "or": {"const": "ask", "description": "Ask a person where the snapshot is not whole."},
        },
        "dependentRequired": {"for": ["mark"], "or": ["snapshot"]},
        "additionalProperties": false,
    })
}

/// The events by every name that they have; any other name is legal too.
pub(super) fn events() -> Value {
    let named = |spec: &'static EventSpec| {
        let own = spec.universal.into_iter().chain([spec.name]);
        own.chain(spec.aliases.iter().copied())
            .map(move |name| (name, spec))
    };
    let events = EVENTS.iter().flat_map(named).map(|(name, spec)| {
        let group = json!({"$ref": "#/$defs/groups", "description": spec.summary});
        (name.to_owned(), group)
    });
    let events: Map<String, Value> = events.collect();
    json!({
        "type": "object",
        "properties": events,
        "additionalProperties": {"$ref": "#/$defs/groups"},
    })
}

/// What a field holds, with what it means.
pub(super) fn described(field: &FieldSpec) -> Value {
    let mut form = (field.form)();
    if let Value::Object(form) = &mut form {
        form.insert("description".to_owned(), field.summary.into());
    }
    form
}

/// The fields of one object.
fn object(level: Level, required: &[&str]) -> Value {
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
    let mut hook = object(Level::Entry, &["type"]);
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
    if let (Value::Object(schema), Value::Object(file)) =
        (&mut schema, object(Level::File, &["version", "hooks"]))
    {
        schema.extend(file);
        let defs = json!({
            "groups": {"type": "array", "items": {"$ref": "#/$defs/group"}},
            "group": object(Level::Group, &["hooks"]),
            "hook": hook,
        });
        schema.insert("$defs".to_owned(), defs);
    }
    schema
}
