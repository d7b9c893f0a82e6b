//! The payload of a case: its fixture, its overrides, and nothing that they do not say.

use std::path::Path;

use anyhook::core::event::EventName;
use anyhook::core::manifest::{LineIndex, Place};
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::yaml::{self, Spanned};
use serde_json::{Map, Value};

use super::{CasePlanner, climbs};
use crate::case::Pairs;
use crate::files;
use crate::overrides;
use crate::problem::{Problem, finding, json};

/// An event as a case has it, in the universal form.
#[derive(Debug, Clone)]
pub(crate) struct CasePayload {
    /// The event that it is meant to be.
    pub(crate) event: EventName,
    /// The object.
    pub(crate) value: Map<String, Value>,
    /// The event that the object names, where it is another one.
    pub(crate) other: Option<EventName>,
    /// The tool that it is about.
    pub(crate) tool: Option<String>,
    /// Whether the case itself says where the event happened.
    pub(crate) has_place: bool,
}

/// An event that is longer than this is none that a host sends.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The names under which a payload may have its event.
const NAMES: [&str; 2] = ["hookEventName", "hook_event_name"];

impl CasePayload {
    /// Returns the object as it is sent from this folder. A text that begins with `${PROJECT_DIR}` or `${PACKAGE_ROOT}`
    /// begins with that folder.
    pub(crate) fn sent(&self, project: &Path, root: &Path, moved: bool) -> Value {
        let mut value = self.value.clone();
        let is_told = value.contains_key("cwd");
        if !is_told || (moved && !self.has_place) {
            value.insert("cwd".to_owned(), project.to_string_lossy().into());
        }
        let folders = [("${PROJECT_DIR}", project), ("${PACKAGE_ROOT}", root)];
        let filled = |text: &str| {
            let mut folders = folders.iter();
            let found = folders.find_map(|(name, folder)| Some((text.strip_prefix(name)?, folder)));
            found.map_or_else(
                || text.to_owned(),
                |(rest, folder)| format!("{}{rest}", folder.to_string_lossy()),
            )
        };
        overrides::texts(&Value::Object(value), &filled)
    }
}

impl CasePlanner<'_> {
    /// Reads the fixture of an event; without one, makes the smallest payload that the event can have.
    pub(super) fn fixture(
        &self,
        event: &Spanned<String>,
        fixture: Option<&Spanned<String>>,
    ) -> Result<Value, Problem> {
        let Some(named) = fixture else {
            return Ok(smallest(&event.value));
        };
        let wrong = |why: &str| {
            let message = format!("the fixture `{}` {why}", named.value);
            let help = "a fixture is named by its path below the folder of tests".to_owned();
            self.found(finding(yaml::of(named), message, Some(help)))
        };
        if climbs(&named.value) {
            return Err(wrong("is not below the folder of tests"));
        }
        let file = self.package.tests.join(&named.value);
        let text = files::text(&file, LONGEST).map_err(|why| wrong(&why))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let value: Value = json(&file, text)?;
        if value.is_object() {
            return Ok(value);
        }
        Err(self.problem(
            yaml::of(named),
            format!("the fixture `{}` is no JSON object", named.value),
        ))
    }

    /// Makes the overrides of a fixture, and tells whether one of them says where the event happened.
    pub(super) fn overridden(
        &self,
        value: &mut Value,
        overrides: &Pairs<Value>,
    ) -> Result<(), Problem> {
        for (path, new) in &overrides.0 {
            let own = respelled(value, path, overrides);
            overrides::set(value, &own, &new.value).map_err(|why| {
                self.problem(
                    self.path_of(path, new),
                    format!("`{path}` cannot be overridden: {why}"),
                )
            })?;
        }
        Ok(())
    }

    /// Returns where the path of an override stands: before its value.
    pub(super) fn path_of<T>(&self, path: &str, value: &Spanned<T>) -> Place {
        let at = yaml::of(value);
        let before = self.text.get(..at.span.start).unwrap_or_default();
        match before.rfind(path) {
            Some(from) => LineIndex::new(0, self.text).place(from..from + path.len()),
            None => at,
        }
    }

    /// Checks a payload whose overrides have been made: it is read as a hook's caller would read it.
    pub(super) fn checked(
        &self,
        event: &Spanned<String>,
        overrides: &Pairs<Value>,
        value: Value,
    ) -> Result<CasePayload, Problem> {
        let mut paths = overrides.0.iter().map(|(path, _)| path);
        let last = overrides.0.last();
        let at = last.map_or_else(|| yaml::of(event), |(path, new)| self.path_of(path, new));
        let Value::Object(mut value) = value else {
            return Err(self.problem(at, "the payload is no object any more"));
        };
        let event = EventName::new(&event.value);
        let read = |value: &Map<String, Value>| {
            // Every object of JSON can be written.
            let bytes = serde_json::to_vec(value).unwrap_or_default();
            let read = UNIVERSAL.read_event(&bytes, Some(event.as_str()));
            read.map_err(|error| {
                self.problem(at.clone(), format!("the payload is no event: {error}"))
            })
        };
        let named = NAMES.iter().find_map(|name| value.get(*name)?.as_str());
        // Most are called as they are asked about.
        let named = named
            .filter(|name| *name != event.universal())
            .map(universal);
        // The seed sends a fixture of one event as another one of the same shape. One of another shape is a slip.
        let subject = |name: &EventName| name.spec().and_then(|spec| spec.subject);
        let other = named.filter(|named| *named != event && subject(named) != subject(&event));
        if other.is_none() {
            for name in NAMES {
                value.shift_remove(name);
            }
            value.insert("hookEventName".to_owned(), event.universal().into());
        }
        let data = read(&value)?.data;
        let tool = data
            .json()
            .get("tool_name")
            .and_then(Value::as_str)
            .map(str::to_owned);
        Ok(CasePayload {
            event,
            value,
            other,
            tool,
            has_place: paths.any(|path| path == "cwd" || path == "/cwd"),
        })
    }

    /// Makes the events that happened earlier.
    pub(super) fn before(&self) -> Result<Vec<CasePayload>, Problem> {
        let earlier = self.spec.input.before.iter();
        let payload = |earlier: &crate::case::EarlierEvent| {
            let mut value = self.fixture(&earlier.event, earlier.fixture.as_ref())?;
            self.overridden(&mut value, &earlier.overrides)?;
            self.checked(&earlier.event, &earlier.overrides, value)
        };
        earlier.map(payload).collect()
    }
}

/// Writes a path as the payload spells its field: `tool_name` is `toolName` where that is there. Who overrides both means both.
fn respelled(payload: &Value, path: &str, overrides: &Pairs<Value>) -> String {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let field = path.split('.').next().unwrap_or(path);
    let mut fields = payload.as_object().into_iter().flat_map(Map::keys);
    let is_there = payload.get(field).is_some() || path.starts_with('/');
    let is_written = |own: &str| overrides.0.iter().any(|(path, _)| path.starts_with(own));
    let is_it = |own: &&String| !is_there && plain(own) == plain(field) && !is_written(own);
    match fields.find(is_it) {
        Some(own) => path.replacen(field, own, 1),
        None => path.to_owned(),
    }
}

/// The event that a name in a payload means, as the universal form reads it.
fn universal(name: &str) -> EventName {
    let payload = serde_json::json!({ "hookEventName": name }).to_string();
    let read = UNIVERSAL.read_event(payload.as_bytes(), None);
    read.map_or_else(|_| EventName::new(name), |event| event.name)
}

/// The smallest payload of an event: its name, a session, and what its matchers and hooks cannot do without.
pub(crate) fn smallest(event: &str) -> Value {
    let name = EventName::new(event);
    let mut payload = Map::new();
    payload.insert("hookEventName".to_owned(), name.universal().into());
    payload.insert("sessionId".to_owned(), "test-session".into());
    let spec = name.spec();
    if spec.and_then(|spec| spec.subject) == Some("tool_name") {
        payload.insert("toolName".to_owned(), "Bash".into());
        payload.insert(
            "toolInput".to_owned(),
            serde_json::json!({"command": "true"}),
        );
    }
    if spec.is_some_and(|spec| spec.fields.iter().any(|field| field.name == "prompt")) {
        payload.insert("prompt".to_owned(), "hello".into());
    }
    Value::Object(payload)
}
