//! Packages that a package manager put into a project, where a hook of it imports them.
//!
//! No copy stands in for them: their files are compared before each run. Where they are too many for that, `trust` and `list`
//! name them as not covered.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::unit::{COPIED, ENVIRONMENTS, LEFT_OUT};
use crate::files::read_up_to;

/// As many packages are followed by what they depend on.
const MOST: usize = 500;
/// A longer description of a package is not read.
const LONGEST: u64 = 512 * 1024;
/// Where JavaScript looks for packages.
const MODULES: &str = "node_modules";

/// What hooks import of the environments of a project.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// Folders below the root: packages of JavaScript, and whole environments of Python.
    folders: BTreeSet<PathBuf>,
}

impl Imported {
    /// Adds a package that a script in this folder requires by its name.
    pub(super) fn module(&mut self, root: &Path, folder: &Path, name: &str) {
        let mut found = folder
            .ancestors()
            .map(|above| above.join(MODULES).join(name));
        self.folders
            .extend(found.find(|package| root.join(package).is_dir()));
    }

    /// Adds what a program of an environment belongs to.
    pub(super) fn program(&mut self, root: &Path, path: &Path) {
        let mut above = path.ancestors().skip(1);
        let is_environment = |at: &&Path| {
            let name = at.file_name();
            name.is_some_and(|name| ENVIRONMENTS.iter().any(|known| name == *known))
        };
        let Some(environment) = above.find(is_environment) else {
            return;
        };
        if environment.ends_with(MODULES) {
            // What stands in `.bin` is a link to a file of a package.
            let real = root.join(path).canonicalize().unwrap_or_default();
            let below = real.strip_prefix(root.join(environment)).ok();
            let name = below.and_then(package_of);
            self.folders.extend(name.map(|name| environment.join(name)));
        } else {
            self.folders.insert(environment.to_owned());
        }
    }

    /// Returns the files that are compared before each run, with what holds them; an error names what is too much for that.
    pub(super) fn files(
        mut self,
        root: &Path,
    ) -> Result<(BTreeSet<PathBuf>, BTreeSet<PathBuf>), String> {
        let mut open: Vec<PathBuf> = self.folders.iter().cloned().collect();
        let mut files = BTreeSet::new();
        let mut size = 0;
        while let Some(folder) = open.pop() {
            for name in depends(&root.join(&folder)) {
                let mut more = Self::default();
                // A link of the package manager leads to where the package finds its neighbours.
                let real = root.join(&folder).canonicalize().unwrap_or_default();
                let real = real.strip_prefix(root).unwrap_or(&folder);
                more.module(root, real, &name);
                open.extend(more.folders.difference(&self.folders).cloned());
                self.folders.extend(more.folders);
            }
            size += walk(root, &folder, &mut files);
            if files.len() > COPIED.0 || size > COPIED.1 || self.folders.len() > MOST {
                let first = self
                    .folders
                    .first()
                    .map(|folder| folder.display().to_string());
                return Err(format!(
                    "`{}` and what it depends on: too much to compare before each run",
                    first.unwrap_or_default()
                ));
            }
        }
        Ok((files, self.folders))
    }
}

/// Returns the name of the package that a path in an environment belongs to: `name`, or `@scope/name`.
fn package_of(path: &Path) -> Option<PathBuf> {
    let parts = if path.starts_with("@") || path.to_str()?.starts_with('@') {
        2
    } else {
        1
    };
    let name: PathBuf = path.iter().take(parts).collect();
    (name.iter().count() == parts).then_some(name)
}

/// The packages that a package of JavaScript says it needs.
fn depends(package: &Path) -> Vec<String> {
    let text = read_up_to(&package.join("package.json"), LONGEST).ok();
    let json: Option<Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
    let lists = ["dependencies", "optionalDependencies", "peerDependencies"];
    let named = lists
        .iter()
        .filter_map(|list| json.as_ref()?.get(list)?.as_object());
    named.flat_map(|names| names.keys().cloned()).collect()
}

/// Adds the files of a folder, up to the most that are compared, and returns their size.
fn walk(root: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> u64 {
    let mut size = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(root.join(&folder))
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries {
            let (name, Ok(meta)) = (entry.file_name(), entry.path().symlink_metadata()) else {
                continue;
            };
            if LEFT_OUT.iter().any(|left| name == *left) {
                continue;
            }
            if meta.is_dir() {
                open.push(folder.join(name));
            } else {
                size += meta.len();
                files.insert(folder.join(name));
            }
        }
        if files.len() > COPIED.0 || size > COPIED.1 {
            break;
        }
    }
    size
}
