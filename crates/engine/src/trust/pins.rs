//! Which manifests have a pin, found with one look at the folder of pins, for a question about thousands of files.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::Path;

use foldhash::fast::RandomState;

use super::Trust;
use super::place::name_of;

/// The names of all pins.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    names: HashSet<OsString, RandomState>,
    recorded: BTreeSet<String>,
}

impl Trust {
    /// Lists the names of all pins. A folder that cannot be read has none: what stands in a project is judged one by one.
    pub(crate) fn pins(&self) -> Pins {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        Pins {
            names: entries.map(|entry| entry.file_name()).collect(),
            recorded: self.recorded_names().unwrap_or_default(),
        }
    }
}

impl Pins {
    /// Tells whether a manifest is pinned under exactly this name, without a look at the disk.
    pub(crate) fn holds(&self, manifest: &Path) -> bool {
        let is_recorded = || self.recorded.contains(&name_of(manifest));
        self.names.contains(&*Trust::name(manifest, "json")) || is_recorded()
    }
}
