//! Reading a flat result: exactly the names, kinds and defaults of seed 001, and an error that names what is wrong.

use anyhook_core::event::Map;
use serde::Deserialize;
use serde_json::Value;

use super::flat::{Action, Flat};
use crate::answer::shown;

const FLAG: &str = "true or false";
const TEXT: &str = "a string or null";

/// The two flags beside an action: one beside another action has no meaning.
const FLAGS: [&str; 2] = ["halted", "allowed"];

/// Every field, and what it must be.
const FIELDS: &[(&str, &str)] = &[
    ("halted", FLAG),
    ("allowed", FLAG),
    (
        "action",
        "continue, deny, modify, inject_context or ask_user",
    ),
    ("data", "an object or null"),
    ("reason", TEXT),
    ("context_injection", TEXT),
    ("context_injection_role", "system, user or assistant"),
    ("ephemeral", FLAG),
    ("approval_prompt", TEXT),
    ("approval_options", "a list of labels or null"),
    ("approval_timeout", "a number of seconds from 0"),
    ("approval_default", "allow or deny"),
    ("suppress_output", FLAG),
    ("user_message", TEXT),
    ("user_message_level", "info, warning or error"),
    ("user_message_source", TEXT),
    ("append_to_last_tool_result", FLAG),
    ("context_injections", "a list of texts with a `content`"),
];

/// Every field of an answer that has a value it cannot have; at least one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", wrong.join("; "))]
pub struct FlatError {
    /// What is wrong, field by field in the order of the form.
    pub wrong: Vec<String>,
}

impl Flat {
    /// Reads a result. Absent fields have their defaults, and unknown ones are kept.
    pub fn from_json(object: Map) -> Result<Self, FlatError> {
        match Self::lenient(object) {
            (flat, None) => Ok(flat),
            (_, Some(error)) => Err(error),
        }
    }

    /// Reads what can be read, and what is wrong with the rest: a refusal with a broken field beside it is still one. A field
    /// with a value that it cannot have counts as none.
    pub(super) fn lenient(mut object: Map) -> (Self, Option<FlatError>) {
        let (mut known, mut wrong) = (Map::new(), Vec::new());
        for (field, wanted) in FIELDS {
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
            Action::Deny if halted => Action::Halted,
            Action::Continue if allowed => Action::Allowed,
            other => other,
        };
        flat.extensions = object;
        let error = (!wrong.is_empty()).then_some(FlatError { wrong });
        (flat, error)
    }
}
