//! Everything that a person trusts, one manifest at a time.

use std::path::PathBuf;

use super::{CopyStore, PinStatus, Trust, TrustPin};

/// One manifest that was trusted, with what it was then.
///
/// ```
/// use anyhook_engine::trust::{TrustedManifest, Trust};
///
/// let place = tempfile::tempdir()?;
/// let manifest = place.path().canonicalize()?.join("rules.json");
/// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
/// let trust = Trust::new(place.path().join("pins"));
/// trust.pin(&manifest, 1_700_000_000_000)?;
///
/// let kept: TrustedManifest = trust.kept().remove(0);
/// assert_eq!((&kept.manifest, kept.at), (&manifest, 1_700_000_000_000));
/// assert_eq!(TrustedManifest::sha256(&kept), kept.pinned.files["rules.json"].sha256);
/// assert!(TrustedManifest::is_valid(&kept));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedManifest {
    /// The manifest.
    pub manifest: PathBuf,
    /// When it was trusted: milliseconds since 1970.
    pub at: i64,
    /// What was trusted with it.
    pub pinned: TrustPin,
    /// The folder of the copy that an event runs.
    pub copy: PathBuf,
    /// How it stands now.
    pub standing: PinStatus,
}

impl TrustedManifest {
    /// Returns the SHA-256 of the manifest itself.
    pub fn sha256(&self) -> &str {
        let own = self.pinned.files.get(&self.pinned.given);
        own.map_or("", |own| &own.sha256)
    }

    /// Tells whether it and all that it names are what they were.
    pub fn is_valid(&self) -> bool {
        self.standing == PinStatus::Trusted
    }
}

impl Trust {
    /// Lists everything that is trusted, by its path.
    ///
    /// ```
    /// use anyhook_engine::trust::{TrustedManifest, Trust};
    ///
    /// let place = tempfile::tempdir()?;
    /// let manifest = place.path().canonicalize()?.join("rules.json");
    /// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
    /// let trust = Trust::new(place.path().join("pins"));
    /// trust.pin(&manifest, 1_700_000_000_000)?;
    ///
    /// let kept: Vec<TrustedManifest> = trust.kept();
    /// assert_eq!((&kept[0].manifest, kept[0].at), (&manifest, 1_700_000_000_000));
    /// assert!(kept[0].is_valid() && kept[0].sha256().len() == 64);
    /// std::fs::write(&manifest, "{}")?;
    /// assert!(!trust.kept()[0].is_valid());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kept(&self) -> Vec<TrustedManifest> {
        let mut kept: Vec<TrustedManifest> = self
            .all()
            .unwrap_or_default()
            .into_iter()
            .map(|pin| {
                let manifest = PathBuf::from(&pin.manifest);
                TrustedManifest {
                    standing: self.standing(&manifest),
                    copy: CopyStore::below(&self.dir).of(&pin),
                    at: pin.at,
                    pinned: pin,
                    manifest,
                }
            })
            .collect();
        kept.sort_by(|one, other| one.manifest.cmp(&other.manifest));
        kept.dedup_by(|one, other| one.manifest == other.manifest);
        kept
    }
}
