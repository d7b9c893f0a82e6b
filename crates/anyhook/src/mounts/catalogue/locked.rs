//! The lock file while modules are found.

use std::path::PathBuf;

use anyhook_engine::files;
use anyhook_engine::world::World;

use crate::mounts::fetch::{self, Fetched};
use crate::mounts::lock::Lock;
use crate::mounts::module::{MountError, Reason};
use crate::mounts::source::Git;

/// What may become of the lock file.
///
/// ```
/// use anyhook::mounts::Locking;
/// assert_eq!(Locking::default(), Locking::Add);
/// assert_ne!(Locking::Frozen, Locking::Update);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Locking {
    /// What is not pinned yet is pinned.
    #[default]
    Add,
    /// What is not pinned is an error, and the file stays as it is.
    Frozen,
    /// Everything is looked up anew.
    Update,
}

/// The lock file of a folder, opened when the first repository is looked for.
pub(super) struct Locked {
    pub(super) folder: PathBuf,
    locking: Locking,
    lock: Option<Lock>,
    is_changed: bool,
}

impl Locked {
    pub(super) fn new(folder: PathBuf, locking: Locking) -> Self {
        Self {
            folder,
            locking,
            lock: None,
            is_changed: false,
        }
    }

    pub(super) fn fetch(&mut self, git: &Git, world: &World) -> Result<Fetched, MountError> {
        let failed = |text: String| MountError::new(Reason::NotFetched, text);
        if self.lock.is_none() {
            let lock = Lock::open(&self.folder);
            self.lock = Some(lock.map_err(|error| failed(files::with_causes(&error)))?);
        }
        let lock = self.lock.get_or_insert_default();
        let name = git.pin();
        let pinned = lock.modules.get(&name).cloned();
        let cache = fetch::cache(world)
            .ok_or_else(|| failed("there is no home folder to keep it in".into()))?;
        let pinned = match (pinned, self.locking) {
            (None, Locking::Frozen) => {
                let text = format!("`{name}` is not in the lock file");
                return Err(failed(text).help(
                    "mount it once, or run `anyhook list modules FILE`, and commit `anyhook.lock`",
                ));
            }
            (_, Locking::Update) => None,
            (pinned, Locking::Add | Locking::Frozen) => pinned,
        };
        if let Some(kept) = pinned
            .as_ref()
            .and_then(|pinned| fetch::kept(git, pinned, &cache))
        {
            return Ok(kept);
        }
        let fetched = fetch::fetch(git, pinned.as_ref(), &cache, world).map_err(failed)?;
        if lock.modules.get(&name) != Some(&fetched.pinned) {
            lock.modules.insert(name, fetched.pinned.clone());
            self.is_changed = true;
        }
        Ok(fetched)
    }

    pub(super) fn save(&self) -> Result<(), MountError> {
        match &self.lock {
            Some(lock) if self.is_changed => lock
                .save(&self.folder)
                .map_err(|error| MountError::new(Reason::NotFetched, files::with_causes(&error))),
            Some(_) | None => Ok(()),
        }
    }
}
