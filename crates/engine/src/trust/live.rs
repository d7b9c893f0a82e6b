//! What is different in a live package, looked at file by file only where one was written since the last time.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::copies::Stamp;
use super::{Change, LONGEST_PIN, Pin, Trust, changes};
use crate::files::{self, Durable};

/// What was found the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Seen {
    /// Of which files: the name of their copy.
    copy: String,
    stamps: BTreeMap<String, Option<Stamp>>,
    changes: Vec<Change>,
}

impl Trust {
    /// Tells what is different in a live package.
    pub(super) fn waiting(&self, pin: &Pin, name: &Path, manifest: &Path) -> Vec<Change> {
        let file = self.path(name, "live");
        let at = file.symlink_metadata().map_or(0, |meta| meta.mtime());
        let seen = files::read(&file, LONGEST_PIN).ok().flatten();
        let seen: Option<Seen> = seen.and_then(|text| serde_json::from_slice(&text).ok());
        let is_same = |name: &str, known: Option<Stamp>| {
            known.is_none_or(|known| known.is_settled(at)) && stamp(pin, name, manifest) == known
        };
        if let Some(seen) = seen.filter(|seen| seen.copy == pin.copy && !seen.stamps.is_empty()) {
            let mut stamps = seen.stamps.iter();
            if stamps.all(|(name, known)| is_same(name, *known)) {
                return seen.changes;
            }
        }
        // The stamps first: what is written while the files are read has others the next time.
        let named = names(pin).into_iter();
        let stamps = named.map(|name| (name.clone(), stamp(pin, &name, manifest)));
        let mut seen = Seen {
            copy: pin.copy.clone(),
            stamps: stamps.collect(),
            changes: Vec::new(),
        };
        seen.changes = changes(pin, manifest, None);
        if let Ok(text) = serde_json::to_vec(&seen) {
            // What is not kept is looked at again by the next event.
            let _ = files::replace(&file, &text, Durable::No);
        }
        seen.changes
    }
}

/// The files of a package, and the folders in which a new one would belong to it.
fn names(pin: &Pin) -> Vec<String> {
    let mut all: Vec<String> = pin.files.keys().cloned().collect();
    for name in pin.files.keys() {
        let folders = Path::new(name).ancestors().skip(1);
        let folders = folders.filter(|folder| pin.whole || *folder != Path::new(""));
        all.extend(folders.map(|folder| folder.to_string_lossy().into_owned()));
    }
    all.sort();
    all.dedup();
    all
}

/// Looks at a file; the manifest is looked at where it is asked for, through links and as a link.
fn stamp(pin: &Pin, name: &str, manifest: &Path) -> Option<Stamp> {
    if name == pin.given {
        return match manifest.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => None,
            Ok(meta) => Some(Stamp::of(&meta)),
            Err(_) => None,
        };
    }
    let meta = Path::new(&pin.root).join(name).metadata();
    meta.ok().map(|meta| Stamp::of(&meta))
}
