//! The fields of a manifest as a table, and the JSON Schema that is made of it: an editor completes and explains by it.

use serde_json::{Map, Value, json};

use super::{SHELLS, command, entry, session};
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

/// A field of a manifest.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, FieldSpec, Level};
///
/// let FieldSpec { summary, form, .. } =
///     FIELDS.iter().find(|field| field.level == Level::Entry && field.name == "guard").unwrap();
/// assert!(summary.starts_with("Whether its own failure refuses"));
/// assert_eq!(form(), serde_json::json!({"type": "boolean", "default": false}));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The object that it is a field of.
    pub level: Level,
    /// Its name.
    pub name: &'static str,
    /// What it means, as one sentence.
    pub summary: &'static str,
    /// What it holds, as a JSON Schema.
    pub form: fn() -> Value,
}

/// The objects of a manifest, from the outermost.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, Level};
///
/// let levels = |name| FIELDS.iter().filter(move |field| field.name == name).map(|field| field.level);
/// assert_eq!(levels("mode").collect::<Vec<_>>(), [Level::File, Level::Group, Level::Entry]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// The whole file.
    File,
    /// A group of hooks.
    Group,
    /// One hook.
    Entry,
}

const fn field(
    level: Level,
    name: &'static str,
    summary: &'static str,
    form: fn() -> Value,
) -> FieldSpec {
    FieldSpec {
        level,
        name,
        summary,
        form,
    }
}

/// Every field of a manifest.
///
/// ```
/// use anyhook_core::manifest::FIELDS;
/// assert!(FIELDS.iter().any(|field| field.name == "timeout"));
/// ```
#[rustfmt::skip]
pub static FIELDS: &[FieldSpec] = &[
    field(Level::File, "$schema", "Where this schema is, for an editor.", text),
    field(Level::File, "version", "The version of this format.", || json!({"const": VERSION})),
    field(Level::File, "mode", "Whether the hooks of this file count: `shadow` asks and records them, and applies nothing.", mode),
    field(Level::File, "description", "A note for people.", text),
    field(Level::File, "disable", "The names of hooks that are switched off: of this file, and of layers nearer than its own. Never those of the administrator.", || json!({"type": "array", "items": words()})),
    field(Level::File, "hooks", "The hooks of each event, by any name of the event.", events),
    field(Level::File, "session", "Lower limits of what hooks may say to the model in a session; a file never raises them.", session::form),
    field(Level::Group, "matcher", "Which subjects its hooks are asked about: `Write|Edit` is a list of exact names, anything but letters, digits, `_`, `-`, spaces, commas and bars is an unanchored pattern, and nothing is all.", text),
    field(Level::Group, "hooks", "Its hooks.", || json!({"type": "array", "items": {"$ref": "#/$defs/hook"}})),
    field(Level::Group, "priority", "Its place among the groups of the event: lower is asked earlier.", || json!({"type": "integer", "default": 0})),
    field(Level::Group, "sequential", "Whether its hooks are asked one after the other.", no),
    field(Level::Group, "name", "The name of its hooks in reports.", words),
    field(Level::Group, "mode", "Whether its hooks count: `shadow` asks and records them, and applies nothing.", mode),
    field(Level::Group, "description", "A note for people.", text),
    field(Level::Entry, "type", "What it does: run a command, ask a model, say what the file itself says, or ask a module that is built in.", || json!({"enum": entry::TYPES})),
    field(Level::Entry, "command", "What runs. Words and `${NAME}` alone run without a shell, each placeholder one argument; anything else is given to a shell.", words),
    field(Level::Entry, "args", "The arguments; then `command` is a program, and no shell is asked.", || json!({"type": "array", "items": {"type": "string"}})),
    field(Level::Entry, "env", "Variables beside the inherited ones.", || json!({"type": "object", "additionalProperties": {"type": "string"}})),
    field(Level::Entry, "cwd", "The folder to run in, below the package.", words),
    field(Level::Entry, "shell", "The shell that reads the command line.", || json!({"enum": SHELLS.iter().map(|shell| shell.name).collect::<Vec<_>>()})),
    field(Level::Entry, "windows", "What of the command is otherwise on Windows.", variant),
    field(Level::Entry, "macos", "What of the command is otherwise on macOS.", variant),
    field(Level::Entry, "linux", "What of the command is otherwise on Linux.", variant),
    field(Level::Entry, "prompt", "What a model is asked; `$ARGUMENTS` stands for the event.", words),
    field(Level::Entry, "when", "The condition under which it is asked: an expression over the event, such as `runs('git push')`.", words),
    field(Level::Entry, "then", "What a rule says where its condition holds. Texts may hold `{{tool_input.file_path}}`.", then),
    field(Level::Entry, "module", "Which built-in module is asked, such as `redaction`.", words),
    field(Level::Entry, "config", "The settings of that module.", || json!({"type": "object"})),
    field(Level::Entry, "name", "Its name in reports, and for switching it off.", words),
    field(Level::Entry, "description", "A note for people.", text),
    field(Level::Entry, "guard", "Whether its own failure refuses, and a later rewrite brings it back.", no),
    field(Level::Entry, "recheck", "Whether a later rewrite of the input brings it back.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "on-failure", "What its own failure means.", || json!({"enum": ["continue", "deny", "block", "halt"]})),
    field(Level::Entry, "timeout", "How many seconds it may take.", || json!({"type": "number", "exclusiveMinimum": 0, "maximum": 86400, "default": 30})),
    field(Level::Entry, "mode", "Whether it counts: `shadow` asks and records it, and applies nothing.", mode),
    field(Level::Entry, "once", "Whether it is asked one time only in each session.", no),
    field(Level::Entry, "async", "Whether it goes on in the background: what it says is told with a later event of the session, and no verdict of it counts.", no),
    field(Level::Entry, "enabled", "Whether it takes part at all.", || json!({"type": "boolean", "default": true})),
    field(Level::Entry, "if-unsayable", "What becomes of its rewrite where an agent cannot be told it.", || json!({"enum": ["deny", "ask", "drop"], "default": "deny"})),
];

/// Other spellings of fields, as a host would write them.
const ALSO: &[(&str, &str)] = &[("on-failure", "onFailure"), ("if-unsayable", "ifUnsayable")];

fn text() -> Value {
    json!({"type": "string"})
}

fn words() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn no() -> Value {
    json!({"type": "boolean", "default": false})
}

fn mode() -> Value {
    json!({"enum": ["enforce", "shadow"], "default": "enforce"})
}

/// The fields of a command that one system may have otherwise.
fn variant() -> Value {
    let fields = FIELDS
        .iter()
        .filter(|field| field.level == Level::Entry && command::OF_VARIANT.contains(&field.name));
    let properties: Map<String, Value> = fields
        .map(|field| (field.name.to_owned(), described(field)))
        .collect();
    json!({"type": "object", "minProperties": 1, "properties": properties, "additionalProperties": false})
}

fn then() -> Value {
    let reason =
        |summary: &str| json!({"type": "string", "pattern": "\\S", "description": summary});
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
            "inject": reason("A text for the model."),
            "notify": reason("A text for the person."),
        },
        "additionalProperties": false,
    })
}

/// The events by every name that they have; any other name is legal too.
fn events() -> Value {
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
    let fields = FIELDS.iter().filter(|field| field.level == level);
    let properties = fields.flat_map(|field| {
        let form = described(field);
        let also = ALSO.iter().filter(|(name, _)| *name == field.name);
        let names = std::iter::once(field.name).chain(also.map(|(_, also)| *also));
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
    let needs = entry::TYPES.iter().map(|kind| {
        let needs = match *kind {
            "rule" => "then",
            "builtin" => "module",
            kind => kind,
        };
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{group, read};
    use super::*;

    #[test]
    fn the_table_names_every_field_that_is_read_and_no_other() {
        let read: [(Level, &[&str]); 3] = [
            (Level::File, read::FILE_FIELDS),
            (Level::Group, group::FIELDS),
            (Level::Entry, entry::FIELDS),
        ];
        for (level, fields) in read {
            let table = FIELDS.iter().filter(|field| field.level == level);
            let table: BTreeSet<&str> = table.map(|field| field.name).collect();
            assert_eq!(table, fields.iter().copied().collect(), "{level:?}");
        }
    }

    #[test]
    fn every_field_is_explained_by_one_sentence() {
        for field in FIELDS {
            assert!(field.summary.ends_with('.'), "{}", field.name);
        }
    }
}
