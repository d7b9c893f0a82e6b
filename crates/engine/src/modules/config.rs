//! Reading the settings of a module: everything that is wrong with them at once, each with its place.

use std::fmt;

use anyhook_core::event::Map;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::plain;

/// Something wrong with a setting.
///
/// ```
/// use anyhook_engine::modules::ConfigError;
///
/// let error = ConfigError::new("/blocked", "`blocked` must be a list");
/// assert_eq!((error.pointer.as_str(), error.to_string()), ("/blocked", error.message.clone()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// Where it is, as a JSON pointer into the settings.
    pub pointer: String,
    /// What is wrong, as a fragment.
    pub message: String,
}

impl ConfigError {
    /// Makes one.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            message: message.into(),
        }
    }
}

/// Everything that is wrong with the settings of a module.
///
/// ```
/// use anyhook_engine::modules::{ConfigError, ConfigErrors};
///
/// let errors = ConfigErrors(vec![
///     ConfigError::new("/a", "`a` must be a text"),
///     ConfigError::new("/b", "`b` must be a list"),
/// ]);
/// assert_eq!(errors.to_string(), "`a` must be a text; `b` must be a list");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    pub(super) fn no_object(found: &Value) -> Self {
        let message = format!(
            "its settings must be an object, found `{}`",
            plain(&found.to_string())
        );
        Self(vec![ConfigError::new("", message)])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = self.0.iter().map(|error| &*error.message).collect();
        f.write_str(&all.join("; "))
    }
}

impl std::error::Error for ConfigErrors {}

/// Reads the settings of a module, each by itself: so everything that is wrong is told at once. `null` is none.
///
/// A setting that no module reads is an error, because a misspelled guard guards nothing.
pub(super) fn read<T: DeserializeOwned>(config: &Map) -> Result<T, ConfigErrors> {
    let given = config.iter().filter(|(_, value)| !value.is_null());
    let errors: Vec<ConfigError> = given
        .clone()
        .filter_map(|(name, value)| wrong::<T>(name, value))
        .collect();
    if !errors.is_empty() {
        return Err(ConfigErrors(errors));
    }
    let given = given.map(|(name, value)| (name.clone(), value.clone()));
    serde_json::from_value(Value::Object(given.collect()))
        .map_err(|error| ConfigErrors(vec![ConfigError::new("", error.to_string())]))
}

/// Finds what is wrong with one setting.
fn wrong<T: DeserializeOwned>(name: &str, value: &Value) -> Option<ConfigError> {
    let alone = Map::from_iter([(name.to_owned(), value.clone())]);
    let error = serde_json::from_value::<T>(Value::Object(alone)).err()?;
    let place = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let message = format!("`{name}` cannot be read: {}", plain(&error.to_string()));
    Some(ConfigError::new(place, message))
}

/// A text of settings that says something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(pub(super) String);

impl TryFrom<String> for Pattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.trim() {
            "" => Err("a pattern is empty"),
            _ => Ok(Self(text)),
        }
    }
}
