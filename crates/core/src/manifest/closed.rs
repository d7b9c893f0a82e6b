//! The closed form of a manifest: the seed's own fields, the ten universal events, and nothing else.
//!
//! A file that passes is read by every program that follows the closed schema of the format; what is an extension of ours
//! is an error here. Everything is found at once, with its place, as by the open form.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use serde_json::Value as Json;

use super::entry::TYPES;
use super::notes::Notes;
use super::place::Lines;
use super::read::syntax;
use super::say::{did_you_mean, kind, one_of, quote};
use super::table::{self, Level};
use super::{Code, Finding};

/// The shortest and the longest timeout of the closed form, in seconds.
const SHORTEST: u64 = 1;
const LONGEST: u64 = 300;

/// The events of the closed form, by their universal names.
const EVENTS: [&str; 10] = [
    "session-start",
    "session-end",
    "pre-tool-use",
    "post-tool-use",
    "pre-prompt",
    "stop",
    "sub-agent-end",
    "permission-request",
    "notification",
    "pre-compact",
];

/// The names of the fields of an object that the closed form has.
fn closed(level: Level) -> Vec<&'static str> {
    table::names(table::of(level).filter(|field| field.closed))
}

/// The types of hooks of the closed form: those whose field it has.
fn types() -> impl Iterator<Item = &'static str> {
    let types = TYPES
        .iter()
        .filter(|(_, needs)| closed(Level::Entry).contains(needs));
    types.map(|(kind, _)| *kind)
}

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
    match syntax(body, &notes) {
        Err(finding) => return vec![finding],
        Ok(Some(Value::Object(file))) => of_file(&file, &mut notes),
        Ok(_) => wrong_shape(&whole(body), "a manifest", "an object", &mut notes),
    }
    let mut findings = notes.findings;
    findings.sort_by_key(|finding| finding.at.span.start);
    findings
}

fn whole(body: &str) -> jsonc_parser::common::Range {
    jsonc_parser::common::Range::new(0, body.len())
}

fn wrong_shape(at: &impl Ranged, what: &str, wanted: &str, notes: &mut Notes) {
    notes.error(at, format!("{what} must be {wanted}"), None);
}

/// Reports every key that is not among those, every one that is there twice, and every one that is missing.
fn keys<'a>(
    object: &'a Object<'a>,
    level: Level,
    required: &[&str],
    notes: &mut Notes,
) -> Vec<&'a ObjectProp<'a>> {
    let known = closed(level);
    let mut kept: Vec<&ObjectProp<'_>> = Vec::new();
    for prop in &object.properties {
        let key = prop.name.as_str();
        if !known.contains(&key) {
            let message = format!("the closed form has no field {} here", quote(key));
            let help = did_you_mean(key, known.iter().copied());
            notes
                .error(&prop.name, message, help.as_deref())
                .code(Code::UnknownField);
        } else if kept.iter().any(|other| other.name.as_str() == key) {
            notes.error(&prop.name, format!("`{key}` is there twice"), None);
        } else {
            kept.push(prop);
        }
    }
    for key in required {
        if !kept.iter().any(|prop| prop.name.as_str() == *key) {
            let at = super::notes::opening(object);
            notes.error(&at, format!("`{key}` is missing"), None);
        }
    }
    kept
}

fn of_file(file: &Object<'_>, notes: &mut Notes) {
    for prop in keys(file, Level::File, &closed(Level::File), notes) {
        match (prop.name.as_str(), &prop.value) {
            ("hooks", Value::Object(hooks)) => of_events(hooks, notes),
            ("hooks", other) => wrong_shape(other, "`hooks`", "an object of events", notes),
            (_, Value::NumberLit(number)) if number.value == "1" => {}
            (_, other) => wrong_shape(other, "`version`", "the number 1", notes),
        }
    }
}

fn of_events(hooks: &Object<'_>, notes: &mut Notes) {
    for prop in &hooks.properties {
        let name = prop.name.as_str();
        if !EVENTS.contains(&name) {
            let message = format!("the closed form has no event {}", quote(name));
            let help = did_you_mean(name, EVENTS.into_iter());
            notes
                .error(&prop.name, message, help.as_deref())
                .code(Code::UnknownEvent);
        }
        let Value::Array(groups) = &prop.value else {
            wrong_shape(&prop.value, "an event", "a list of groups", notes);
            continue;
        };
        for group in &groups.elements {
            match group {
                Value::Object(group) => of_group(group, notes),
                other => wrong_shape(other, "a group", "an object", notes),
            }
        }
    }
}

fn of_group(group: &Object<'_>, notes: &mut Notes) {
    for prop in keys(group, Level::Group, &["hooks"], notes) {
        match (prop.name.as_str(), &prop.value) {
            ("hooks", Value::Array(list)) if !list.elements.is_empty() => {
                for entry in &list.elements {
                    match entry {
                        Value::Object(entry) => of_entry(entry, notes),
                        other => wrong_shape(other, "a hook", "an object", notes),
                    }
                }
            }
            ("hooks", other) => wrong_shape(other, "`hooks`", "a list of at least one hook", notes),
            (_, Value::StringLit(_)) => {}
            (_, other) => wrong_shape(other, "`matcher`", "a string", notes),
        }
    }
}

fn of_entry(entry: &Object<'_>, notes: &mut Notes) {
    let said = entry
        .get("type")
        .and_then(|prop| prop.value.as_string_lit());
    let said = said.map(|literal| literal.value.as_ref());
    let known = types().find(|kind| Some(*kind) == said);
    let required: Vec<&str> = std::iter::once("type").chain(known).collect();
    for prop in keys(entry, Level::Entry, &required, notes) {
        let key = prop.name.as_str();
        match (key, &prop.value) {
            ("timeout", value) => of_timeout(value, notes),
            ("type", Value::StringLit(_)) if known.is_some() => {}
            ("type", value) => {
                let help = said.and_then(|said| did_you_mean(said, types()));
                let help = help.unwrap_or_else(|| format!("write {}", one_of(types())));
                let message = "the closed form has no such type of hook";
                notes
                    .error(value, message, Some(&help))
                    .code(Code::UnknownType);
            }
            (_, Value::StringLit(literal)) if !literal.value.trim().is_empty() => {}
            (_, value) => wrong_shape(
                value,
                &format!("`{key}`"),
                "a string that says something",
                notes,
            ),
        }
    }
}

fn of_timeout(value: &Value<'_>, notes: &mut Notes) {
    let said = match value {
        Value::NumberLit(literal) => literal.value,
        other => kind(other),
    };
    let seconds = value
        .as_number_lit()
        .and_then(|literal| literal.value.parse().ok());
    if !seconds.is_some_and(|seconds: u64| (SHORTEST..=LONGEST).contains(&seconds)) {
        let found = if value.as_number_lit().is_some() {
            quote(said)
        } else {
            said.to_owned()
        };
        let message =
            format!("`timeout` must be a whole number from {SHORTEST} to {LONGEST}, found {found}");
        notes.error(value, message, Some("the unit is seconds"));
    }
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
