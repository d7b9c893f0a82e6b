//! Reading a flat result: exactly the names, kinds and defaults of seed 001, and an error that names what is wrong.

use anyhook_core::event::Map;
use serde::Deserialize;
use serde_json::Value;

use super::flat::{Flat, FlatAction};
use crate::DecodeError;
use crate::answer::shown;
use crate::hosts::amplifier::table::FLAT;

/// The two flags beside an action: one beside another action has no meaning.
const FLAGS: [&str; 2] = ["halted", "allowed"];

impl Flat {
    /// Reads a result. Absent fields have their defaults, and unknown ones are kept. The error names every field with a value
    /// that it cannot have, in the order of the form.
    pub fn from_json(object: Map) -> Result<Self, DecodeError> {
        match Self::lenient(object) {
            (flat, None) => Ok(flat),
            (_, Some(error)) => Err(error),
        }
    }

    /// Reads what can be read, and what is wrong with the rest: a refusal with a broken field beside it is still one. A field
    /// with a value that it cannot have counts as none.
    pub(super) fn lenient(mut object: Map) -> (Self, Option<DecodeError>) {
        let (mut known, mut wrong) = (Map::new(), Vec::new());
        for (field, wanted) in FLAT {
            let Some(value) = object.shift_remove(*field) else {
                continue;
            };
            let alone = Value::from_iter([(*field, value.clone())]);
            let is_flag = FLAGS.contains(field);
            if is_flag && value.is_boolean() || !is_flag && Self::deserialize(alone).is_ok() {
                known.insert((*field).to_owned(), value);
            } else {
                let shown = shown(&value);
                wrong.push(format!("`{field}` must be {wanted}, and is `{shown}`"));
            }
        }
        let [halted, allowed] = FLAGS.map(|flag| known.get(flag) == Some(&Value::Bool(true)));
        let mut flat = Self::deserialize(Value::Object(known)).unwrap_or_default();
        flat.action = match flat.action {
            FlatAction::Deny if halted => FlatAction::Halted,
            FlatAction::Continue if allowed => FlatAction::Allowed,
            other => other,
        };
        flat.extensions = object;
        let error = (!wrong.is_empty()).then(|| DecodeError::new(wrong.join("; ")));
        (flat, error)
    }
}
