//! Reading the settings of a module: everything that is wrong with them at once.

use anyhook_core::event::Map;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text::plain;

/// Everything that is wrong with the settings of a module.
///
/// ```
/// use anyhook_engine::modules::ConfigErrors;
///
/// let errors = ConfigErrors(vec!["`a` must be a text".into(), "`b` must be a list".into()]);
/// assert_eq!(errors.to_string(), "`a` must be a text; `b` must be a list");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct ConfigErrors(pub Vec<String>);

/// Reads settings, each by itself: so everything that is wrong is told at once. `null` is none.
///
/// A setting that no module reads is an error, because a misspelled guard guards nothing.
pub(super) fn read<T: DeserializeOwned>(config: &Map) -> Result<T, ConfigErrors> {
    let of = |settings: Map| serde_json::from_value::<T>(Value::Object(settings));
    let given = config.iter().filter(|(_, value)| !value.is_null());
    let mut given = given.map(|(name, value)| (name.clone(), value.clone()));
    let wrong = |(name, value): (String, Value)| {
        let error = of(Map::from_iter([(name.clone(), value)])).err()?;
        let why = plain(&error.to_string());
        Some(format!("`{name}` cannot be read: {why}"))
    };
    let errors: Vec<String> = given.clone().filter_map(wrong).collect();
    if errors.is_empty() {
        let all = of(given.by_ref().collect());
        return all.map_err(|error| ConfigErrors(vec![error.to_string()]));
    }
    Err(ConfigErrors(errors))
}

/// A text of settings that says something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct PatternText(pub(super) String);

impl TryFrom<String> for PatternText {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.trim() {
            "" => Err("a pattern is empty"),
            _ => Ok(Self(text)),
        }
    }
}
