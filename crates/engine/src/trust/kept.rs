//! What a person trusts, one by one.

use std::path::PathBuf;

use super::{Standing, Trust, read_pin};

/// One manifest that was trusted, with what it was then.
///
/// ```
/// use anyhook_engine::trust::{Kept, Trust};
///
/// let place = tempfile::tempdir()?;
/// let manifest = place.path().canonicalize()?.join("rules.json");
/// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
/// let trust = Trust::new(place.path().join("pins"));
/// trust.pin(&manifest, 1_700_000_000_000)?;
///
/// let kept: Kept = trust.kept().remove(0);
/// assert_eq!((&kept.manifest, kept.at), (&manifest, 1_700_000_000_000));
/// assert_eq!(Kept::sha256(&kept), kept.files[0].1);
/// assert!(Kept::is_valid(&kept));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The manifest.
    pub manifest: PathBuf,
    /// When it was trusted: milliseconds since 1970.
    pub at: i64,
    /// The files that were trusted with it, below its package's root, and the SHA-256 of each; the manifest among them.
    pub files: Vec<(String, String)>,
    /// How it stands now.
    pub standing: Standing,
    /// The name of the manifest among the files.
    name: String,
}

impl Kept {
    /// Returns the SHA-256 of the manifest itself.
    pub fn sha256(&self) -> &str {
        let mut files = self.files.iter();
        let own = files.find(|(name, _)| *name == self.name);
        own.map_or("", |(_, sha256)| sha256)
    }

    /// Tells whether it and all that it names are what they were.
    pub fn is_valid(&self) -> bool {
        self.standing == Standing::Trusted
    }
}

impl Trust {
    /// Lists everything that is trusted, by its path.
    ///
    /// ```
    /// use anyhook_engine::trust::{Kept, Trust};
    ///
    /// let place = tempfile::tempdir()?;
    /// let manifest = place.path().canonicalize()?.join("rules.json");
    /// std::fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#)?;
    /// let trust = Trust::new(place.path().join("pins"));
    /// trust.pin(&manifest, 1_700_000_000_000)?;
    ///
    /// let kept: Vec<Kept> = trust.kept();
    /// assert_eq!((&kept[0].manifest, kept[0].at), (&manifest, 1_700_000_000_000));
    /// assert!(kept[0].is_valid() && kept[0].sha256().len() == 64);
    /// std::fs::write(&manifest, "{}")?;
    /// assert!(!trust.kept()[0].is_valid());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn kept(&self) -> Vec<Kept> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let pins = paths
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .filter_map(|path| read_pin(&path).ok().flatten());
        let mut kept: Vec<Kept> = pins
            .map(|pin| {
                let manifest = PathBuf::from(pin.manifest);
                let name = manifest.strip_prefix(&pin.root).unwrap_or(&manifest);
                Kept {
                    name: name.to_string_lossy().into_owned(),
                    standing: self.standing(&manifest),
                    at: pin.at,
                    files: pin
                        .files
                        .into_iter()
                        .map(|(name, entry)| (name, entry.sha256))
                        .collect(),
                    manifest,
                }
            })
            .collect();
        kept.sort_by(|one, other| one.manifest.cmp(&other.manifest));
        kept.dedup_by(|one, other| one.manifest == other.manifest);
        kept
    }
}
