//! The lock file of a folder of packages: where each package came from, and what was in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhook_engine::files::{self, Durability};
use serde::{Deserialize, Serialize};

use super::PackageError;

/// The name of the lock file, in the folder of packages.
pub const LOCK_FILE: &str = "anyhook.lock";

/// The lock file of a folder of packages. It is the same text for the same packages, so that people commit it.
///
/// ```
/// use anyhook_care::packages::{LockedPackage, PackageLock};
///
/// let place = tempfile::tempdir()?;
/// let mut lock = PackageLock::open(place.path())?;
/// assert!(lock.packages.is_empty());
/// let locked = LockedPackage { source: "../guards".into(), revision: None, key: None, digest: "0".repeat(64) };
/// lock.packages.insert("guards".into(), locked);
/// lock.save(place.path())?;
/// assert_eq!(PackageLock::open(place.path())?, lock);
///
/// // One that was spoiled is not taken as none.
/// std::fs::write(place.path().join("anyhook.lock"), "{}")?;
/// assert!(PackageLock::open(place.path()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageLock {
    /// The version of the format: 1.
    pub version: u32,
    /// The packages, by their names.
    pub packages: BTreeMap<String, LockedPackage>,
}

/// What is known of one package.
///
/// ```
/// use anyhook_care::packages::LockedPackage;
/// let locked = LockedPackage { source: "anyhook:guardrails".into(), revision: Some("0.1.0".into()), key: None, digest: "0".repeat(64) };
/// assert!(locked.source.starts_with("anyhook:"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedPackage {
    /// Where it came from: a folder, counted from the folder of packages, a repository, or `anyhook:NAME`.
    pub source: String,
    /// The commit of a repository, or the version of the program that brought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The key of minisign that it has to be signed with, where a person named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The SHA-256 of its files.
    pub digest: String,
}

impl PackageLock {
    /// Reads the lock file of a folder of packages; where there is none it is empty.
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let file = folder.join(LOCK_FILE);
        let spoiled = |why: String| {
            let what = format!("`{}` cannot be understood: {why}", file.display());
            PackageError::new(what).help("bring it back as it was, from your repository or a copy")
        };
        match file.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(spoiled(error.to_string())),
            Ok(_) => {}
        }
        let bytes = files::read_document(&file).map_err(&spoiled)?;
        let lock: Self =
            serde_json::from_slice(&bytes).map_err(|error| spoiled(error.to_string()))?;
        if lock.version != 1 {
            return Err(spoiled(format!("it is of version {}", lock.version)));
        }
        match lock.packages.keys().find(|name| !super::is_name(name)) {
            Some(name) => Err(spoiled(format!("`{}` is no name", name.escape_debug()))),
            None => Ok(lock),
        }
    }

    /// Writes the lock file, whole or not at all; without packages there is none.
    pub fn save(&self, folder: &Path) -> Result<(), PackageError> {
        let file = folder.join(LOCK_FILE);
        let cannot = |why: String| {
            PackageError::new(format!("`{}` cannot be written: {why}", file.display()))
        };
        if self.packages.is_empty() {
            return match fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot(error.to_string())),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        let written = files::replace(&file, text.as_bytes(), Durability::Yes);
        written.map_err(|error| cannot(files::with_causes(&error)))?;
        // People commit it, and others read it.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        fs::set_permissions(&file, mode).map_err(|error| cannot(error.to_string()))
    }
}

impl Default for PackageLock {
    fn default() -> Self {
        Self {
            version: 1,
            packages: BTreeMap::new(),
        }
    }
}
