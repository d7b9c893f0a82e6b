//! How many hooks of a file the cases beside it reach, as `anyhook test --coverage` last counted them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhook_engine::files::{self, Durable, FileError};
use anyhook_engine::trust;
use anyhook_engine::world::Places;
use serde::{Deserialize, Serialize};

use super::Surveyed;

/// More than this is no count of ours.
const LONGEST: u64 = 4 * 1024;

/// What was counted, and of which files. No event reads or writes it.
///
/// ```
/// use anyhook_care::survey::Reached;
///
/// let counted = Reached::of("/p/hooks/hooks.json".as_ref(), (3, 4), 1_795_305_600_000);
/// assert_eq!((counted.reached, counted.hooks), (3, 4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// How many hooks some case asks.
    pub reached: usize,
    /// How many hooks there are.
    pub hooks: usize,
    /// When they were counted, in milliseconds since 1970.
    pub at: i64,
    /// The digest of the manifest, of what it runs and of its cases, as they were.
    digest: String,
}

impl Reached {
    /// Says of the files as they are now that so many of so many hooks are reached.
    pub fn of(manifest: &Path, (reached, hooks): (usize, usize), at: i64) -> Self {
        Self {
            reached,
            hooks,
            at,
            digest: digest(manifest),
        }
    }

    /// Keeps it in the place of what was counted before.
    pub fn keep(&self, places: &Places, manifest: &Path) -> Result<(), FileError> {
        files::private_dir(&folder(places))?;
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        files::replace(&path(places, manifest), &bytes, Durable::No)
    }

    /// Returns what was last counted; nothing where a file was changed since.
    pub fn last(places: &Places, manifest: &Path) -> Option<Self> {
        let bytes = files::read(&path(places, manifest), LONGEST).ok()??;
        let last: Self = serde_json::from_slice(&bytes).ok()?;
        (last.digest == digest(manifest)).then_some(last)
    }
}

fn folder(places: &Places) -> PathBuf {
    places.state.join("coverage")
}

fn path(places: &Places, manifest: &Path) -> PathBuf {
    let real = manifest.canonicalize();
    let real = real.as_deref().unwrap_or(manifest);
    folder(places).join(files::name_of(&[real.as_os_str().as_encoded_bytes()]))
}

/// Digests what the count depends on. A file that cannot be read counts by its name alone.
fn digest(manifest: &Path) -> String {
    let root = trust::package_root(manifest);
    let text = files::read_document(manifest).unwrap_or_default();
    let scripts = trust::scripts(&text, &root).unwrap_or_default();
    let scripts = scripts.into_iter().map(|script| root.join(script));
    let all: BTreeSet<PathBuf> = scripts.chain(Surveyed::cases_of(manifest)).collect();
    let mut parts = vec![text];
    for file in all {
        parts.push(file.as_os_str().as_encoded_bytes().to_vec());
        parts.push(files::read_document(&file).unwrap_or_default());
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    files::name_of(&parts)
}
