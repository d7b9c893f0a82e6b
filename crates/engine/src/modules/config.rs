//! Reading the settings of a module: everything that is wrong with them at once, each with its place.

use std::fmt;

use anyhook_core::event::Map;
use anyhook_core::taxonomy::nearest;
use serde_json::Value;

use crate::text::plain;

/// One setting that a module takes.
///
/// ```
/// use anyhook_engine::modules::{Setting, find};
///
/// let guard = find("file-guard").ok_or("no such module")?;
/// let Setting { summary, form, .. } = guard.settings[0];
/// assert!(summary.starts_with("What no tool may touch"));
/// assert_eq!(form()["type"], "array");
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// What it holds, as a JSON Schema.
    pub form: fn() -> Value,
}

/// Something wrong with a setting.
///
/// ```
/// use anyhook_engine::modules::ConfigError;
///
/// let error = ConfigError::new("/blocked/0", "`blocked[0]` must be a text");
/// assert_eq!((error.pointer.as_str(), error.to_string()), ("/blocked/0", error.message.clone()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// Where it is, as a JSON pointer into the settings.
    pub pointer: String,
    /// What is wrong, as a fragment.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ConfigError {
    /// Makes one.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            message: message.into(),
            help: None,
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

const PANICKED: &str = "it panicked while it was made";

impl ConfigErrors {
    pub(super) fn panicked() -> Self {
        Self(vec![ConfigError::new("", PANICKED)])
    }

    pub(super) fn is_panic(&self) -> bool {
        matches!(&*self.0, [only] if only.message == PANICKED)
    }

    pub(super) fn no_object(found: &Value) -> Self {
        let message = format!("its settings must be an object, found {}", kind(found));
        Self(vec![ConfigError::new("", message)])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            write!(f, "{between}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// The settings of a module while they are read.
pub(super) struct Reading<'c> {
    config: &'c Map,
    /// Where they stand.
    base: String,
    errors: Vec<ConfigError>,
}

impl<'c> Reading<'c> {
    /// Begins; settings that no module reads are errors, because a misspelled guard guards nothing.
    pub(super) fn new(config: &'c Map, known: &[Setting]) -> Self {
        let names: Vec<&str> = known.iter().map(|setting| setting.name).collect();
        Self::within(config, String::new(), &names)
    }

    /// Begins with an object inside of the settings.
    pub(super) fn within(config: &'c Map, base: String, known: &[&'static str]) -> Self {
        let mut reading = Self {
            config,
            base,
            errors: Vec::new(),
        };
        for name in config.keys().filter(|name| !known.contains(&name.as_str())) {
            let common = super::common::SETTINGS.iter().map(|setting| setting.name);
            let near = nearest(name, known.iter().copied().chain(common));
            let mut error = reading.error(name, format!("unknown setting `{}`", plain(name)));
            error.help = near.map(|near| format!("did you mean `{near}`?"));
            reading.errors.push(error);
        }
        reading
    }

    fn error(&self, name: &str, message: impl Into<String>) -> ConfigError {
        let name = name.replace('~', "~0").replace('/', "~1");
        ConfigError::new(format!("{}/{name}", self.base), message)
    }

    /// Says that a setting is wrong.
    pub(super) fn wrong(&mut self, name: &str, message: impl Into<String>, help: Option<String>) {
        let error = ConfigError {
            help,
            ..self.error(name, message)
        };
        self.errors.push(error);
    }

    /// Adds what is wrong with something inside of these settings.
    pub(super) fn add(&mut self, errors: Vec<ConfigError>) {
        self.errors.extend(errors);
    }

    /// Returns a setting as it is; `null` is none.
    pub(super) fn value(&self, name: &str) -> Option<&'c Value> {
        self.config.get(name).filter(|value| !value.is_null())
    }

    fn read<T>(
        &mut self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&'c Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(name)?;
        let found = read(value);
        if found.is_none() {
            let message = format!("`{name}` must be {wanted}, found {}", kind(value));
            self.wrong(name, message, None);
        }
        found
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.read(name, "a text", |value| value.as_str().map(str::to_owned))
    }

    pub(super) fn flag(&mut self, name: &str) -> Option<bool> {
        self.read(name, "`true` or `false`", Value::as_bool)
    }

    pub(super) fn integer(&mut self, name: &str) -> Option<i32> {
        self.read(name, "a whole number of 32 bits", |value| {
            i32::try_from(value.as_i64()?).ok()
        })
    }

    /// Reads a number of seconds.
    pub(super) fn seconds(&mut self, name: &str) -> Option<std::time::Duration> {
        self.read(name, "a number of seconds from 0 to 86400", |value| {
            let seconds = value.as_f64().filter(|s| (0.0..=86_400.0).contains(s))?;
            std::time::Duration::try_from_secs_f64(seconds).ok()
        })
    }

    pub(super) fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.read(name, "a list of texts", |value| {
            let all = value.as_array()?.iter();
            all.map(|text| text.as_str().map(str::to_owned)).collect()
        })
    }

    pub(super) fn list(&mut self, name: &str) -> Option<&'c [Value]> {
        self.read(name, "a list", |value| value.as_array().map(Vec::as_slice))
    }

    pub(super) fn object(&mut self, name: &str) -> Option<&'c Map> {
        self.read(name, "an object", Value::as_object)
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        name: &str,
        words: &'static [(&'static str, T)],
    ) -> Option<T> {
        let all: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        let read = |word: &str| words.iter().find(|(known, _)| *known == word);
        self.word(name, &all, read).map(|(_, choice)| *choice)
    }

    /// Reads one of these words with a function that others use too.
    pub(super) fn word<T>(
        &mut self,
        name: &str,
        words: &[&'static str],
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let word = self.text(name)?;
        let found = read(&word);
        if found.is_none() {
            let all = words.iter().copied();
            let help = nearest(&word, all.clone())
                .map(|near| format!("did you mean `{near}`?"))
                .or_else(|| {
                    let all: Vec<String> = all.map(|word| format!("`{word}`")).collect();
                    Some(format!("write one of {}", all.join(", ")))
                });
            let message = format!("`{name}` cannot be `{}`", plain(&word));
            self.wrong(name, message, help);
        }
        found
    }

    /// Ends: what was read, or everything that is wrong.
    pub(super) fn done<T>(self, read: T) -> Result<T, ConfigErrors> {
        if self.errors.is_empty() {
            Ok(read)
        } else {
            Err(ConfigErrors(self.errors))
        }
    }

    /// Ends, and hands over what is wrong.
    pub(super) fn errors(self) -> Vec<ConfigError> {
        self.errors
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
