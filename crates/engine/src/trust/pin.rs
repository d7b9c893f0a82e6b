//! A pin: the record of one trusted package, and its differences from the package now.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::place::{Entry, Place, name_of};
use super::unit::{self, Runs, Unit};
use super::{Change, Pinned, TrustError, What, package_root};
use crate::files;

/// What is kept of a package that was trusted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pin {
    pub(super) manifest: String,
    /// The names under which it is kept.
    pub(super) names: BTreeSet<String>,
    /// The manifest, below the root.
    pub(super) given: String,
    pub(super) root: String,
    pub(super) at: i64,
    pub(super) whole: bool,
    /// The name of its copy.
    pub(super) copy: String,
    pub(super) files: BTreeMap<String, Entry>,
    pub(super) runs: Vec<String>,
    pub(super) checked: BTreeSet<String>,
    pub(super) loose: BTreeSet<String>,
    /// Whether the administrator's policy vouches for it, and no person was asked.
    #[serde(default)]
    pub(super) vouched: bool,
}

impl Pin {
    /// Returns where a file of the copy leads, if it is a link there.
    pub(super) fn link_of(&self, name: &str, entry: &Entry) -> Option<PathBuf> {
        let real = entry.real.as_deref()?;
        let is_there = if entry.is_folder() {
            self.whole
        } else {
            self.files
                .get(real)
                .is_some_and(|entry| entry.real.is_none())
        };
        let up = Path::new(name).components().skip(1).map(|_| "..");
        is_there.then(|| up.collect::<PathBuf>().join(real))
    }

    /// Names a list of files.
    pub(super) fn digest(&self) -> String {
        let list: Vec<_> = self.files.iter().collect();
        files::digest(&serde_json::to_vec(&list).unwrap_or_default())
    }

    /// Names the copy: each folder has its own, because it may lead to live files.
    pub(super) fn named(mut self) -> Self {
        let digest = self.digest();
        let own = [digest.as_bytes(), self.root.as_bytes()];
        self.copy = files::name_of(&own);
        self
    }

    pub(super) fn pinned(&self) -> Pinned {
        let files = self.files.iter();
        let files = files.map(|(name, entry)| (name.clone(), entry.sha256.clone()));
        Pinned {
            root: PathBuf::from(&self.root),
            files: files.collect(),
            digest: self.digest(),
            whole: self.whole,
            runs: self.runs.clone(),
            checked: self.checked.iter().cloned().collect(),
            loose: self.loose.iter().cloned().collect(),
        }
    }
}

/// What belongs to a manifest, as it is now.
pub(super) struct Looked {
    pub(super) pin: Pin,
    /// The contents that were hashed.
    pub(super) contents: BTreeMap<String, Vec<u8>>,
}

/// Looks at a manifest and what belongs to it; the contents are those that were hashed.
pub(super) fn look(manifest: &Path, now: i64) -> Result<Looked, TrustError> {
    let place = Place::of(manifest).map_err(TrustError::Manifest)?;
    let bytes = place.read().map_err(TrustError::Manifest)?;
    let unit = Unit::of(&place, &bytes).map_err(TrustError::Manifest)?;
    let runs = unit::runs(&place.root, &unit, &bytes).map_err(TrustError::Manifest)?;
    let mut files = BTreeMap::from([(place.name(), Entry::of_manifest(&bytes))]);
    let mut contents = BTreeMap::from([(place.name(), bytes)]);
    let mut size = 0;
    let own = [&place.manifest, &place.root].map(|path| (name_of(path), path));
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
            TrustError::Script(Change { file, what })
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
    let Runs {
        files: executed,
        live,
        loose,
    } = runs;
    let pin = Pin {
        manifest: name_of(&place.manifest),
        names: place.paths().iter().map(|path| name_of(path)).collect(),
        given: place.name(),
        root: name_of(&place.root),
        at: now,
        whole: unit.whole,
        copy: String::new(),
        files,
        runs: executed,
        checked: live,
        loose,
        vouched: false,
    };
    Ok(Looked {
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

/// Tells what is different from what was trusted.
pub(super) fn changes(pin: &Pin, manifest: &Path) -> Vec<Change> {
    let change = |what| Change {
        file: pin.given.clone(),
        what,
    };
    let Ok(place) = Place::of(manifest) else {
        return vec![change(What::Removed)];
    };
    if pin.manifest != name_of(&place.manifest) && pin.root == name_of(&place.root)
        || pin.given != place.name()
    {
        // What was trusted stood here; now a link leads from here to something else.
        return vec![change(What::Link)];
    }
    match place.read() {
        Ok(bytes) => compare(pin, &place, &bytes),
        Err(why) => vec![change(What::Unreadable(why))],
    }
}

pub(super) fn compare(pin: &Pin, place: &Place, bytes: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    let manifest = place.name();
    let change = |file: &str, what| Change {
        file: file.into(),
        what,
    };
    let unit = Unit::of(place, bytes).unwrap_or_else(|why| {
        changes.push(change(&manifest, What::Unreadable(why)));
        Unit::default()
    });
    let mut named = unit.files;
    for (name, before) in &pin.files {
        if *name == manifest {
            if *before != Entry::of_manifest(bytes) {
                changes.push(change(name, What::Edited));
            }
            continue;
        }
        // What no longer runs was trusted too: while it is the same, nothing changed.
        named.remove(name);
        let what = match place.look(Path::new(name)) {
            Ok((now, _)) => before.differs(&now),
            Err(_) if place.root.join(name).symlink_metadata().is_err() => Some(What::Removed),
            Err(what) => Some(what),
        };
        changes.extend(what.map(|what| change(name, what)));
    }
    // What was added is not read: it changes nothing whatever it holds, and a stranger may have made it very long.
    let added = named.keys().filter(|name| **name != manifest);
    changes.extend(added.map(|name| change(name, What::Added)));
    changes
}
