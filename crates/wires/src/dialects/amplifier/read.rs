//! Reading a flat result: exactly the names, kinds and defaults of seed 001, and an error that names what is wrong.

use std::time::Duration;

use anyhook_core::effects::{Level, Role};
use anyhook_core::event::Map;
use anyhook_core::question::{Choice, Settled};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::flat::{Action, Flat, PATIENCE};

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

    /// Reads what can be read, and what is wrong with the rest: a refusal with a broken field beside it is still one.
    pub(super) fn lenient(object: Map) -> (Self, Option<FlatError>) {
        let mut reading = Reading {
            map: object,
            wrong: Vec::new(),
        };
        let mut flat = reading.flat();
        flat.extensions = reading.map;
        let wrong = reading.wrong;
        let error = (!wrong.is_empty()).then_some(FlatError { wrong });
        (flat, error)
    }
}

/// What remains to be read of an object, and what was wrong with what has been.
struct Reading {
    map: Map,
    wrong: Vec<String>,
}

/// An option: its label, or all that it means.
#[derive(Deserialize)]
#[serde(untagged)]
enum Opt {
    Label(String),
    Whole(Choice),
}

impl Reading {
    fn flat(&mut self) -> Flat {
        let (text, truth) = ("a string or null", "true or false");
        let roles = "system, user or assistant";
        let levels = "info, warning or error";
        Flat {
            action: self.action(),
            data: self.take("data", "an object or null", None),
            reason: self.take("reason", text, None),
            context_injection: self.take("context_injection", text, None),
            context_injection_role: self.take("context_injection_role", roles, Role::System),
            ephemeral: self.take("ephemeral", truth, false),
            approval_prompt: self.take("approval_prompt", text, None),
            approval_options: self.options(),
            approval_timeout: self.timeout(),
            approval_default: self.take("approval_default", "allow or deny", Settled::Deny),
            suppress_output: self.take("suppress_output", truth, false),
            user_message: self.take("user_message", text, None),
            user_message_level: self.take("user_message_level", levels, Level::Info),
            user_message_source: self.take("user_message_source", text, None),
            append_to_last_tool_result: self.take("append_to_last_tool_result", truth, false),
            context_injections: self.take(
                "context_injections",
                "a list of texts with a `content`",
                Vec::new(),
            ),
            extensions: Map::new(),
        }
    }

    fn bad(&mut self, field: &str, value: &Value, wanted: &str) {
        let value = value.to_string();
        let mut shown: String = value.chars().take(80).collect();
        if shown.len() < value.len() {
            shown.push('…');
        }
        let text = format!("`{field}` must be {wanted}, and is `{shown}`");
        self.wrong.push(text);
    }

    /// Reads the action with the flags that belong to it. A flag beside another action has no meaning.
    fn action(&mut self) -> Action {
        let halted = self.take("halted", "true or false", false);
        let allowed = self.take("allowed", "true or false", false);
        let action = match self.map.shift_remove("action") {
            None => Action::Continue,
            Some(value) => match value.as_str() {
                Some("continue") => Action::Continue,
                Some("deny") => Action::Deny,
                Some("modify") => Action::Modify,
                Some("inject_context") => Action::InjectContext,
                Some("ask_user") => Action::AskUser,
                _ => {
                    let wanted = "continue, deny, modify, inject_context or ask_user";
                    self.bad("action", &value, wanted);
                    Action::Continue
                }
            },
        };
        match action {
            Action::Deny if halted => Action::Halted,
            Action::Continue if allowed => Action::Allowed,
            other => other,
        }
    }

    /// Takes a field; one with a value that it cannot have counts as none.
    fn take<T: DeserializeOwned>(&mut self, field: &str, wanted: &str, default: T) -> T {
        let Some(value) = self.map.shift_remove(field) else {
            return default;
        };
        T::deserialize(&value).unwrap_or_else(|_| {
            self.bad(field, &value, wanted);
            default
        })
    }

    /// A negative or an endless patience is none that anybody could keep.
    fn timeout(&mut self) -> f64 {
        let Some(value) = self.map.shift_remove("approval_timeout") else {
            return PATIENCE;
        };
        match value.as_f64() {
            Some(seconds) if Duration::try_from_secs_f64(seconds).is_ok() => seconds,
            _ => {
                self.bad("approval_timeout", &value, "a number of seconds from 0");
                PATIENCE
            }
        }
    }

    fn options(&mut self) -> Option<Vec<Choice>> {
        let wanted = "a list of labels or null";
        let options: Option<Vec<Opt>> = self.take("approval_options", wanted, None);
        let choice = |option| match option {
            Opt::Label(label) => Choice::labelled(&label),
            Opt::Whole(choice) => choice,
        };
        Some(options?.into_iter().map(choice).collect())
    }
}
