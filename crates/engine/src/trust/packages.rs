//! Which packages of a folder were trusted, also where they are gone: a guard must not end by being deleted.
//!
//! Pins are named by the hash of a path, so that a folder of packages alone does not tell which of them had pins. This
//! keeps the names beside the pins, one list for each folder of packages.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use super::{LONGEST_PIN, Trust, TrustError};
use crate::files::{self, Durable};
use crate::layers::packages_of;

/// What becomes of a name in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    Add,
    Remove,
}

impl Trust {
    /// Returns the manifests of packages in this folder that are pinned, whatever stands at their places now.
    ///
    /// ```
    /// use std::fs;
    ///
    /// use anyhook_engine::trust::Trust;
    ///
    /// let place = tempfile::tempdir()?;
    /// let root = place.path().canonicalize()?;
    /// let packages = root.join(".agent-packages");
    /// let manifest = packages.join("style/hooks/hooks.json");
    /// fs::create_dir_all(packages.join("style/hooks"))?;
    /// fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
    /// let trust = Trust::new(root.join("pins"));
    /// trust.pin(&manifest, 0)?;
    /// fs::remove_dir_all(&packages)?;
    /// assert_eq!(trust.packages(&packages), [manifest]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn packages(&self, folder: &Path) -> Vec<PathBuf> {
        self.packages_among(folder, &self.recorded_names().unwrap_or_default())
    }

    /// Returns them where the record was read before.
    pub(super) fn packages_among(
        &self,
        folder: &Path,
        recorded: &BTreeSet<String>,
    ) -> Vec<PathBuf> {
        let list = files::read(&self.path(folder, "packages"), LONGEST_PIN);
        // A list that cannot be read leaves the packages that are there, each of which is judged by its own pin.
        let list = list.ok().flatten().unwrap_or_default();
        let names: Vec<Vec<u8>> = serde_json::from_slice(&list).unwrap_or_default();
        let listed = names.into_iter().map(OsString::from_vec);
        let mut all: Vec<PathBuf> = listed.map(PathBuf::from).collect();
        // Where the list is gone with the state, the record still has them.
        let recorded = recorded.iter().map(Path::new);
        let recorded = recorded.filter(|manifest| packages_of(manifest) == Some(folder));
        all.extend(recorded.map(Path::to_owned));
        all.sort();
        all.dedup();
        all
    }

    /// Keeps the list of the folder that a manifest of a package stands in.
    pub(super) fn list_package(&self, manifest: &Path, what: Listing) -> Result<(), TrustError> {
        let Some(folder) = packages_of(manifest) else {
            return Ok(());
        };
        let mut all = self.packages(folder);
        all.retain(|other| other != manifest);
        if what == Listing::Add {
            all.push(manifest.to_owned());
        }
        all.sort();
        let names = all.into_iter().map(|file| file.into_os_string().into_vec());
        let list = serde_json::to_vec(&names.collect::<Vec<_>>())?;
        files::replace(&self.path(folder, "packages"), &list, Durable::Yes)?;
        Ok(())
    }
}
