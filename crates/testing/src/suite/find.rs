//! Finding packages: by their folder, a folder above them, or a file of their tests.

use std::path::{Path, PathBuf};

use anyhook::load;
use anyhook::trust::package_root;

/// How deep below a folder packages are looked for.
const DEEP: usize = 4;

/// Folders in which no package of one's own is.
const PASSED_OVER: &[&str] = &["node_modules", "target", "vendor"];

/// A manifest, its folders of tests, and the one file that was named, if it was one.
pub(super) struct ManifestTests {
    pub(super) manifest: PathBuf,
    pub(super) tests: Vec<PathBuf>,
    pub(super) only: Option<PathBuf>,
}

/// Returns the package's folder as the person named it: what a command line that repeats a test has to say.
pub(super) fn shown(path: &Path, real: &Path, manifest: &Path) -> PathBuf {
    let root = package_root(manifest);
    match root.strip_prefix(real) {
        Ok(rest) if rest.as_os_str().is_empty() => path.to_path_buf(),
        Ok(rest) => path.join(rest),
        // A file of the package was named: its folder is told as seen from here.
        Err(_) => {
            let here = std::env::current_dir().and_then(|here| here.canonicalize());
            let below = here
                .ok()
                .and_then(|here| root.strip_prefix(here).map(Path::to_path_buf).ok());
            match below {
                Some(below) if below.as_os_str().is_empty() => PathBuf::from("."),
                Some(below) => below,
                None => root,
            }
        }
    }
}

/// Finds the packages that a path means.
pub(super) fn find(path: &Path) -> Vec<ManifestTests> {
    if path.is_file() {
        let is_manifest = path
            .extension()
            .is_some_and(|end| end == "json" || end == "toml");
        let named = || path.to_path_buf();
        let manifest = if is_manifest {
            Some(named())
        } else {
            above(path)
        };
        let only = (!is_manifest).then(named);
        return Vec::from_iter(manifest.map(|manifest| found(manifest, only)));
    }
    if let Some(manifest) = manifest_of(path) {
        return vec![found(manifest, None)];
    }
    let is_tests = path.join("cases").is_dir() || path.ends_with("cases");
    if let Some(manifest) = above(path).filter(|_| is_tests) {
        return vec![found(manifest, None)];
    }
    let all = below(path, DEEP);
    // Beside packages with tests, one without is not tested; alone it is no place of tests at all.
    let are_tested = all.iter().any(|found| !found.tests.is_empty());
    if are_tested { all } else { Vec::new() }
}

fn found(manifest: PathBuf, only: Option<PathBuf>) -> ManifestTests {
    let beside = manifest.parent().map(|folder| folder.join("tests"));
    let root = package_root(&manifest).join("tests");
    let mut tests: Vec<PathBuf> = beside.into_iter().filter(|tests| *tests != root).collect();
    tests.push(root);
    tests.retain(|tests| tests.is_dir());
    ManifestTests {
        manifest,
        tests,
        only,
    }
}

fn manifest_of(folder: &Path) -> Option<PathBuf> {
    let named = load::manifests_of(folder).chain([folder.join("hooks.json")]);
    named.into_iter().find(|file| file.is_file())
}

fn above(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).take(DEEP).find_map(manifest_of)
}

fn below(folder: &Path, deep: usize) -> Vec<ManifestTests> {
    let Some(deeper) = deep.checked_sub(1) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_looked_into = |path: &PathBuf| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(".");
        path.is_dir()
            && !path.is_symlink()
            && !name.starts_with('.')
            && !PASSED_OVER.contains(&name)
    };
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(is_looked_into)
        .collect();
    folders.sort();
    let look = |folder: &PathBuf| match manifest_of(folder) {
        Some(manifest) => vec![found(manifest, None)],
        None => below(folder, deeper),
    };
    folders.iter().flat_map(look).collect()
}
