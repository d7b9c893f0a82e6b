//! The error if there is no model to ask, with advice.

use crate::config::ConfigError;

/// Why there is no model to ask.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// None was chosen.
    #[error("no model is configured to ask")]
    Nothing,
    /// A file of settings cannot be used.
    #[error(transparent)]
    File(#[from] ConfigError),
    /// An address is missing, and so is the protocol that would tell it.
    #[error("the settings name neither a provider nor the address of a server")]
    NoProvider,
    /// The model has no name.
    #[error("the settings name no model")]
    NoModel,
    /// The protocol is none of ours.
    #[error("no provider is called `{0}`")]
    UnknownProvider(String),
    /// The address is none.
    #[error("`{0}` is no address of a server: {1}")]
    BadBase(String, &'static str),
    /// The key would travel in clear text.
    #[error("the key would go to `{0}` in clear text")]
    ClearText(String),
    /// The variable of the key is not set.
    #[error("the variable `{0}` holds no key")]
    NoKey(String),
    /// What the variable holds cannot be a key.
    #[error("what the variable `{0}` holds cannot be a key")]
    BadKey(String),
}

impl SettingsError {
    /// Returns what to do about it.
    ///
    /// ```
    /// use anyhook_engine::models::SettingsError;
    /// let help = SettingsError::NoKey("ANYHOOK_MODEL_KEY".into()).help();
    /// assert!(help.contains("environment"), "{help}");
    /// ```
    pub fn help(&self) -> &'static str {
        match self {
            Self::Nothing => {
                "set `provider` and `model` under `[model]` in ~/.config/anyhook/config.toml, or ANYHOOK_MODEL and \
                 ANYHOOK_MODEL_BASE_URL in the environment of the agent (docs/prompts.md)"
            }
            Self::File(_) => {
                "correct the file: the fields are `provider`, `base-url`, `model` and `key-env`; a key never stands in a file"
            }
            Self::NoProvider => {
                "set `provider` to `anthropic` or `openai`, or `base-url` to the address of a server"
            }
            Self::NoModel => {
                "set `model`, or ANYHOOK_MODEL, to the name that the server has for it"
            }
            Self::UnknownProvider(_) => "the providers are `anthropic` and `openai`",
            Self::BadBase(..) => "such as https://api.openai.com/v1 or http://localhost:11434/v1",
            Self::ClearText(_) => "use https; only a server on this machine may be reached without",
            Self::NoKey(_) | Self::BadKey(_) => {
                "put the key into this variable in the environment of the agent, or name another one with `key-env`"
            }
        }
    }

    /// Returns what is wrong with its cause and what to do about it, in one line.
    pub(crate) fn told(&self) -> String {
        format!("{}; {}", crate::files::with_causes(self), self.help())
    }
}
