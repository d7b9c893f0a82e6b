//! A hook of type `builtin`: a built-in module, and its settings with their places.

use std::hash::{Hash, Hasher};

use jsonc_parser::ast::{Object, Value};
use serde::Serialize;
use serde_json::Value as Json;

use super::Place;
use super::entry::required;
use super::fields::{Complaint, Field, Fields};
use super::notes::Notes;
use super::rule::json;
use crate::event::Map;

/// A module to ask, by its name. Which modules there are, and what their settings mean, is known where they are carried out.
///
/// ```
/// use anyhook_core::manifest::{Action, Builtin, Manifest};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"*": [{"hooks": [
///         {"type": "builtin", "module": "redaction", "config": {"allowlist": ["cwd"]}}
///     ]}]}}"#,
/// )?;
/// let Action::Builtin(Builtin { module, config, places }) = &parsed.manifest.groups[0].entries[0].action
/// else {
///     panic!("{:?}", parsed.findings)
/// };
/// assert_eq!((module.as_str(), config["allowlist"][0].as_str()), ("redaction", Some("cwd")));
/// assert_eq!(places.of("/config/allowlist/0").unwrap().column, 77);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Builtin {
    /// The module's name, as written.
    pub module: String,
    /// Its settings.
    pub config: Map,
    /// Where they stand.
    #[serde(skip)]
    pub places: Places,
}

/// Where the name and the settings of a module stand, by JSON pointers such as `/config/allowlist/0`. Where something
/// stands is no part of what it is: two of them are always equal.
///
/// ```
/// use anyhook_core::manifest::Places;
///
/// assert_eq!(Places::default(), Places::default());
/// assert!(Places::default().of("/module").is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Places(Vec<(String, Place)>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

impl Hash for Places {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Places {
    /// Returns where a value stands, or the nearest one around it.
    pub fn of(&self, pointer: &str) -> Option<&Place> {
        let mut at = pointer;
        loop {
            if let Some((_, place)) = self.0.iter().find(|(known, _)| known == at) {
                return Some(place);
            }
            (at, _) = at.rsplit_once('/')?;
        }
    }

    fn note(&mut self, pointer: &str, value: &Value<'_>, notes: &Notes) {
        self.0.push((pointer.to_owned(), notes.place(value)));
        match value {
            Value::Object(object) => {
                for prop in &object.properties {
                    let name = prop.name.as_str().replace('~', "~0").replace('/', "~1");
                    self.note(&format!("{pointer}/{name}"), &prop.value, notes);
                }
            }
            Value::Array(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    self.note(&format!("{pointer}/{index}"), element, notes);
                }
            }
            Value::StringLit(_)
            | Value::NumberLit(_)
            | Value::BooleanLit(_)
            | Value::NullKeyword(_) => {}
        }
    }
}

/// Reads the module and its settings; `None` comes with a finding.
pub(super) fn read(object: &Object<'_>, fields: &mut Fields<'_, '_>) -> Option<Builtin> {
    let module = required("module", object, fields);
    let mut places = Places::default();
    if let Some(prop) = fields.all("module").next() {
        places.note("/module", &prop.value, fields.notes);
    }
    let config = match fields.read("config", settings) {
        Field::Is(config) => config,
        Field::Absent => Map::new(),
        Field::Wrong => return None,
    };
    if let Some(prop) = fields.all("config").next() {
        places.note("/config", &prop.value, fields.notes);
    }
    Some(Builtin {
        module: module?,
        config,
        places,
    })
}

fn settings(value: &Value<'_>) -> Result<Map, Complaint> {
    match json(value)? {
        Json::Object(config) => Ok(config),
        _ => Err(Complaint::wanted("config", "an object", value)),
    }
}
