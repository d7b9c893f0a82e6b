//! The differences of a live package, looked at file by file only if one was written since the last time.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::copies::{Copies, LONGEST};
use super::stamp::{Stamp, Stamps};
use super::{Change, Pin, Trust, changes};
use crate::files::{self, Durable};

/// What was found the last time.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Seen {
    stamps: Stamps,
    changes: Vec<Change>,
}

impl Trust {
    /// Tells what is different in a live package.
    pub(super) fn different(&self, pin: &Pin, manifest: &Path) -> Vec<Change> {
        let file = Copies::below(&self.dir).beside(pin, "live");
        let seen = files::read(&file, LONGEST).ok().flatten();
        let seen: Option<Seen> = seen.and_then(|text| serde_json::from_slice(&text).ok());
        let seen = seen.unwrap_or_default();
        let names = names(pin);
        let stamp = |name: &str| {
            let live = Path::new(&pin.root).join(name);
            let at = if name == pin.given { manifest } else { &live };
            at.metadata().ok().map(|meta| Stamp::of(&meta))
        };
        if names
            .iter()
            .all(|name| seen.stamps.knows(name, stamp(name)))
        {
            return seen.changes;
        }
        let mut stamps = Stamps::begin(&self.dir);
        for name in &names {
            stamps.note(name, stamp(name));
        }
        let changes = changes(pin, manifest);
        let seen = Seen { stamps, changes };
        // What is not kept is looked at again by the next event.
        let text = serde_json::to_vec(&seen);
        let _ = text.map(|text| files::replace(&file, &text, Durable::No));
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
