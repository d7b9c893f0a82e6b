//! The file of pins: everything that a person trusts, in one list.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CopyStore, Trust, TrustError, TrustPin};
use crate::files::{self, Durability};
use crate::layers::packages_of;

/// Its name, below the folder of pins.
const NAME: &str = "pins.json";
/// The version of its JSON.
const VERSION: u32 = 3;
const LONGEST: u64 = 64 * 1024 * 1024;
/// So long one program waits for another that changes the pins.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
struct PinList {
    version: u32,
    pins: Vec<TrustPin>,
}

impl Trust {
    /// Reads every pin. An error says why none of them can be used.
    pub(super) fn all(&self) -> Result<Vec<TrustPin>, String> {
        let path = self.dir.join(NAME);
        let read = files::read(&path, LONGEST);
        let told = |why: &dyn std::fmt::Display| format!("its pin is unusable: {why}");
        let Some(bytes) = read.map_err(|error| told(&error))? else {
            // A link that leads nowhere is no file that is not there: what it led to may hold the pins.
            let there = path.ancestors().find(|at| at.symlink_metadata().is_ok());
            let looked = there.map_or(Ok(()), |at| at.metadata().map(drop));
            return looked.map(|()| Vec::new()).map_err(|error| told(&error));
        };
        match serde_json::from_slice::<PinList>(&bytes) {
            Ok(file) if file.version == VERSION => Ok(file.pins),
            Ok(file) => Err(format!("its pin has the version {}", file.version)),
            Err(error) => Err(format!("its pin is garbage: {error}")),
        }
    }

    /// Changes the pins, and removes the copies that none refers to.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<TrustPin>)) -> Result<(), TrustError> {
        let _lock = files::lock(&self.dir.join("lock"), PATIENCE)?;
        // Pins that cannot be understood are begun again: what is in the record is asked about.
        let mut pins = self.all().unwrap_or_default();
        change(&mut pins);
        pins.retain(|pin| !pin.names.is_empty());
        CopyStore::below(&self.dir).sweep(&pins);
        let version = VERSION;
        let text = serde_json::to_vec(&PinList { version, pins })?;
        files::replace(&self.dir.join(NAME), &text, Durability::Yes)?;
        Ok(())
    }

    /// Returns the names of all that is pinned, or was, so that one that was deleted can be told from one that never was. Of
    /// pins that cannot be read the record tells.
    pub fn pinned(&self) -> Vec<PathBuf> {
        let mut names = self.recorded_names().unwrap_or_default();
        for pin in self.all().unwrap_or_default() {
            names.extend(pin.names);
            names.insert(pin.manifest);
        }
        let mut all: Vec<PathBuf> = names.into_iter().map(PathBuf::from).collect();
        all.sort_by_key(|name| name.components().count());
        all
    }

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
        let mut all = self.pinned();
        all.retain(|manifest| packages_of(manifest) == Some(folder));
        all
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::trust::Admission;

    #[test]
    fn pins_that_cannot_be_used_are_told_for_each_manifest_until_a_person_begins_them_again() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let manifest = root.join("rules.json");
        fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
        let trust = Trust::new(root.join("pins"));
        trust.pin(&manifest, 0).unwrap();
        let pins = root.join("pins/pins.json");
        let text = fs::read_to_string(&pins).unwrap();
        let cut = text.get(..text.len() / 2).unwrap();
        let later = text.replace("\"version\":3", "\"version\":4");
        for (text, why) in [
            (cut, "garbage"),
            ("", "garbage"),
            (&*later, "the version 4"),
        ] {
            fs::write(&pins, text).unwrap();
            let Admission::Unclear(told) = trust.admission(&manifest) else {
                panic!("{text}")
            };
            assert!(told.contains(why), "{told}");
            trust.pin(&manifest, 0).unwrap();
            assert!(
                matches!(trust.admission(&manifest), Admission::Copy(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_path_that_cannot_be_shown_as_it_is_is_not_trusted() {
        let place = tempfile::tempdir().unwrap();
        let manifest = place.path().canonicalize().unwrap().join("a\\b.json");
        fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
        let trust = Trust::new(place.path().join("pins"));
        let refused = trust.pin(&manifest, 0).unwrap_err().to_string();
        assert!(refused.contains("a backslash"), "{refused}");
    }
}
