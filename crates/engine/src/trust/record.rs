//! The record of what was trusted, outside of the state: it tells pins that vanished from pins that never were.
//!
//! Pins stand in the state folder, which looks like something that may be removed at any time. The record stands beside the
//! person's own hooks. Where a manifest is in it and has no pin, what it guarded is asked about.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Trust, TrustError};
use crate::files::{self, Durability, read_up_to};
use crate::passphrase::{PassphraseState, PassphraseStore};
use crate::world::UserFolders;

/// Its name in the folder of the person's configuration.
const NAME: &str = "trusted.json";

const LONGEST: u64 = 16 * 1024 * 1024;

/// What is said of a manifest whose pin vanished.
pub(super) const VANISHED: &str = "what you trusted is in your record, and its pin is gone from Anyhook's state folder: it was \
     removed, or replaced";

impl Trust {
    /// The pins of a person, and the record of them.
    ///
    /// ```
    /// use anyhook_engine::trust::Trust;
    /// use anyhook_engine::world::UserFolders;
    ///
    /// let place = tempfile::tempdir()?;
    /// let root = place.path().canonicalize()?;
    /// let [home, config, state] = ["home", "config", "state"].map(|name| root.join(name));
    /// let places = UserFolders { home, config, state };
    /// let manifest = root.join("rules.json");
    /// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
    ///
    /// let trust = Trust::of(&places);
    /// trust.pin(&manifest, 0)?;
    /// trust.record(&manifest)?;
    /// std::fs::rename(&places.state, root.join("gone"))?;
    /// assert!(trust.is_pinned(&manifest)?, "it was, and its pin was removed");
    /// assert!(trust.forget(&manifest)? && !trust.is_pinned(&manifest)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(places: &UserFolders) -> Self {
        Self {
            record: Some(places.config.join(NAME)),
            unproved: match PassphraseStore::of(places).standing() {
                PassphraseState::Gone(why) => Some(why),
                PassphraseState::None | PassphraseState::Set => None,
            },
            ..Self::new(places.trust())
        }
    }

    /// Records that a manifest was trusted, under each name that its pin is kept by.
    pub fn record(&self, manifest: &Path) -> Result<(), TrustError> {
        let names = super::names(manifest).map_err(TrustError::Manifest)?;
        self.rewrite(|record| record.extend(names))
    }

    /// Takes these out of the record, and tells whether any was in it.
    pub(super) fn unrecord(&self, names: &BTreeSet<String>) -> Result<bool, TrustError> {
        let mut was = false;
        if self.recorded_names().is_ok_and(|record| record.is_empty()) {
            return Ok(was);
        }
        self.rewrite(|record| {
            for name in names {
                was |= record.remove(name);
            }
        })?;
        Ok(was)
    }

    fn rewrite(&self, change: impl FnOnce(&mut BTreeSet<String>)) -> Result<(), TrustError> {
        let Some(file) = &self.record else {
            return Ok(());
        };
        // One that cannot be understood is begun again: it is a person who asks for that, manifest by manifest.
        let mut record = self.recorded_names().unwrap_or_default();
        change(&mut record);
        if let Some(folder) = file.parent() {
            files::private_dir(folder)?;
        }
        files::replace(file, &serde_json::to_vec(&record)?, Durability::Yes)?;
        Ok(())
    }

    /// The names in the record; an error means that they cannot be known.
    pub(super) fn recorded_names(&self) -> Result<BTreeSet<String>, std::io::Error> {
        let Some(file) = &self.record else {
            return Ok(BTreeSet::new());
        };
        if files::is_nowhere(file) {
            return Ok(BTreeSet::new());
        }
        let bytes = read_up_to(file, LONGEST).map_err(std::io::Error::other)?;
        let garbage = |error| {
            let (file, what) = (file.display(), "no record of what was trusted");
            std::io::Error::other(format!("`{file}` is {what}: {error}"))
        };
        serde_json::from_slice(&bytes).map_err(garbage)
    }
}
