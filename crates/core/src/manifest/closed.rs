//! The closed form of a manifest: the seed's own fields, the ten universal events, and nothing else.
//!
//! A file that passes is read by every program that follows the closed schema of the format; what is an extension of ours
//! is an error here. Everything is found at once, with its place, as by the open form. What the form is stands in its schema
//! alone: a text is held against that, by the few words of JSON Schema that it uses.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, Value};
use serde_json::Value as Json;

use super::notes::{Notes, opening};
use super::place::Lines;
use super::read::syntax;
use super::say::{did_you_mean, kind, one_of, quote};
use super::{Code, Finding};

/// Finds everything that the closed form does not have, in the order of the text: unknown keys, events and types, and a
/// timeout that is not a whole number of seconds from 1 to 300.
///
/// ```
/// use anyhook_core::manifest::closed_findings;
///
/// let text = r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///     {"type": "command", "command": "./done.sh", "guard": true, "timeout": 0.5}
/// ]}]}}"#;
/// let said: Vec<String> = closed_findings(text).into_iter().map(|found| found.message).collect();
/// assert_eq!(said, [
///     "the closed form has no field `guard` here",
///     "`timeout` must be a whole number from 1 to 300, found `0.5`",
/// ]);
/// ```
pub fn closed_findings(text: &str) -> Vec<Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut notes = Notes {
        lines: Lines::new(text.len() - body.len(), body),
        findings: Vec::new(),
    };
    let schema = closed_schema();
    match syntax(body, &notes) {
        Err(finding) => return vec![finding],
        Ok(Some(file)) => Closed {
            schema: &schema,
            notes: &mut notes,
        }
        .value("a manifest", &schema, &file),
        Ok(None) => {
            let nothing = jsonc_parser::common::Range::new(0, body.len());
            notes.error(&nothing, "a manifest must be an object", None);
        }
    }
    let mut findings = notes.findings;
    findings.sort_by_key(|finding| finding.at.span.start);
    findings
}

/// The whole schema, and what was found so far.
struct Closed<'s, 'n> {
    schema: &'s Json,
    notes: &'n mut Notes,
}

impl Closed<'_, '_> {
    /// Holds a value against its part of the schema.
    fn value(&mut self, name: &str, form: &Json, value: &Value<'_>) {
        let pointer = form["$ref"].as_str().and_then(|at| at.strip_prefix('#'));
        let form = pointer
            .and_then(|at| self.schema.pointer(at))
            .unwrap_or(form);
        let wanted = match (form["type"].as_str(), value) {
            (Some("object"), Value::Object(object)) => return self.object(form, object),
            (Some("array"), Value::Array(array))
                if array.elements.len() as u64 >= form["minItems"].as_u64().unwrap_or(0) =>
            {
                let elements = array.elements.iter();
                return elements.for_each(|element| self.value(name, &form["items"], element));
            }
            (Some("string"), Value::StringLit(text))
                if form["pattern"].is_null() || !text.value.trim().is_empty() =>
            {
                return;
            }
            (Some("integer"), Value::NumberLit(number))
                if number.value.parse().is_ok_and(|number: u64| {
                    let (least, most) = (form["minimum"].as_u64(), form["maximum"].as_u64());
                    least <= Some(number) && Some(number) <= most
                }) =>
            {
                return;
            }
            (None, other) if form["enum"].is_array() => return self.word(form, other),
            (None, Value::NumberLit(number))
                if number.value.parse().ok() == form["const"].as_u64() =>
            {
                return;
            }
            (Some("object"), _) => "an object".to_owned(),
            (Some("array"), _) if form["minItems"].is_null() => "a list".to_owned(),
            (Some("array"), _) => "a list of at least one".to_owned(),
            (Some("string"), _) => "a string that says something".to_owned(),
            (Some(_), _) => format!(
                "a whole number from {} to {}",
                form["minimum"], form["maximum"]
            ),
            (None, _) => format!("the number {}", form["const"]),
        };
        let found = match value {
            Value::NumberLit(number) => quote(number.value),
            Value::StringLit(text) if text.value.trim().is_empty() => "an empty one".to_owned(),
            Value::Array(array) if array.elements.is_empty() => "an empty one".to_owned(),
            other => kind(other).to_owned(),
        };
        let message = format!("{name} must be {wanted}, found {found}");
        let help = (name == "`timeout`").then_some("the unit is seconds");
        self.notes.error(value, message, help);
    }

    /// Holds a value against the types of hooks.
    fn word(&mut self, form: &Json, value: &Value<'_>) {
        let said = value.as_string_lit().map(|literal| literal.value.as_ref());
        let known = || words(&form["enum"]);
        if known().any(|word| Some(word) == said) {
            return;
        }
        let near = said.and_then(|said| did_you_mean(said, known()));
        let help = near.unwrap_or_else(|| format!("write {}", one_of(known())));
        let message = "the closed form has no such type of hook";
        let notes = self.notes.error(value, message, Some(&help));
        notes.code(Code::UnknownType);
    }

    /// Reports every key that the schema does not have, every one that is there twice, and every one that is missing.
    fn object(&mut self, form: &Json, object: &Object<'_>) {
        let known = form["properties"].as_object();
        let names = || {
            known
                .into_iter()
                .flat_map(|known| known.keys().map(String::as_str))
        };
        let mut seen = BTreeSet::new();
        for prop in &object.properties {
            let key = prop.name.as_str();
            if let Some(form) = known.and_then(|known| known.get(key)) {
                self.value(&format!("`{key}`"), form, &prop.value);
                if !seen.insert(key) {
                    let message = format!("`{key}` is there twice");
                    self.notes.error(&prop.name, message, None);
                }
                continue;
            }
            let is_event = names().any(|name| name == "pre-tool-use");
            let (what, code) = if is_event {
                (format!("event {}", quote(key)), Code::UnknownEvent)
            } else {
                (format!("field {} here", quote(key)), Code::UnknownField)
            };
            let help = did_you_mean(key, names());
            let message = format!("the closed form has no {what}");
            self.notes
                .error(&prop.name, message, help.as_deref())
                .code(code);
        }
        let said = object
            .get("type")
            .and_then(|prop| prop.value.as_string_lit());
        let said = said.map(|literal| literal.value.as_ref());
        let conditions = form["allOf"].as_array().into_iter().flatten();
        let own = conditions.filter(|one| {
            let of = one.pointer("/if/properties/type/const");
            of.and_then(Json::as_str) == said
        });
        let required = own.filter_map(|one| one.pointer("/then/required"));
        let required = required.flat_map(words);
        for key in words(&form["required"]).chain(required) {
            if object.get(key).is_none() {
                let message = format!("`{key}` is missing");
                self.notes.error(&opening(object), message, None);
            }
        }
    }
}

/// The words of a list of the schema.
fn words(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// Returns the JSON Schema of the closed form (draft 2020-12): what [`closed_findings`] accepts, and nothing else.
///
/// ```
/// use anyhook_core::manifest::closed_schema;
///
/// let schema = closed_schema();
/// let events = schema["properties"]["hooks"]["properties"].as_object().unwrap();
/// assert_eq!(events.len(), 10);
/// assert_eq!(schema["properties"]["hooks"]["additionalProperties"], false);
/// ```
pub fn closed_schema() -> Json {
    serde_json::from_str(include_str!("../../tables/hooks-closed.json")).unwrap_or_default()
}
