//! The record of what we wrote and what was there before: kept in the state folder, one record per file.

use std::path::{Path, PathBuf};

use anyhook_engine::files::{self, Durability, FileError};
use anyhook_wires::settings::Scope;
use serde::{Deserialize, Serialize};

use super::rows::SettingRow;
use super::{InstallError, Installer, Original, PlannedChange};

/// Longer than any record, and than any file that we edit.
const LONGEST: u64 = 8 * 1024 * 1024;

/// A file that we wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    /// The form of this record.
    version: u32,
    /// The host whose file it is.
    pub host: String,
    /// Whose agents it configures.
    scope: String,
    /// The file as the host's table names it.
    pub(super) named: String,
    /// The file: behind all symbolic links.
    pub path: PathBuf,
    /// What was there before us; nothing where there was no file.
    pub(super) before: Option<FileBackup>,
    /// The SHA-256 of what we wrote last, and of what we had written before that: a crash may leave either.
    after: Vec<String>,
    /// The folders that we made, the innermost first.
    pub(super) folders: Vec<PathBuf>,
    /// What we put into the host's own sandbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rows: Vec<SettingRow>,
    /// The hooks of the file that were taken over to us, as settings of its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) taken: Option<String>,
}

/// A copy of a file, which is called after its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileBackup {
    sha256: String,
}

/// What was there before us.
#[derive(Debug)]
pub(super) enum PreviousContent {
    /// These bytes, or no file.
    Known(Option<Vec<u8>>),
    /// Something of which the copy is gone, or is not what it was.
    Lost,
}

impl InstallRecord {
    /// Returns the scope; nothing where it is one of a later version.
    pub fn scope(&self) -> Option<Scope> {
        Scope::named(&self.scope)
    }

    /// Tells whether these bytes are what we wrote.
    pub(super) fn wrote(&self, bytes: &[u8]) -> bool {
        self.after.contains(&files::digest(bytes))
    }
}

impl Installer<'_> {
    /// Returns every record. One that cannot be read is none: what it was about is then taken out entry by entry.
    pub fn records(&self) -> Result<Vec<InstallRecord>, InstallError> {
        let folder = self.folder()?;
        let names = match std::fs::read_dir(&folder) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()),
            Err(_) => return Ok(Vec::new()),
        };
        let mut records: Vec<InstallRecord> = names
            .filter(|path| path.extension().is_some_and(|ext| ext == "json"))
            .filter_map(|path| read(&path))
            .collect();
        records.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(records)
    }

    pub(super) fn record(&self, path: &Path) -> Result<Option<InstallRecord>, InstallError> {
        Ok(read(&self.place(path)?).filter(|record| record.path == path))
    }

    /// Returns what was there before us.
    pub(super) fn before(&self, record: &InstallRecord) -> PreviousContent {
        let Some(copied) = &record.before else {
            return PreviousContent::Known(None);
        };
        let bytes = self.backups().ok().and_then(|folder| {
            let path = folder.join(&copied.sha256);
            files::read(&path, LONGEST).ok().flatten()
        });
        match bytes.filter(|bytes| files::digest(bytes) == copied.sha256) {
            Some(bytes) => PreviousContent::Known(Some(bytes)),
            None => PreviousContent::Lost,
        }
    }

    /// Keeps a copy of bytes under the name of their content.
    pub(super) fn keep(&self, bytes: &[u8]) -> Result<FileBackup, InstallError> {
        let (folder, sha256) = (self.backups()?, files::digest(bytes));
        files::private_dir(&folder)?;
        files::replace(&folder.join(&sha256), bytes, Durability::Yes)?;
        Ok(FileBackup { sha256 })
    }

    /// Writes down what a change is about to write, with what was there before us.
    pub(super) fn write_record(
        &self,
        change: &PlannedChange,
        original: &Original,
    ) -> Result<(), InstallError> {
        let path = &change.path;
        let earlier = self.record(path)?;
        let before = original.content.as_deref();
        let before = before.map(|bytes| self.keep(bytes)).transpose()?;
        let now = change.before.as_deref().filter(|now| {
            let mut earlier = earlier.iter();
            earlier.any(|earlier| earlier.wrote(now))
        });
        let after = change.after.as_deref().unwrap_or_default();
        let after = std::iter::once(after).chain(now).map(files::digest);
        let rows = || earlier.as_ref().map(|earlier| earlier.rows.clone());
        let record = InstallRecord {
            version: 1,
            host: change.host.to_owned(),
            scope: change.scope.name().to_owned(),
            named: change.file.path.to_owned(),
            path: path.clone(),
            before,
            after: after.collect(),
            folders: original.folders.clone(),
            rows: change.rows.clone().or_else(rows).unwrap_or_default(),
            taken: original.taken.clone(),
        };
        files::private_dir(&self.folder()?)?;
        let place = self.place(path)?;
        let text = serde_json::to_vec_pretty(&record).map_err(|error| FileError::Io {
            doing: "write down",
            path: place.clone(),
            source: error.into(),
        })?;
        Ok(files::replace(&place, &text, Durability::Yes)?)
    }

    pub(super) fn folder(&self) -> Result<PathBuf, InstallError> {
        Ok(self.places()?.state.join("install"))
    }

    fn backups(&self) -> Result<PathBuf, InstallError> {
        Ok(self.places()?.state.join("backups"))
    }

    pub(super) fn place(&self, path: &Path) -> Result<PathBuf, InstallError> {
        let name = files::name_of(&[path.as_os_str().as_encoded_bytes()]);
        Ok(self.folder()?.join(format!("{name}.json")))
    }
}

fn read(path: &Path) -> Option<InstallRecord> {
    let bytes = files::read(path, LONGEST).ok().flatten()?;
    let record: InstallRecord = serde_json::from_slice(&bytes).ok()?;
    let is_name = |name: &str| name.bytes().all(|letter| letter.is_ascii_hexdigit());
    let is_sound = record.before.iter().all(|it| is_name(&it.sha256));
    (record.version == 1 && is_sound).then_some(record)
}
