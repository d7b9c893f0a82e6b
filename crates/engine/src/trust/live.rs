//! The differences of a live package, looked at file by file only if one was written since the last time.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::copies::{Copies, LONGEST};
use super::stamp::{Stamp, Taken};
use super::{Change, Pin, Trust, changes};
use crate::files::{self, Durable};

/// What was found the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Seen {
    taken: Taken,
    stamps: BTreeMap<String, Option<Stamp>>,
    changes: Vec<Change>,
}

impl Trust {
    /// Tells what is different in a live package.
    pub(super) fn different(&self, pin: &Pin, manifest: &Path) -> Vec<Change> {
        let file = Copies::below(&self.dir).beside(pin, "live");
        let seen = files::read(&file, LONGEST).ok().flatten();
        let seen: Option<Seen> = seen.and_then(|text| serde_json::from_slice(&text).ok());
        let mut seen = seen.unwrap_or_default();
        let is_same = |name: &str, known: Option<Stamp>| {
            known.is_none_or(|known| known.is_settled(seen.taken))
                && stamp(pin, name, manifest) == known
        };
        let mut stamps = seen.stamps.iter();
        let is_known = !seen.stamps.is_empty() && stamps.all(|(name, known)| is_same(name, *known));
        if !is_known {
            // The stamps first: what is written while the files are read has others the next time.
            seen.taken = Taken::now(&self.dir);
            let named = names(pin).into_iter();
            let stamps = named.map(|name| (name.clone(), stamp(pin, &name, manifest)));
            seen.stamps = stamps.collect();
            seen.changes = changes(pin, manifest);
            // What is not kept is looked at again by the next event.
            let text = serde_json::to_vec(&seen);
            let _ = text.map(|text| files::replace(&file, &text, Durable::No));
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
