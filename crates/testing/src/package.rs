//! A hook package: its folder, its manifest, its hooks.

use std::path::{Path, PathBuf};

use anyhook::core::hook::{Hook, Mode};
use anyhook::core::manifest::{Group, Manifest};
use anyhook::load;

use crate::config::TestConfig;

/// A hook package with tests.
#[derive(Debug)]
pub struct Package {
    /// Its folder, absolute.
    pub root: PathBuf,
    /// Its folder as it was named, for people.
    pub shown: PathBuf,
    /// Its manifest, absolute.
    pub manifest: PathBuf,
    /// Its folder of tests, absolute.
    pub tests: PathBuf,
    /// What the manifest declares.
    pub groups: Vec<Group>,
    pub(crate) config: TestConfig,
}

/// Which hook: its manifest, and its place among all entries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HookKey {
    pub(crate) manifest: PathBuf,
    pub(crate) entry: usize,
}

impl Package {
    /// Returns the hooks of the manifest, one for each entry, in the order of the file.
    pub(crate) fn hooks(&self) -> Vec<Hook> {
        let read = Manifest {
            version: 1,
            mode: Mode::Enforce,
            disable: Vec::new(),
            groups: self.groups.clone(),
            native: None,
        };
        load::hooks(&read, &self.manifest)
    }

    /// Returns a file of the package as a person would name it.
    pub(crate) fn names(&self, file: &Path) -> PathBuf {
        named(&self.shown, &self.root, file)
    }
}

/// Returns a file of a package as a person names it: below the folder that the person named.
pub(crate) fn named(shown: &Path, root: &Path, file: &Path) -> PathBuf {
    match file.strip_prefix(root) {
        Ok(rest) if shown == Path::new(".") => rest.to_path_buf(),
        Ok(rest) => shown.join(rest),
        Err(_) => file.to_path_buf(),
    }
}
