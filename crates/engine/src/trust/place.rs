//! One manifest on disk: where it really is, what belongs to it, and what a file of it looks like now.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::DifferenceKind;
use super::scripts::package_root;
use super::tree::PackageTree;
use crate::files::{LONGEST_DOCUMENT, LONGEST_SCRIPT, digest, links, read_unlinked};

/// A manifest and its package, with every symbolic link of the two paths resolved.
pub(super) struct ManifestLocation {
    pub(super) manifest: PathBuf,
    pub(super) tree: PackageTree,
    /// The manifest as it was given, below the root.
    pub(super) given: PathBuf,
}

/// Returns the names under which a manifest may be pinned, also one that is gone: as it is given, and after each symbolic
/// link on the way to it. A link that is put in its place must not hide what was trusted there.
pub(super) fn names(manifest: &Path) -> Result<Vec<PathBuf>, String> {
    let absolute = std::path::absolute(manifest).map_err(|error| error.to_string())?;
    let mut names = links::names(&absolute);
    names.extend(absolute.canonicalize().ok());
    Ok(names)
}

/// What is pinned of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFile {
    /// Its SHA-256, in hexadecimal; `directory` of a link to a folder.
    pub sha256: String,
    pub(super) executable: bool,
    /// Where it really is, below the root, if a symbolic link leads there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) real: Option<String>,
}

/// What stands for the content of a folder.
const FOLDER: &str = "directory";

impl PinnedFile {
    /// Tells whether it is a link to a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.sha256 == FOLDER
    }

    /// The manifest's own links are part of its place, and it is not executed.
    pub(super) fn of_manifest(bytes: &[u8]) -> Self {
        Self {
            sha256: digest(bytes),
            executable: false,
            real: None,
        }
    }

    pub(super) fn differs(&self, now: &Self) -> Option<DifferenceKind> {
        if self.sha256 != now.sha256 {
            Some(DifferenceKind::Edited)
        } else if self.real != now.real {
            Some(DifferenceKind::Link)
        } else if self.executable != now.executable {
            Some(DifferenceKind::Mode)
        } else {
            None
        }
    }
}

impl ManifestLocation {
    /// Finds a manifest. The root is the one of the path as given, so that a link to a trusted manifest from another
    /// package is not trusted for that package's scripts.
    pub(super) fn of(manifest: &Path) -> Result<Self, String> {
        let absolute = std::path::absolute(manifest).map_err(|error| error.to_string())?;
        let root = package_root(&absolute);
        let given = absolute.strip_prefix(&root).unwrap_or(&absolute).to_owned();
        let manifest = absolute.canonicalize();
        let manifest = manifest.map_err(|error| format!("`{}`: {error}", name_of(&absolute)));
        Ok(Self {
            manifest: manifest?,
            tree: PackageTree::new(links::real(&root)),
            given,
        })
    }

    /// The places under which its pin is kept: the real one, and the one that a link stands at, which must not lose its
    /// pin when a file is put in the place of the link.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let given = self.tree.root.join(&self.given);
        let mut paths = vec![self.manifest.clone()];
        if given != self.manifest {
            paths.push(given);
        }
        paths
    }

    pub(super) fn name(&self) -> String {
        name_of(&self.given)
    }

    pub(super) fn read(&self) -> Result<Vec<u8>, String> {
        read_unlinked(&self.manifest, LONGEST_DOCUMENT).map(|(bytes, _)| bytes)
    }

    /// Looks at a file below the root, or says why it cannot be pinned.
    pub(super) fn look(&self, path: &Path) -> Result<(PinnedFile, Vec<u8>), DifferenceKind> {
        self.tree.touch(path);
        let real = self.tree.real(path);
        let real = real.map_err(|error| DifferenceKind::Unreadable(error.to_string()))?;
        let Ok(below) = real.strip_prefix(&self.tree.root) else {
            return Err(DifferenceKind::Left);
        };
        let moved = (below != path).then(|| name_of(below));
        if moved.is_some() && real.is_dir() {
            // A linked directory: its files have entries of their own.
            let entry = PinnedFile {
                sha256: FOLDER.into(),
                executable: false,
                real: moved,
            };
            return Ok((entry, Vec::new()));
        }
        let (bytes, executable) =
            read_unlinked(&real, LONGEST_SCRIPT).map_err(DifferenceKind::Unreadable)?;
        let entry = PinnedFile {
            sha256: digest(&bytes),
            executable,
            real: moved,
        };
        Ok((entry, bytes))
    }

    /// Reads a file by its name, if it can be read.
    pub(super) fn content(&self, name: &str) -> Option<Vec<u8>> {
        self.look(Path::new(name)).ok().map(|(_, bytes)| bytes)
    }
}

/// Writes a path as text that is safe to show; two paths never have the same text.
///
/// A plain path stays as it is. One with control characters, a backslash, or bytes that are no UTF-8 is written with
/// escapes, and a plain path never looks like that because it has no backslash.
pub(super) fn name_of(path: &Path) -> String {
    let is_plain = |text: &&str| !text.contains(|c: char| c.is_control() || c == '\\');
    match path.to_str().filter(is_plain) {
        Some(text) => text.to_owned(),
        None => path.as_os_str().as_bytes().escape_ascii().to_string(),
    }
}
