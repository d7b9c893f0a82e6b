//! The error if there is no model to ask, with advice.

use crate::config::ConfigError;

/// What helps where there is no key.
const KEY: &str = "put the key into this variable in the environment of the agent, or name another one with `key-env`";

/// Why there is no model to ask, and what to do about it.
///
/// ```
/// use anyhook_engine::models::SettingsError;
/// let error = SettingsError::NoKey("ANYHOOK_MODEL_KEY".into());
/// assert!(error.to_string().starts_with("the variable `ANYHOOK_MODEL_KEY` holds no key; put the key into"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// None was chosen.
    #[error(
        "no model is configured to ask; set `provider` and `model` under `[model]` in ~/.config/anyhook/config.toml, or \
         ANYHOOK_MODEL and ANYHOOK_MODEL_BASE_URL in the environment of the agent (docs/prompts.md)"
    )]
    Nothing,
    /// A file of settings cannot be used.
    #[error(
        "{0}; correct the file: the fields are `provider`, `base-url`, `model` and `key-env`; a key never stands in a file"
    )]
    File(ConfigError),
    /// An address is missing, and so is the protocol that would tell it.
    #[error(
        "the settings name neither a provider nor the address of a server; set `provider` to `anthropic` or `openai`, or \
         `base-url` to the address of a server"
    )]
    NoProvider,
    /// The model has no name.
    #[error(
        "the settings name no model; set `model`, or ANYHOOK_MODEL, to the name that the server has for it"
    )]
    NoModel,
    /// The protocol is none of ours.
    #[error("no provider is called `{0}`; the providers are `anthropic` and `openai`")]
    UnknownProvider(String),
    /// The address is none.
    #[error(
        "`{0}` is no address of a server: {1}; such as https://api.openai.com/v1 or http://localhost:11434/v1"
    )]
    BadBase(String, &'static str),
    /// The key would travel in clear text.
    #[error(
        "the key would go to `{0}` in clear text; use https; only a server on this machine may be reached without"
    )]
    ClearText(String),
    /// The variable of the key is not set.
    #[error("the variable `{0}` holds no key; {KEY}")]
    NoKey(String),
    /// What the variable holds cannot be a key.
    #[error("what the variable `{0}` holds cannot be a key; {KEY}")]
    BadKey(String),
}

impl From<ConfigError> for SettingsError {
    fn from(error: ConfigError) -> Self {
        Self::File(error)
    }
}
