//! What one event finds out from the disk, kept for the next events.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tempfile::NamedTempFile;

use crate::files;
use crate::load::Manifests;
use crate::search::Search;
use crate::world::World;

/// What one event finds out about the machine that holds for the next ones: which programs `PATH` leads to, what the
/// texts of manifests mean, where the folders of projects lead, and that the folder of payloads is ours and swept.
///
/// A program that answers many events keeps one for all that happen in the same world; a process for one event needs none.
///
/// ```
/// use anyhook_engine::event::Cache;
/// use std::ffi::OsStr;
/// use std::path::Path;
///
/// let cache = Cache::default();
/// let found = cache.search().program(OsStr::new("sh"), OsStr::new("/usr/bin:/bin"), Path::new("/"));
/// assert!(found.is_some());
/// ```
#[derive(Debug, Default)]
pub struct Cache {
    search: Arc<Search>,
    manifests: Arc<Manifests>,
    swept: OnceLock<()>,
    real: Mutex<BTreeMap<PathBuf, PathBuf>>,
}

impl Cache {
    /// Makes the cache of another event, which knows what this one knows of texts: what stands on the disk is looked at again.
    pub fn of_texts(&self) -> Arc<Self> {
        Arc::new(Self {
            manifests: Arc::clone(&self.manifests),
            ..Self::default()
        })
    }

    /// Returns where programs are looked for, and where they were found.
    pub fn search(&self) -> &Arc<Search> {
        &self.search
    }

    pub(super) fn manifests(&self) -> &Manifests {
        &self.manifests
    }

    /// Returns the folder that a name leads to, if it leads to one.
    pub(super) fn real(&self, folder: &Path) -> Option<PathBuf> {
        // Nothing under this lock can panic halfway through a change.
        let mut real = self.real.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = real.get(folder) {
            return Some(known.clone());
        }
        let found = folder.canonicalize().ok()?;
        real.insert(folder.to_owned(), found.clone());
        Some(found)
    }

    /// Makes a file for a payload in a folder that only we may enter.
    pub(super) fn payload_file(
        &self,
        world: &World,
        folder: &Path,
        prefix: &str,
    ) -> Option<NamedTempFile> {
        let file = || tempfile::Builder::new().prefix(prefix).tempfile_in(folder);
        if self.swept.get().is_some()
            && let Ok(file) = file()
        {
            return Some(file);
        }
        files::private_dir(folder).ok()?;
        world.sweep_payloads();
        self.swept.get_or_init(|| ());
        file().ok()
    }
}
