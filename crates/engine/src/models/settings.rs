//! Which model is asked, and which setting decides that.
//!
//! Settings are taken from one place as a whole: the managed file, else the environment, else the person's own file. They
//! are never mixed, so that an address from one place never gets the key of another.

mod error;

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use anyhook_core::manifest::{Action, Code, Finding, Manifest, Severity, Way};

use super::providers::{self, Provider};
use crate::config::{Config, Model};
use crate::text::plain;
use crate::world::World;
pub use error::SettingsError;

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

/// Whose choice it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// That of the administrator.
    Managed(PathBuf),
    /// That of the person who started the agent.
    Environment,
    /// The person's own.
    User(PathBuf),
}

/// Which model is asked, and how.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The protocol that its server speaks.
    pub provider: &'static Provider,
    /// The address that the protocol's path is appended to, without a slash at its end.
    pub base: String,
    /// The name of the model.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<Key>,
    /// Whose choice it is.
    pub whose: Whose,
}

/// A key, which no text ever shows.
///
/// ```
/// use anyhook_engine::config::Config;
/// use anyhook_engine::models::{Configured, Key};
/// use anyhook_engine::world::World;
///
/// let env = [
///     ("ANYHOOK_MODEL_PROVIDER".into(), "anthropic".into()),
///     ("ANYHOOK_MODEL".into(), "m".into()),
///     ("ANYHOOK_MODEL_KEY".into(), "sk-1".into()),
/// ];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let settings = Configured::read(&Config::read([None, None]), &world).settings?;
/// let key: Option<Key> = settings.key;
/// assert_eq!(format!("{key:?}"), "Some(Key)");
/// # Ok::<(), anyhook_engine::models::SettingsError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Reads the key out of its variable; nothing where that is not set.
    fn of(name: &str, world: &World) -> Result<Option<Self>, SettingsError> {
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
            Some(_) | None => Err(SettingsError::BadKey(name.to_owned())),
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

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// What is configured, and which variable is to be kept from hooks.
#[derive(Debug)]
pub struct Configured {
    /// The settings, or why there are none.
    pub settings: Result<Settings, SettingsError>,
    /// The variable that holds the key.
    pub key_env: String,
}

impl Configured {
    /// Reads what is configured in this world: in the files of this machine and person, or in the environment.
    ///
    /// ```
    /// use anyhook_engine::models::{Configured, KEY, SettingsError};
    /// use anyhook_engine::world::World;
    ///
    /// let env = [("ANYHOOK_MODEL_PROVIDER".into(), "anthropic".into())].into();
    /// let world = World { env, places: None, ..World::real() };
    /// let Configured { settings, key_env } = Configured::of(&world);
    /// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
    /// assert!(matches!(settings, Err(SettingsError::NoModel)));
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

/// Finds what stands in one place, unchecked.
fn found(config: &Config, world: &World) -> Result<(Model, Whose), SettingsError> {
    let [managed, user] = config.model.clone();
    if let Some((table, file)) = managed? {
        return Ok((table, Whose::Managed(file)));
    }
    let value = |name: &str| said(world.var(name).and_then(OsStr::to_str));
    let [provider, base_url, name] = VARIABLES.map(value);
    if provider.is_some() || base_url.is_some() || name.is_some() {
        let table = Model {
            provider,
            base_url,
            name,
            key_env: None,
        };
        return Ok((table, Whose::Environment));
    }
    let (table, file) = user?.ok_or(SettingsError::Nothing)?;
    Ok((table, Whose::User(file)))
}

fn checked(table: &Model, whose: Whose, world: &World) -> Result<Settings, SettingsError> {
    let base = said(table.base_url.as_deref());
    let provider = match said(table.provider.as_deref()) {
        Some(name) => providers::named(&name).ok_or(SettingsError::UnknownProvider(name))?,
        // A server of one's own speaks this protocol.
        None if base.is_some() => &providers::openai::ROW,
        None => return Err(SettingsError::NoProvider),
    };
    let model = said(table.name.as_deref()).ok_or(SettingsError::NoModel)?;
    let own = base.as_deref().map(|base| base.trim_end_matches('/'));
    let base = own.unwrap_or(provider.base).to_owned();
    let way = Way::to(&base).map_err(|why| SettingsError::BadBase(base.clone(), why))?;
    let name = said(table.key_env.as_deref()).unwrap_or_else(|| KEY.into());
    let key = Key::of(&name, world)?;
    match (&key, way) {
        (None, _) if own.is_none() => return Err(SettingsError::NoKey(name)),
        (Some(_), Way::Clear) => return Err(SettingsError::ClearText(base)),
        (Some(_) | None, Way::Here | Way::Clear | Way::Sealed) => {}
    }
    Ok(Settings {
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
/// use anyhook_engine::models::{Configured, findings};
/// use anyhook_engine::world::World;
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///         {"type": "prompt", "prompt": "Are all tests green?"}
///     ]}]}}"#,
/// )?;
/// let world = World { env: [].into(), places: None, ..World::real() };
/// let nothing = Configured::read(&Config::read([None, None]), &world);
/// let found = findings(&parsed.manifest, &nothing);
/// assert_eq!((found.len(), found[0].at.line), (1, 2));
/// assert!(found[0].message.starts_with("no model is configured to ask; set"));
/// # Ok::<(), anyhook_engine::core::manifest::Finding>(())
/// ```
pub fn findings(manifest: &Manifest, configured: &Configured) -> Vec<Finding> {
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
