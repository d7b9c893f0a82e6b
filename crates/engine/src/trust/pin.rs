//! A pin: the record of one trusted package, and its differences from the package now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::place::{ManifestLocation, PinnedFile, name_of};
use super::tree::TreeStamps;
use super::unit::{self, TrustUnit};
use super::{DifferenceKind, PinDifference, TrustError, package_root};
use crate::files;

/// What a person trusted: a package, or what a manifest of a project runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustPin {
    pub(super) manifest: String,
    /// The names under which it is kept.
    pub(super) names: BTreeSet<String>,
    /// The manifest, below the root.
    pub(super) given: String,
    /// The package root, to which the files are relative.
    pub root: PathBuf,
    pub(super) at: i64,
    /// Whether the folder is a package by itself, of which every file counts.
    pub whole: bool,
    /// The name of its copy.
    pub(super) copy: String,
    /// The files by name, the manifest among them.
    pub files: BTreeMap<String, PinnedFile>,
    /// The files that are executed.
    pub runs: Vec<String>,
    /// Files that no copy stands in for: each is compared before each run.
    pub checked: Vec<String>,
    /// What the hooks run and is not covered, in words.
    pub loose: Vec<String>,
    /// Whether the administrator's policy vouches for it, and no person was asked.
    #[serde(default)]
    pub(super) vouched: bool,
}

impl TrustPin {
    /// Returns where a file of the copy leads, if it is a link there.
    pub(super) fn link_of(&self, name: &str, entry: &PinnedFile) -> Option<PathBuf> {
        let real = entry.real.as_deref()?;
        let is_there = self
            .files
            .get(real)
            .is_some_and(|there| there.real.is_none());
        let up = Path::new(name).components().skip(1).map(|_| "..");
        is_there.then(|| up.collect::<PathBuf>().join(real))
    }

    /// Names the list of files, by their SHA-256: two packages with the same one are the same.
    pub fn digest(&self) -> String {
        let list: Vec<_> = self.files.iter().collect();
        files::digest(&serde_json::to_vec(&list).unwrap_or_default())
    }

    /// Tells whether a file runs where it stands, and no copy of it.
    pub(super) fn is_checked(&self, name: &str) -> bool {
        self.checked.iter().any(|checked| checked == name)
    }

    /// Names the copy: each folder has its own, because it may lead to live files.
    pub(super) fn named(mut self) -> Self {
        let digest = self.digest();
        let own = [digest.as_bytes(), self.root.as_os_str().as_encoded_bytes()];
        self.copy = files::name_of(&own);
        self
    }
}

/// What belongs to a manifest, as it is now.
pub(super) struct PinCandidate {
    pub(super) pin: TrustPin,
    /// The contents that were hashed.
    pub(super) contents: BTreeMap<String, Vec<u8>>,
}

/// Looks at a manifest and what belongs to it; the contents are those that were hashed.
pub(super) fn look(manifest: &Path, now: i64) -> Result<PinCandidate, TrustError> {
    let place = ManifestLocation::of(manifest).map_err(TrustError::Manifest)?;
    let bytes = place.read().map_err(TrustError::Manifest)?;
    let unit = TrustUnit::of(&place, &bytes).map_err(TrustError::Manifest)?;
    let runs = unit::runs(&place.tree, &unit, &bytes).map_err(TrustError::Manifest)?;
    let mut files = BTreeMap::from([(place.name(), PinnedFile::of_manifest(&bytes))]);
    let mut contents = BTreeMap::from([(place.name(), bytes)]);
    let mut size = 0;
    let own = [&place.manifest, &place.tree.root].map(|path| (name_of(path), path));
    let named = unit.files.iter().map(|(name, path)| (name.clone(), path));
    for (name, path) in own.into_iter().chain(named) {
        if path.to_str() != Some(&name) {
            let why = "has control characters, a backslash, or bytes that are no UTF-8";
            return Err(TrustError::Manifest(format!("the name of `{name}` {why}")));
        }
    }
    for (name, path) in unit.files {
        let looked = place.look(&path).map_err(|what| {
            let file = name.clone();
            let why = PinDifference { file, what };
            TrustError::Package(format!("{why}, so the package cannot be trusted"))
        });
        let (entry, content) = looked?;
        size += content.len() as u64;
        if size > files::LONGEST_SCRIPT {
            let why = format!("it holds more than {} bytes", files::LONGEST_SCRIPT);
            return Err(TrustError::Manifest(why));
        }
        contents.insert(name.clone(), content);
        files.insert(name, entry);
    }
    let pin = TrustPin {
        manifest: name_of(&place.manifest),
        names: place.paths().iter().map(|path| name_of(path)).collect(),
        given: place.name(),
        root: place.tree.root.clone(),
        at: now,
        whole: unit.whole,
        copy: String::new(),
        files,
        runs: runs.files,
        checked: runs.live,
        loose: runs.loose,
        vouched: false,
    };
    Ok(PinCandidate {
        pin: pin.named(),
        contents,
    })
}

/// Returns the real root of the package of a manifest.
pub(super) fn absolute_root(manifest: &Path) -> Option<PathBuf> {
    package_root(&std::path::absolute(manifest).ok()?)
        .canonicalize()
        .ok()
}

/// Tells what is different from what was trusted. `seen` is the file that keeps what the last look of an event depended on; a
/// person who asks is told of what is there.
pub(super) fn changes(pin: &TrustPin, manifest: &Path, seen: Option<&Path>) -> Vec<PinDifference> {
    let change = |what| PinDifference {
        file: pin.given.clone(),
        what,
    };
    let Ok(place) = ManifestLocation::of(manifest) else {
        return vec![change(DifferenceKind::Removed)];
    };
    let is_same_root = pin.root == place.tree.root;
    if pin.manifest != name_of(&place.manifest) && is_same_root || pin.given != place.name() {
        // What was trusted stood here; now a link leads from here to something else.
        return vec![change(DifferenceKind::Link)];
    }
    let bytes = match place.read() {
        Ok(bytes) => bytes,
        Err(why) => return vec![change(DifferenceKind::Unreadable(why))],
    };
    let seen = seen.filter(|_| is_same_root);
    let known = seen.and_then(TreeStamps::read);
    if known.is_some_and(|known| known.hold(&place.tree.root)) {
        // A file that runs where it stands is read again: for all others the copy runs, whatever they are.
        let is_checked = |name: &str| name == pin.given || pin.is_checked(name);
        return edited(pin, &place, &bytes, is_checked);
    }
    // What changes while it is looked at is found by the next look.
    let now = SystemTime::now();
    let changes = compare(pin, &place, &bytes);
    if let (Some(seen), true) = (seen, changes.is_empty())
        && let Some(stamps) = place.tree.stamps(now)
    {
        stamps.keep(seen);
    }
    changes
}

pub(super) fn compare(
    pin: &TrustPin,
    place: &ManifestLocation,
    bytes: &[u8],
) -> Vec<PinDifference> {
    let edited = edited(pin, place, bytes, |_| true);
    [edited, added(pin, place, bytes)].concat()
}

/// Finds which of these files were trusted and are no longer the same. What no longer runs was trusted too.
fn edited(
    pin: &TrustPin,
    place: &ManifestLocation,
    bytes: &[u8],
    is_one: impl Fn(&str) -> bool,
) -> Vec<PinDifference> {
    let files = pin.files.iter().filter(|(name, _)| is_one(name));
    let edited = files.filter_map(|(name, before)| {
        let path = Path::new(name);
        let what = if *path == place.given {
            before.differs(&PinnedFile::of_manifest(bytes))
        } else {
            match place.look(path) {
                Ok((now, _)) => before.differs(&now),
                Err(_) if place.tree.own_meta(path).is_none() => Some(DifferenceKind::Removed),
                Err(what) => Some(what),
            }
        };
        let file = name.clone();
        what.map(|what| PinDifference { file, what })
    });
    edited.collect()
}

/// Finds what belongs to the manifest and was not trusted. It is not read: it changes nothing whatever it holds, and a
/// stranger may have made it very long.
fn added(pin: &TrustPin, place: &ManifestLocation, bytes: &[u8]) -> Vec<PinDifference> {
    let unit = match TrustUnit::of(place, bytes) {
        Ok(unit) => unit,
        Err(why) => {
            let (file, what) = (place.name(), DifferenceKind::Unreadable(why));
            return vec![PinDifference { file, what }];
        }
    };
    let added = unit.files.into_keys();
    let added = added.filter(|name| !pin.files.contains_key(name));
    let change = |file| PinDifference {
        file,
        what: DifferenceKind::Added,
    };
    added.map(change).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;
    use crate::trust::{Admission, Trust};

    #[test]
    fn a_folder_behind_a_link_is_listed_at_each_event_and_another_one_until_it_changes() {
        for is_link in [false, true] {
            let place = tempfile::tempdir().unwrap();
            let root = place.path().canonicalize().unwrap().join("p");
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::create_dir_all(root.join("hooks/scripts")).unwrap();
            fs::create_dir(root.join("tools")).unwrap();
            if is_link {
                symlink("../tools", root.join("hooks/lib")).unwrap();
            }
            let manifest = root.join("hooks/hooks.json");
            fs::write(&manifest, r#"{"version": 1, "hooks": {}}"#).unwrap();
            let pin = Trust::look(&manifest).unwrap();
            assert_eq!(pin.files.contains_key("hooks/lib"), is_link);
            let place = ManifestLocation::of(&manifest).unwrap();
            assert_eq!(added(&pin, &place, &place.read().unwrap()), []);
            let later = SystemTime::now() + Duration::from_secs(9);
            let stamps = place.tree.stamps(later);
            assert_eq!(stamps.is_none(), is_link);
        }
    }

    #[test]
    fn what_a_file_loads_that_runs_where_it_stands_is_compared_before_each_run_too() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        for folder in ["hooks", "tools"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        let manifest = root.join("hooks/hooks.json");
        let hook = r#"{"type": "command", "command": "python3 -m tools.g"}"#;
        let text = format!(r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [{hook}]}}]}}}}"#);
        fs::write(&manifest, text).unwrap();
        fs::write(root.join("tools/g.py"), "import tools.x\n").unwrap();
        fs::write(root.join("tools/x.py"), "exit(2)\n").unwrap();
        let trust = Trust::new(place.path().join("pins"));
        let pin = trust.pin(&manifest, 0).unwrap();
        assert_eq!(pin.checked, ["tools/g.py", "tools/x.py"]);
        fs::write(root.join("tools/x.py"), "exit(0)\n").unwrap();
        assert!(matches!(trust.admission(&manifest), Admission::Unclear(_)));
    }
}
