//! Hooks that are built into the engine.

use jsonc_parser::ast::Value;
use serde::Serialize;
use serde_json::Value as Json;

use super::fields::{Complaint, ObjectFields};
use super::rule::json;
use crate::event::Map;

/// A module that is built in, with its settings. Which modules there are, and what they are set to, is for the engine to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct BuiltinAction {
    /// The module's name.
    pub module: String,
    /// Its settings.
    pub config: Map,
}

pub(super) fn read(fields: &mut ObjectFields<'_, '_>) -> Option<BuiltinAction> {
    let module = fields.required("module", None);
    let config = fields.read("config", settings).ok().unwrap_or_default();
    let module = module?;
    Some(BuiltinAction { module, config })
}

fn settings(value: &Value<'_>) -> Result<Map, Complaint> {
    match json(value)? {
        Json::Object(config) => Ok(config),
        _ => Err(Complaint::wanted("config", "an object", value)),
    }
}
