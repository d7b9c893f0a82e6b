//! Which manifests have a pin, found with one look at the folder of pins, for a question about thousands of files.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;

use super::place::name_of;
use super::{Pin, Trust, read_pin};

/// Everything that is pinned, each pin read once.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    /// The names that pins are kept under, as the pins say them.
    names: HashSet<String, RandomState>,
    /// Files of pins that do not say what they are named after: only the hash of a path tells.
    other: HashSet<OsString, RandomState>,
    /// Whether there may be lists of packages.
    lists: bool,
    recorded: BTreeSet<String>,
    manifests: BTreeSet<PathBuf>,
}

impl Trust {
    /// Reads all pins. A folder that cannot be read has none: what stands in a project is judged one by one.
    pub(crate) fn pins(&self) -> Pins {
        let mut pins = Pins {
            recorded: self.recorded_names().unwrap_or_default(),
            ..Pins::default()
        };
        pins.manifests
            .extend(pins.recorded.iter().map(PathBuf::from));
        let Ok(entries) = std::fs::read_dir(&self.dir) else {
            pins.lists = true;
            return pins;
        };
        for entry in entries {
            match entry {
                Ok(entry) => pins.add(&entry.path(), entry.file_name()),
                Err(_) => pins.lists = true,
            }
        }
        pins
    }
}

impl Pins {
    fn add(&mut self, path: &Path, file: OsString) {
        let ending = path.extension();
        self.lists |= ending.is_some_and(|ending| ending == "packages");
        if ending.is_none_or(|ending| ending != "json") {
            return;
        }
        let pin = read_pin(path).ok().flatten();
        match pin.as_ref().and_then(|pin| named_after(pin, &file)) {
            Some(name) => self.names.insert(name.clone()),
            None => self.other.insert(file),
        };
        self.manifests.extend(pin.map(|pin| pin.manifest.into()));
    }

    /// Tells whether a manifest is pinned under exactly this name, without a look at the disk.
    pub(crate) fn holds(&self, manifest: &Path) -> bool {
        let name = name_of(manifest);
        self.names.contains(&name)
            || self.recorded.contains(&name)
            || (!self.other.is_empty() && self.other.contains(&*Trust::name(manifest, "json")))
    }

    /// Lists the manifests that are pinned, or were, as [`Trust::pinned`] does.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = &Path> {
        self.manifests.iter().map(PathBuf::as_path)
    }

    /// Returns the manifests of packages in a folder that are pinned, as [`Trust::packages`] does.
    pub(crate) fn packages(&self, trust: &Trust, folder: &Path) -> Vec<PathBuf> {
        if !self.lists && self.recorded.is_empty() {
            return Vec::new();
        }
        trust.packages_among(folder, &self.recorded)
    }
}

/// Returns the path that the file of a pin is named after, where the pin says it. A path that is written with escapes is
/// known by its hash alone.
fn named_after<'p>(pin: &'p Pin, file: &OsString) -> Option<&'p String> {
    pin.names.iter().find(|name| {
        let path = Path::new(name);
        name_of(path) == **name && Trust::name(path, "json") == *file
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A manifest of this name that is trusted, its pins, and the file of its pin.
    fn pinned(name: &str) -> (tempfile::TempDir, PathBuf, Trust, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let manifest = root.join(name);
        fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
        let trust = Trust::new(root.join("pins"));
        trust.pin(&manifest, 0).unwrap();
        let pin = trust.path(&manifest, "json");
        (place, manifest, trust, pin)
    }

    #[test]
    fn a_pin_is_known_by_the_name_that_it_says_and_by_its_hash_where_it_says_none_or_another() {
        let (_place, manifest, trust, pin) = pinned("rules.json");
        let text = fs::read_to_string(&pin).unwrap();
        let other = text.replace("rules.json", "other.json");
        let cut = text.get(..text.len() / 2).unwrap();
        for text in [text.as_str(), &other, cut, "", "{}"] {
            fs::write(&pin, text).unwrap();
            let pins = trust.pins();
            assert!(pins.holds(&manifest), "{text}");
            assert!(
                !pins.holds(&manifest.with_file_name("other.json")),
                "{text}"
            );
            let listed: Vec<_> = pins.manifests().map(Path::to_owned).collect();
            assert_eq!(listed, trust.pinned(), "{text}");
        }
        fs::remove_file(&pin).unwrap();
        assert!(!trust.pins().holds(&manifest));
    }

    #[test]
    fn a_pin_of_a_path_that_is_written_with_escapes_is_known() {
        let (_place, manifest, trust, _) = pinned("a\\b.json");
        let pins = trust.pins();
        assert!(pins.holds(&manifest));
        let looks_like_it = manifest.with_file_name("a\\\\b.json");
        assert!(!pins.holds(&looks_like_it));
    }
}
