//! What one event finds out from the disk, kept for the next events.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use tempfile::NamedTempFile;

use crate::files;
use crate::load::Manifests;
use crate::world::World;

/// What one event finds out that holds for the next ones: what the texts of manifests mean, and that the folder of payloads is
/// ours and swept.
///
/// A program that answers many events keeps one for all that happen in the same world; a process for one event needs none.
#[derive(Debug, Default)]
pub struct Cache {
    manifests: Arc<Manifests>,
    swept: OnceLock<()>,
}

impl Cache {
    /// Makes the cache of another event, which knows what this one knows of texts: what stands on the disk is looked at again.
    pub fn of_texts(&self) -> Arc<Self> {
        Arc::new(Self {
            manifests: Arc::clone(&self.manifests),
            ..Self::default()
        })
    }

    pub(super) fn manifests(&self) -> &Manifests {
        &self.manifests
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
