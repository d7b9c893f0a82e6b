//! The lock file beside a plan: the pinned commit of each repository, and the digest of its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook_engine::files::{self, Durability};
use anyhook_engine::world::World;
use serde::{Deserialize, Serialize};

use super::fetch::{self, LocalCommit};
use super::module::{MountError, MountErrorKind};
use super::source::GitSource;

/// The name of the lock file.
const NAME: &str = "anyhook.lock";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    /// The version of the format: 1.
    version: u32,
    /// What each repository is pinned to, by its source without the folder.
    #[serde(default)]
    modules: BTreeMap<String, PinnedCommit>,
}

/// What a repository is pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedCommit {
    /// The commit, in hexadecimal.
    pub commit: String,
    /// The SHA-256 of all its files, so that what is kept on the disk is known to be that commit.
    pub digest: String,
}

impl PinnedCommit {
    fn is_well(&self) -> bool {
        is_hex(&self.commit, &[40, 64]) && is_hex(&self.digest, &[64])
    }
}

/// Tells whether a text is a number in hexadecimal digits, of one of these lengths.
pub(super) fn is_hex(text: &str, lengths: &[usize]) -> bool {
    lengths.contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// The lock file of a folder, opened when the first repository is looked for.
pub(super) struct LockFile {
    pub(super) folder: PathBuf,
    pins: Option<Pins>,
    is_changed: bool,
}

fn failed(text: String) -> MountError {
    MountError::new(MountErrorKind::NotFetched, text)
}

impl LockFile {
    pub(super) fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            pins: None,
            is_changed: false,
        }
    }

    /// Returns a repository at the commit that it is pinned to; one that is not pinned yet is pinned to what it is now.
    pub(super) fn fetch(
        &mut self,
        git: &GitSource,
        world: &World,
    ) -> Result<LocalCommit, MountError> {
        let pins = match self.pins.take() {
            Some(pins) => pins,
            None => open(&self.folder.join(NAME)).map_err(failed)?,
        };
        let pins = self.pins.insert(pins);
        let name = git.pin();
        let pinned = pins.modules.get(&name).cloned();
        let cache = fetch::cache(world)
            .ok_or_else(|| failed("there is no home folder to keep it in".into()))?;
        let kept = |pinned| fetch::kept(git, pinned, &cache);
        if let Some(kept) = pinned.as_ref().and_then(kept) {
            return Ok(kept);
        }
        let fetched = fetch::fetch(git, pinned.as_ref(), &cache, world).map_err(failed)?;
        if pinned.as_ref() != Some(&fetched.pinned) {
            pins.modules.insert(name, fetched.pinned.clone());
            self.is_changed = true;
        }
        Ok(fetched)
    }

    /// Writes the file, whole or not at all, if something was pinned.
    pub(super) fn save(&self) -> Result<(), MountError> {
        let Some(pins) = self.pins.as_ref().filter(|_| self.is_changed) else {
            return Ok(());
        };
        let mut text = serde_json::to_string_pretty(pins).unwrap_or_default();
        text.push('\n');
        files::replace(&self.folder.join(NAME), text.as_bytes(), Durability::No)
            .map_err(|error| failed(files::with_causes(&error)))
    }
}

/// Reads a lock file. One that cannot be used is never taken as none: that would let who spoiled it move every module.
fn open(file: &Path) -> Result<Pins, String> {
    if file
        .symlink_metadata()
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Ok(Pins {
            version: 1,
            modules: BTreeMap::new(),
        });
    }
    let spoiled = |why: String| format!("`{}` cannot be understood: {why}", file.display());
    let bytes = files::read_document(file).map_err(spoiled)?;
    let pins: Pins = serde_json::from_slice(&bytes).map_err(|error| spoiled(error.to_string()))?;
    let mut all = pins.modules.iter();
    match all.find(|(_, pinned)| !pinned.is_well()) {
        _ if pins.version != 1 => Err(spoiled(format!(
            "version {} is not supported",
            pins.version
        ))),
        Some((source, _)) => Err(spoiled(format!("`{source}` is pinned to no commit"))),
        None => Ok(pins),
    }
}
