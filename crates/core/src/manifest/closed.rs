//! The closed form of a manifest: the seed's own fields, the ten universal events, and nothing else.
//!
//! A file that passes is read by every program that follows the closed schema of the format; what is an extension of ours
//! is an error here. Everything is found at once, with its place: what is wrong in the open form too is said by its reader, and
//! what is more than the closed form has by the table of fields.

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use serde_json::Value as Json;

use super::notes::{Notes, opening};
use super::place::Lines;
use super::read::{manifest, syntax};
use super::say::{did_you_mean, one_of, quote};
use super::table::{self, Level};
use super::{Code, Finding, Severity, entry};
use crate::taxonomy::EVENTS;

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
    let mut findings = match manifest(text) {
        Ok(parsed) => parsed.findings,
        Err(finding) => return vec![finding],
    };
    findings.retain(|finding| finding.severity == Severity::Error);
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::new(text.len() - body.len(), body);
    let mut closed = ClosedForm(Notes { lines, findings });
    if let Ok(Some(Value::Object(file))) = syntax(body, &closed.0) {
        closed.file(&file);
    }
    let mut findings = closed.0.findings;
    findings.sort_by_key(|finding| finding.at.span.start);
    findings
}

/// What was found so far.
struct ClosedForm(Notes);

/// Returns the names of the fields that an object of the closed form has.
fn names(level: Level) -> Vec<&'static str> {
    let closed = table::of(level).filter(|field| field.closed);
    closed.map(|field| field.name).collect()
}

impl ClosedForm {
    /// Reports an error, unless the reader of the open form has reported one there.
    fn error(&mut self, at: &impl Ranged, message: String, help: Option<&str>, code: Code) {
        let place = self.0.place(at).span.start;
        let mut known = self.0.findings.iter();
        if !known.any(|finding| finding.at.span.start == place) {
            self.0.error(at, message, help).code(code);
        }
    }

    /// Reports each name that the closed form does not have.
    fn only(&mut self, object: &Object<'_>, known: &[&str], code: Code) {
        let (kind, end) = match code {
            Code::UnknownEvent => ("event", ""),
            _ => ("field", " here"),
        };
        for prop in &object.properties {
            let name = prop.name.as_str();
            if !known.contains(&name) {
                let message = format!("the closed form has no {kind} {}{end}", quote(name));
                let help = did_you_mean(name, known.iter().copied());
                self.error(&prop.name, message, help.as_deref(), code);
            }
        }
    }

    fn file(&mut self, file: &Object<'_>) {
        self.only(file, &names(Level::File), Code::UnknownField);
        if file.get("version").is_none() {
            self.0.error(&opening(file), "`version` is missing", None);
        }
        let Some(lists) = file.get_object("hooks") else {
            return;
        };
        let events: Vec<&str> = EVENTS.iter().filter_map(|event| event.universal).collect();
        self.only(lists, &events, Code::UnknownEvent);
        let known = |event: &&ObjectProp<'_>| events.contains(&event.name.as_str());
        for event in lists.properties.iter().filter(known) {
            for group in self.list(event.value.as_array(), event.name.as_str()) {
                self.only(group, &names(Level::Group), Code::UnknownField);
                for hook in self.list(group.get_array("hooks"), "hooks") {
                    self.hook(hook);
                }
            }
        }
    }

    /// Returns the objects of a list, which has at least one element.
    fn list<'v>(&mut self, list: Option<&'v Array<'v>>, name: &str) -> Vec<&'v Object<'v>> {
        let elements = list.map(|list| &*list.elements).unwrap_or_default();
        if let Some(list) = list.filter(|_| elements.is_empty()) {
            let name = quote(name);
            let message = format!("{name} must be a list of at least one, found an empty one");
            self.error(list, message, None, Code::BadValue);
        }
        elements.iter().filter_map(Value::as_object).collect()
    }

    fn hook(&mut self, hook: &Object<'_>) {
        let fields = names(Level::Entry);
        self.only(hook, &fields, Code::UnknownField);
        let types = entry::TYPES.iter();
        let types = types.filter(|(_, needs)| fields.contains(needs));
        let types: Vec<&str> = types.map(|(kind, _)| *kind).collect();
        if let Some(word) = hook.get_string("type")
            && !types.contains(&&*word.value)
        {
            let help = format!("write {}", one_of(types.into_iter()));
            let message = "the closed form has no such type of hook".to_owned();
            self.error(word, message, Some(&help), Code::UnknownType);
        }
        if let Some(number) = hook.get_number("timeout") {
            let is_whole = |seconds: u64| (1..=300).contains(&seconds);
            if !number.value.parse().is_ok_and(is_whole) {
                let found = quote(number.value);
                let message =
                    format!("`timeout` must be a whole number from 1 to 300, found {found}");
                let help = Some("the unit is seconds");
                self.error(number, message, help, Code::BadValue);
            }
        }
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
