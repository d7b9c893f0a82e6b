//! What the administrator and the person configured: the tables of `config.toml`, read once for all that an event needs.
//!
//! Each table is taken as a whole from the administrator's file where that has it, else from the person's own. A table with a
//! mistake in it is an error with its place, and every other table holds.
//!
//! ```
//! use anyhook_engine::config::Config;
//!
//! let place = tempfile::tempdir()?;
//! let user = place.path().join("config.toml");
//! std::fs::write(&user, "[session]\nstrict = 1\n\n[http]\nhosts = [\"*.example.com\"]\n")?;
//! let config = Config::read([None, Some(user)]);
//! let wrong = config.session.unwrap_err().to_string();
//! assert!(wrong.ends_with("config.toml:2:10`: `session.strict` must be a boolean"), "{wrong}");
//! assert!(config.http?.allows("hooks.example.com"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod listed;
mod tables;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::de::{DeserializeOwned, IntoDeserializer as _};
use toml_edit::Document;

pub use error::ConfigError;
pub use listed::{ListedSetting, SettingSource, listed};
pub use tables::{
    AnswerSettings, ExportSettings, FleetSettings, HttpSettings, NotifySettings, RecordSettings,
    UndoSettings,
};

pub(crate) use tables::ModelTable;
use tables::{AuditTable, SessionTable};

use crate::files::{is_nowhere, read_document};
use crate::limits::InjectionLimits;
use crate::policy;
use crate::world::World;

/// A table, or what is wrong in it.
pub type ConfigResult<T> = Result<T, ConfigError>;

/// The names of the tables.
const TABLES: [&str; 10] = [
    "approve", "audit", "export", "fleet", "http", "model", "notify", "record", "session", "undo",
];

/// What is configured for this machine and person.
#[derive(Debug, Clone)]
pub struct Config {
    /// `[session]`: how much hooks may say to the model.
    pub session: ConfigResult<InjectionLimits>,
    /// `[record]` and `[audit]`: what is kept of each event.
    pub record: ConfigResult<RecordSettings>,
    /// `[approve]`: what an answer of a person takes.
    pub approve: ConfigResult<AnswerSettings>,
    /// `[notify]`: what tells a person of a question.
    pub notify: ConfigResult<NotifySettings>,
    /// `[http]`: which servers hooks may ask.
    pub http: ConfigResult<HttpSettings>,
    /// `[undo]`: how much a snapshot may take.
    pub undo: ConfigResult<UndoSettings>,
    /// `[export]`: who gets every record.
    pub export: ConfigResult<ExportSettings>,
    /// `[fleet]`: the server of a fleet.
    pub fleet: ConfigResult<FleetSettings>,
    /// `[model]` of the administrator and of the person, each with its file.
    pub(crate) model: [ConfigResult<Option<(ModelTable, PathBuf)>>; 2],
    /// Tables that nothing reads.
    unknown: Vec<ConfigError>,
}

impl Config {
    /// Reads what is configured for this machine and person.
    pub fn of(world: &World) -> Self {
        Self::read(Self::files(world))
    }

    /// The file of the administrator and the person's own.
    fn files(world: &World) -> [Option<PathBuf>; 2] {
        let name = "config.toml";
        let policy = policy::folder(&world.managed).map(|folder| folder.join(name));
        let policy = policy.filter(|file| file.symlink_metadata().is_ok());
        let managed = policy.unwrap_or_else(|| world.managed.join(name));
        let user = world.places.as_ref().map(|at| at.config.join(name));
        [Some(managed), user]
    }

    /// Reads what is configured in the file of the administrator and in the person's own, each of which may be missing.
    pub fn read(files: [Option<PathBuf>; 2]) -> Self {
        let both = ConfigLayers(files.map(ConfigDocument::open));
        let [managed, user] = &both.0;
        let session = both.table::<SessionTable>("session");
        let audit = both.table::<AuditTable>("audit");
        let record = both.table::<RecordSettings>("record");
        let approve = |file: &ConfigDocument| {
            Ok(file.table::<AnswerSettings>("approve")?.unwrap_or_default())
        };
        Self {
            session: session.map(|session| session.0),
            record: audit.and_then(|AuditTable { required }| {
                Ok(RecordSettings {
                    required,
                    ..record?
                })
            }),
            approve: approve(managed).and_then(|managed| Ok(managed.or(approve(user)?))),
            notify: both.table("notify"),
            http: both.table("http"),
            undo: both.table("undo"),
            export: both.table("export"),
            fleet: both.table("fleet"),
            model: [managed, user].map(|file| {
                let table = file.table("model")?;
                Ok(table.zip(file.path.clone()))
            }),
            unknown: both.0.iter().flat_map(ConfigDocument::unknown).collect(),
        }
    }

    /// Returns what is wrong in the files, each mistake once.
    ///
    /// ```
    /// use anyhook_engine::config::Config;
    /// assert_eq!(Config::read([None, None]).mistakes().len(), 0);
    /// ```
    pub fn mistakes(&self) -> Vec<ConfigError> {
        let mut told: Vec<ConfigError> = Vec::new();
        let all = self.tables().into_iter().filter_map(|(_, mistake)| mistake);
        for mistake in all.chain(&self.unknown) {
            if !told.contains(mistake) {
                told.push(mistake.clone());
            }
        }
        told
    }

    /// Every table, with what is wrong in it.
    fn tables(&self) -> [(&'static str, Option<&ConfigError>); 11] {
        let [managed, user] = &self.model;
        [
            ("session", self.session.as_ref().err()),
            ("record", self.record.as_ref().err()),
            ("audit", self.record.as_ref().err()),
            ("approve", self.approve.as_ref().err()),
            ("notify", self.notify.as_ref().err()),
            ("http", self.http.as_ref().err()),
            ("undo", self.undo.as_ref().err()),
            ("export", self.export.as_ref().err()),
            ("fleet", self.fleet.as_ref().err()),
            ("model", managed.as_ref().err()),
            ("model", user.as_ref().err()),
        ]
    }

    fn is_wrong(&self, table: &str) -> bool {
        let is_it = |(name, mistake): &(&str, Option<_>)| *name == table && mistake.is_some();
        self.tables().iter().any(is_it)
    }
}

/// What is configured, read when it is first asked for. A clone reads it anew, so that a program that lives on sees what a
/// person changed.
#[derive(Debug, Default)]
pub struct LazyConfig(OnceLock<Arc<Config>>);

impl Clone for LazyConfig {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl LazyConfig {
    pub(crate) fn get(&self, world: &World) -> &Config {
        self.0.get_or_init(|| Arc::new(Config::of(world)))
    }
}

/// One file, parsed.
struct ConfigDocument {
    path: Option<PathBuf>,
    document: ConfigResult<Document<String>>,
}

impl ConfigDocument {
    fn open(path: Option<PathBuf>) -> Self {
        let path = path.filter(|file| !is_nowhere(file));
        let document = path.as_deref().map_or_else(|| Ok(String::new()), text);
        let document = document.and_then(|text| {
            Document::parse(text.clone()).map_err(|error| {
                let place = path.as_deref().unwrap_or(Path::new(""));
                ConfigError::wrong(place, &text, error.span(), error.message())
            })
        });
        Self { path, document }
    }

    /// Reads a table; nothing where the file does not have it.
    fn table<T: DeserializeOwned>(&self, name: &str) -> ConfigResult<Option<T>> {
        let document = self.document.as_ref().map_err(Clone::clone)?;
        let Some(item) = document.get(name) else {
            return Ok(None);
        };
        let wrong = |span, what: &str| self.wrong(document, span, what);
        if !item.is_table_like() {
            return Err(wrong(item.span(), &format!("`{name}` must be a table")));
        }
        let value = item.clone().into_value().unwrap_or_else(|_| false.into());
        T::deserialize(value.into_deserializer())
            .map(Some)
            .map_err(|error| {
                let span = error.span().or(item.span());
                wrong(
                    span.clone(),
                    &error::said(name, item, span.as_ref(), error.message()),
                )
            })
    }

    fn wrong(
        &self,
        document: &Document<String>,
        span: Option<std::ops::Range<usize>>,
        what: &str,
    ) -> ConfigError {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        ConfigError::wrong(path, document.raw(), span, what)
    }

    fn unknown(&self) -> Vec<ConfigError> {
        let Ok(document) = &self.document else {
            return Vec::new();
        };
        let names = document.iter().map(|(name, _)| name);
        let unknown = names.filter(|name| !TABLES.contains(name));
        unknown
            .map(|name| {
                let at = document.key(name).and_then(toml_edit::Key::span);
                self.wrong(document, at, &error::unknown("table", name, &TABLES))
            })
            .collect()
    }
}

fn text(file: &Path) -> ConfigResult<String> {
    let bytes = read_document(file)
        .map_err(|why| ConfigError(format!("`{}` cannot be read: {why}", file.display())))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The administrator's file before the person's own.
struct ConfigLayers([ConfigDocument; 2]);

impl ConfigLayers {
    /// Reads a table of the first file that has it.
    fn table<T: DeserializeOwned + Default>(&self, name: &str) -> ConfigResult<T> {
        for file in &self.0 {
            if let Some(table) = file.table(name)? {
                return Ok(table);
            }
        }
        Ok(T::default())
    }
}
