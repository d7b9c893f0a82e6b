//! The interpreters that run a package from outside of it: no copy stands in for them, and a change of one is told once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::stamp::Stamp;

/// An interpreter outside of a package.
///
/// ```
/// use anyhook_engine::trust::{Interpreter, Trust};
///
/// let place = tempfile::tempdir()?;
/// let manifest = place.path().canonicalize()?.join("rules.json");
/// std::fs::write(&manifest, r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "sh -c true"}]}]}}"#)?;
/// let Interpreter { path, size, written } = Trust::look(&manifest)?.interpreters.remove(0);
/// assert!(path.is_absolute() && size > 0 && written > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The file that runs, behind all links.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it was written: seconds since 1970.
    pub written: i64,
}

impl Interpreter {
    pub(super) fn all(stamps: &BTreeMap<String, Stamp>) -> Vec<Self> {
        let all = stamps.iter().map(|(path, stamp)| {
            let (size, written) = stamp.size_and_time();
            let path = PathBuf::from(path);
            Self {
                path,
                size,
                written,
            }
        });
        all.collect()
    }
}

/// Finds interpreters by their names, as a shell does; those below the root are files of the package.
pub(super) fn found(names: &BTreeSet<String>, root: &Path) -> BTreeMap<String, Stamp> {
    let path = std::env::var_os("PATH");
    let path = path.unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect();
    let stamps = names.iter().filter_map(|name| {
        let mut files = folders.iter().map(|folder| folder.join(name));
        let file = files.find(|file| file.is_file())?.canonicalize().ok()?;
        let stamp = Stamp::at(&file).filter(|_| !file.starts_with(root))?;
        Some((file.to_str()?.to_owned(), stamp))
    });
    stamps.collect()
}
