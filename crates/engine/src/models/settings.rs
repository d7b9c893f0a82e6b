//! Which model is asked, and which setting decides that.
//!
//! Settings are taken from one place as a whole: the managed file, else the environment, else the person's own file. They
//! are never mixed, so that an address from one place never gets the key of another.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use anyhook_core::manifest::{Action, Code, Finding, Manifest, Severity, TransportSecurity};

use super::providers::{self, ModelProtocol};
use crate::config::{Config, ConfigError, ModelTable};
use crate::text::plain;
use crate::world::World;
/// The variable that holds the key where the settings name no other. No hook ever gets it: it is one of ours.
///
/// ```
/// assert_eq!(anyhook_engine::models::KEY, "ANYHOOK_MODEL_KEY");
/// ```
pub const KEY: &str = "ANYHOOK_MODEL_KEY";

/// The variables that say what the fields of a file do, in the order `provider`, `base-url`, `model`; the environment need name
/// no variable of the key.
const VARIABLES: [&str; 3] = [
    "ANYHOOK_MODEL_PROVIDER",
    "ANYHOOK_MODEL_BASE_URL",
    "ANYHOOK_MODEL",
];

/// What helps where there is no key.
const KEY_HELP: &str = "put the key into this variable in the environment of the agent, or name another one with `key-env`";

/// Why there is no model to ask, and what to do about it, in a sentence.
///
/// ```
/// use anyhook_engine::models::ModelError;
/// let error = ModelError("the settings name no model".into());
/// assert_eq!(error.to_string(), "the settings name no model");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

impl From<ConfigError> for ModelError {
    fn from(error: ConfigError) -> Self {
        Self(format!(
            "{error}; correct the file: the fields are `provider`, `base-url`, `model` and `key-env`; a key never stands in a \
             file"
        ))
    }
}

impl From<&str> for ModelError {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

/// Whose choice it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsSource {
    /// That of the administrator.
    Managed(PathBuf),
    /// That of the person who started the agent.
    Environment,
    /// The person's own.
    User(PathBuf),
}

/// Which model is asked, and how.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// The protocol that its server speaks.
    pub provider: &'static ModelProtocol,
    /// The address that the protocol's path is appended to, without a slash at its end.
    pub base: String,
    /// The name of the model.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<ApiKey>,
    /// Whose choice it is.
    pub whose: SettingsSource,
}

/// A key, which no text ever shows.
///
/// ```
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::{ConfiguredModel, ApiKey};
/// use anyhook_engine::world::World;
///
/// let env = [
///     ("ANYHOOK_MODEL_PROVIDER".into(), "anthropic".into()),
///     ("ANYHOOK_MODEL".into(), "m".into()),
///     ("ANYHOOK_MODEL_KEY".into(), "sk-1".into()),
/// ];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let settings = ConfiguredModel::read(&Config::read([None, None]), &world).settings?;
/// let key: Option<ApiKey> = settings.key;
/// assert_eq!(format!("{key:?}"), "Some(ApiKey)");
/// # Ok::<(), anyhook_engine::models::ModelError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Reads the key out of its variable; nothing where that is not set.
    fn of(name: &str, world: &World) -> Result<Option<Self>, ModelError> {
        let Some(value) = world.var(name) else {
            return Ok(None);
        };
        // A line break at the end is what `$(cat key)` and some stores of secrets leave.
        let text = value.to_str().map(str::trim);
        match text {
            Some("") => Ok(None),
            Some(text) if text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Ok(Some(Self(text.to_owned())))
            }
            Some(_) | None => Err(ModelError(format!(
                "what the variable `{name}` holds cannot be a key; {KEY_HELP}"
            ))),
        }
    }

    /// Returns the key, for the one header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Takes the key out of a text of another program.
    pub(crate) fn erased_from(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

/// What is configured, and which variable is to be kept from hooks.
#[derive(Debug)]
pub struct ConfiguredModel {
    /// The settings, or why there are none.
    pub settings: Result<ModelSettings, ModelError>,
    /// The variable that holds the key.
    pub key_env: String,
}

impl ConfiguredModel {
    /// Reads what is configured in this world: in the files of this machine and person, or in the environment.
    ///
    /// ```
    /// use anyhook_engine::models::{ConfiguredModel, KEY, ModelError};
    /// use anyhook_engine::world::World;
    ///
    /// let env = [("ANYHOOK_MODEL_PROVIDER".into(), "anthropic".into())].into();
    /// let world = World { env, places: None, ..World::real() };
    /// let ConfiguredModel { settings, key_env } = ConfiguredModel::of(&world);
    /// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
    /// assert!(settings.is_err_and(|error| error.to_string().starts_with("the settings name no model; set")));
    /// assert_eq!(key_env, KEY);
    /// # }
    /// ```
    pub fn of(world: &World) -> Self {
        Self::read(world.config(), world)
    }

    /// Takes what is configured, or what stands in the environment of this world.
    pub fn read(config: &Config, world: &World) -> Self {
        let found = found(config, world);
        let key_env = found
            .as_ref()
            .ok()
            .and_then(|(table, _)| said(table.key_env.as_deref()));
        Self {
            key_env: key_env.unwrap_or_else(|| KEY.into()),
            settings: found.and_then(|(table, whose)| checked(&table, whose, world)),
        }
    }
}

/// What is told where no place names a model.
const NOTHING: &str = "no model is configured to ask; set `provider` and `model` under `[model]` in \
    ~/.config/anyhook/config.toml, or ANYHOOK_MODEL and ANYHOOK_MODEL_BASE_URL in the environment of the agent \
    (docs/prompts.md)";

/// Finds what stands in one place, unchecked.
fn found(config: &Config, world: &World) -> Result<(ModelTable, SettingsSource), ModelError> {
    let [managed, user] = config.model.clone();
    if let Some((table, file)) = managed? {
        return Ok((table, SettingsSource::Managed(file)));
    }
    let value = |name: &str| said(world.var(name).and_then(OsStr::to_str));
    let [provider, base_url, name] = VARIABLES.map(value);
    if provider.is_some() || base_url.is_some() || name.is_some() {
        let table = ModelTable {
            provider,
            base_url,
            name,
            key_env: None,
        };
        return Ok((table, SettingsSource::Environment));
    }
    let (table, file) = user?.ok_or(NOTHING)?;
    Ok((table, SettingsSource::User(file)))
}

fn checked(
    table: &ModelTable,
    whose: SettingsSource,
    world: &World,
) -> Result<ModelSettings, ModelError> {
    let base = said(table.base_url.as_deref());
    let provider = match said(table.provider.as_deref()) {
        Some(name) => providers::named(&name).ok_or_else(|| {
            ModelError(format!(
                "no provider is called `{name}`; the providers are `anthropic` and `openai`"
            ))
        })?,
        // A server of one's own speaks this protocol.
        None if base.is_some() => &providers::openai::ROW,
        None => {
            return Err(
                "the settings name neither a provider nor the address of a server; set `provider` to \
                 `anthropic` or `openai`, or `base-url` to the address of a server"
                    .into(),
            );
        }
    };
    let model = said(table.name.as_deref()).ok_or(
        "the settings name no model; set `model`, or ANYHOOK_MODEL, to the name that the server has for it",
    )?;
    let own = base.as_deref().map(|base| base.trim_end_matches('/'));
    let base = own.unwrap_or(provider.base).to_owned();
    let way = TransportSecurity::to(&base).map_err(|why| {
        ModelError(format!(
            "`{base}` is no address of a server: {why}; such as https://api.openai.com/v1 or http://localhost:11434/v1"
        ))
    })?;
    let name = said(table.key_env.as_deref()).unwrap_or_else(|| KEY.into());
    let key = ApiKey::of(&name, world)?;
    match (&key, way) {
        (None, _) if own.is_none() => {
            let why = format!("the variable `{name}` holds no key; {KEY_HELP}");
            return Err(ModelError(why));
        }
        (Some(_), TransportSecurity::Clear) => {
            return Err(ModelError(format!(
                "the key would go to `{base}` in clear text; use https; only a server on this machine may be reached without"
            )));
        }
        (
            Some(_) | None,
            TransportSecurity::Here | TransportSecurity::Clear | TransportSecurity::Sealed,
        ) => {}
    }
    Ok(ModelSettings {
        provider,
        base,
        model,
        key,
        whose,
    })
}

/// Returns a text without the blanks around it; an empty one says nothing.
fn said(text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Finds the hooks of a manifest that would ask a model where there is none to ask.
///
/// ```
/// use anyhook_engine::core::manifest::Manifest;
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::{ConfiguredModel, findings};
/// use anyhook_engine::world::World;
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///         {"type": "prompt", "prompt": "Are all tests green?"}
///     ]}]}}"#,
/// )?;
/// let world = World { env: [].into(), places: None, ..World::real() };
/// let nothing = ConfiguredModel::read(&Config::read([None, None]), &world);
/// let found = findings(&parsed.manifest, &nothing);
/// assert_eq!((found.len(), found[0].at.line), (1, 2));
/// assert!(found[0].message.starts_with("no model is configured to ask; set"));
/// # Ok::<(), anyhook_engine::core::manifest::Finding>(())
/// ```
pub fn findings(manifest: &Manifest, configured: &ConfiguredModel) -> Vec<Finding> {
    let Err(error) = &configured.settings else {
        return Vec::new();
    };
    let entries = manifest.groups.iter().flat_map(|group| &group.entries);
    let asking = entries.filter(|entry| matches!(entry.action, Action::Prompt(_)));
    asking
        .map(|entry| Finding {
            code: Code::BadValue,
            severity: Severity::Warning,
            message: plain(&error.to_string()),
            help: None,
            at: entry.at.clone(),
        })
        .collect()
}
