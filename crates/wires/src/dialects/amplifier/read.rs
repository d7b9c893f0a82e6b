//! Reading a flat result: exactly the names, kinds and defaults of seed 001, and an error that names what is wrong.

use std::fmt;
use std::time::Duration;

use anyhook_core::effects::{Level, Role};
use anyhook_core::event::Map;
use anyhook_core::question::{Choice, Settled};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::flat::{Action, ContextInjection, Flat, PATIENCE};

/// A field with a value that it cannot have.
#[derive(Debug, Clone, PartialEq)]
pub struct BadValue {
    /// The field; one inside a list with its place, such as `context_injections[0].role`.
    pub field: String,
    /// The value.
    pub value: Value,
    /// What it must be.
    pub wanted: &'static str,
}

/// Every field of an answer that has a value it cannot have; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatError {
    /// The fields, in the order of the form.
    pub wrong: Vec<BadValue>,
}

impl fmt::Display for FlatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, bad) in self.wrong.iter().enumerate() {
            let value = bad.value.to_string();
            let mut shown: String = value.chars().take(80).collect();
            if shown.len() < value.len() {
                shown.push('…');
            }
            let between = if at == 0 { "" } else { "; " };
            write!(
                f,
                "{between}`{}` must be {}, and is `{shown}`",
                bad.field, bad.wanted
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for FlatError {}

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
            within: String::new(),
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
    /// The text before a field's name in an error.
    within: String,
    wrong: Vec<BadValue>,
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
            context_injections: self.injections(),
            extensions: Map::new(),
        }
    }

    fn bad(&mut self, field: &str, value: Value, wanted: &'static str) {
        self.wrong.push(BadValue {
            field: format!("{}{field}", self.within),
            value,
            wanted,
        });
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
                    self.bad("action", value, wanted);
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
    fn take<T: DeserializeOwned>(&mut self, field: &str, wanted: &'static str, default: T) -> T {
        let Some(value) = self.map.shift_remove(field) else {
            return default;
        };
        T::deserialize(&value).unwrap_or_else(|_| {
            self.bad(field, value, wanted);
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
                self.bad("approval_timeout", value, "a number of seconds from 0");
                PATIENCE
            }
        }
    }

    fn options(&mut self) -> Option<Vec<Choice>> {
        let items: Option<Vec<Value>> = self.take("approval_options", "a list or null", None);
        let mut choices = Vec::new();
        for (at, item) in items?.into_iter().enumerate() {
            let choice = match &item {
                Value::String(label) => Some(Choice::labelled(label)),
                other => Choice::deserialize(other).ok(),
            };
            match choice {
                Some(choice) => choices.push(choice),
                None => self.bad(&format!("approval_options[{at}]"), item, "a string"),
            }
        }
        Some(choices)
    }

    fn injections(&mut self) -> Vec<ContextInjection> {
        let items: Vec<Value> = self.take("context_injections", "a list", Vec::new());
        let mut injections = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let Value::Object(map) = item else {
                self.bad(&format!("context_injections[{at}]"), item, "an object");
                continue;
            };
            let mut reading = Reading {
                map,
                within: format!("context_injections[{at}]."),
                wrong: Vec::new(),
            };
            injections.extend(reading.injection());
            self.wrong.append(&mut reading.wrong);
        }
        injections
    }

    fn injection(&mut self) -> Option<ContextInjection> {
        let content = match self.map.shift_remove("content") {
            Some(Value::String(text)) => text,
            other => {
                self.bad("content", other.unwrap_or_default(), "a string");
                return None;
            }
        };
        let (text, truth) = ("a string or null", "true or false");
        let hook_name: Option<String> = self.take("hook_name", text, None);
        let event: Option<String> = self.take("event", text, None);
        Some(ContextInjection {
            content,
            role: self.take("role", "system, user or assistant", Role::System),
            ephemeral: self.take("ephemeral", truth, false),
            append_to_last_tool_result: self.take("append_to_last_tool_result", truth, false),
            hook_name: hook_name.unwrap_or("unknown".to_owned()),
            event: event.unwrap_or_default(),
            name: self.take("name", text, None),
        })
    }
}
