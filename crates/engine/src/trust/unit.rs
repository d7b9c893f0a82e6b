//! The unit of trust: a whole package, or a manifest with what it runs.
//!
//! A folder that is a package by itself is taken whole. Where the root holds `.git`, or an agent's own settings hold the
//! hooks, the folder is a project: then it is the manifest, its folder of hooks, and what these run, followed inside the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::NativeFormat;

use super::place::{ManifestLocation, name_of};
use super::plugin;
use super::point::pointed;
use super::scripts::{followed, walk};
use super::tree::PackageTree;
use crate::layers::packages_of;

/// Folders of code that a package manager wrote.
const ENVIRONMENTS: &[&str] = &["node_modules", ".venv", "venv"];
/// What is never a part of a package.
const LEFT_OUT: &[&str] = &[".git", "__pycache__"];

/// What is trusted together.
#[derive(Debug, Default)]
pub(super) struct TrustUnit {
    /// Whether the folder is taken whole.
    pub(super) whole: bool,
    /// The files by name, with their paths below the root; without the manifest.
    pub(super) files: BTreeMap<String, PathBuf>,
}

/// What command lines run of a unit.
#[derive(Debug, Default)]
pub(super) struct ExecutedFiles {
    /// The files that are executed.
    pub(super) files: Vec<String>,
    /// Those that are executed where they stand, because no copy stands in for them.
    pub(super) live: Vec<String>,
    /// What could not be followed, in words.
    pub(super) loose: Vec<String>,
}

/// Tells whether the folder of a manifest is a package by itself.
fn is_package(tree: &PackageTree, given: &Path) -> bool {
    let manifest = tree.root.join(given);
    let of_host = NativeFormat::of_file(&manifest).map(|(_, project)| project != tree.root);
    let is_one = match of_host {
        // The settings of the project itself.
        Some(false) => return false,
        Some(true) => true,
        None => packages_of(&manifest).is_some() || tree.is_file(Path::new(plugin::DESCRIPTION)),
    };
    is_one && tree.meta(Path::new(".git")).is_none()
}

impl TrustUnit {
    /// Finds what belongs to a manifest.
    pub(super) fn of(place: &ManifestLocation, manifest: &[u8]) -> Result<Self, String> {
        let (tree, given) = (&place.tree, &*place.given);
        let whole = is_package(tree, given);
        let mut files = if whole {
            walk(tree, Path::new(""), &is_left_out)?
        } else {
            let mut files = followed(manifest, tree, str::to_owned)?.files;
            files.retain(|file| !is_in_environment(file));
            files
        };
        files.remove(given);
        let files = files.into_iter().map(|path| (name_of(&path), path));
        Ok(Self {
            whole,
            files: files.collect(),
        })
    }
}

/// Tells what a manifest runs of its files when a copy of them stands in.
pub(super) fn runs(
    tree: &PackageTree,
    unit: &TrustUnit,
    manifest: &[u8],
) -> Result<ExecutedFiles, String> {
    let first = followed(manifest, tree, str::to_owned)?;
    let is_covered = |path: &&PathBuf| unit.whole || !is_in_environment(path);
    let files = first.first.iter().filter(is_covered);
    let files: Vec<String> = files.map(|path| name_of(path)).collect();
    let again = followed(manifest, tree, |line| pointed(line, &tree.root, &files))?;
    let live = again.live.iter().filter(is_covered);
    let live = live.map(|path| name_of(path));
    let mut loose = first.loose;
    let others = first.files.iter().filter(|path| !is_covered(path));
    loose.extend(others.map(|path| format!("`{}`, and what it loads", name_of(path))));
    Ok(ExecutedFiles {
        live: live.collect(),
        loose: loose.into_iter().collect(),
        files,
    })
}

fn is_left_out(path: &Path) -> bool {
    LEFT_OUT.iter().any(|left| path.ends_with(left))
}

/// Tells whether a file stands in an environment, which is no part of what a project is trusted with.
pub(super) fn is_in_environment(path: &Path) -> bool {
    let mut parts = path.iter();
    parts.any(|part| ENVIRONMENTS.iter().any(|known| part == *known))
}
