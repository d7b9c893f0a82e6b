//! Hooks that are built into the engine.

use jsonc_parser::ast::{Object, Value};
use serde::Serialize;
use serde_json::Value as Json;

use super::entry::required;
use super::fields::{Complaint, Field, Fields};
use super::rule::json;
use crate::event::Map;

/// A module that is built in, with its settings. Which modules there are, and what they are set to, is for the engine to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Builtin {
    /// The module's name.
    pub module: String,
    /// Its settings.
    pub config: Map,
}

pub(super) fn read(object: &Object<'_>, fields: &mut Fields<'_, '_>) -> Option<Builtin> {
    let module = required("module", object, fields);
    let config = match fields.read("config", settings) {
        Field::Is(config) => config,
        Field::Absent => Map::new(),
        Field::Wrong => return None,
    };
    Some(Builtin {
        module: module?,
        config,
    })
}

fn settings(value: &Value<'_>) -> Result<Map, Complaint> {
    match json(value)? {
        Json::Object(config) => Ok(config),
        _ => Err(Complaint::wanted("config", "an object", value)),
    }
}
