//! The lock file beside a plan: the pinned commit of each repository, and the digest of its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook_engine::files::{self, Durable};
use serde::{Deserialize, Serialize};

/// The name of the lock file.
pub const LOCK: &str = "anyhook.lock";

const LONGEST: u64 = 1024 * 1024;

/// The lock file of a folder of plans.
///
/// ```
/// use anyhook::mounts::{LOCK, Lock, LockError, Pinned};
///
/// let place = tempfile::tempdir()?;
/// let mut lock = Lock::open(place.path())?;
/// assert!(lock.modules.is_empty());
///
/// let pinned = Pinned { commit: "4".repeat(40), digest: "0".repeat(64) };
/// lock.modules.insert("git+https://example.com/hooks@v2".into(), pinned);
/// lock.save(place.path())?;
/// assert_eq!(Lock::open(place.path())?, lock);
///
/// // One that was spoiled is not taken as none.
/// std::fs::write(place.path().join(LOCK), "{}")?;
/// assert!(matches!(Lock::open(place.path()), Err(LockError::Spoiled { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of the format: 1.
    pub version: u32,
    /// What each repository is pinned to, by its source without the folder.
    #[serde(default)]
    pub modules: BTreeMap<String, Pinned>,
}

/// What a repository is pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pinned {
    /// The commit, in hexadecimal.
    pub commit: String,
    /// The SHA-256 of all its files, so that what is kept on the disk is known to be that commit.
    pub digest: String,
}

impl Pinned {
    fn is_well(&self) -> bool {
        let hex = |text: &str, lengths: &[usize]| {
            lengths.contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit())
        };
        hex(&self.commit, &[40, 64]) && hex(&self.digest, &[64])
    }
}

/// A lock file that cannot be used. It is never taken as none: that would let the one who spoiled it move every module.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It is no lock file of ours.
    #[error("`{}` cannot be understood: {why}", file.display())]
    Spoiled {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It could not be read.
    #[error("`{}` cannot be read", file.display())]
    Unread {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It could not be written.
    #[error("the lock file cannot be written")]
    Unwritten(#[from] files::FileError),
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            version: 1,
            modules: BTreeMap::new(),
        }
    }
}

impl Lock {
    /// Reads the lock file of a folder; where there is none it is empty.
    pub fn open(folder: &Path) -> Result<Self, LockError> {
        let file = folder.join(LOCK);
        let spoiled = |why: String| LockError::Spoiled {
            file: file.clone(),
            why,
        };
        match file.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(source) => return Err(LockError::Unread { file, source }),
            Ok(meta) if meta.len() > LONGEST => return Err(spoiled("it is too long".into())),
            Ok(_) => {}
        }
        let bytes = anyhook_engine::files::read_document(&file).map_err(&spoiled)?;
        let lock: Self =
            serde_json::from_slice(&bytes).map_err(|error| spoiled(error.to_string()))?;
        if lock.version != 1 {
            return Err(spoiled(format!(
                "version {} is not supported",
                lock.version
            )));
        }
        match lock.modules.iter().find(|(_, pinned)| !pinned.is_well()) {
            Some((source, _)) => Err(spoiled(format!("`{source}` is pinned to no commit"))),
            None => Ok(lock),
        }
    }

    /// Writes the lock file of a folder, whole or not at all.
    pub fn save(&self, folder: &Path) -> Result<(), LockError> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        files::replace(&folder.join(LOCK), text.as_bytes(), Durable::No)?;
        Ok(())
    }
}
