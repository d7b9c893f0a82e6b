//! The unit of trust: a whole package, or a manifest with what it runs.
//!
//! A folder that is a package by itself is taken whole. Where the root holds `.git`, or an agent's own settings hold the
//! hooks, the folder is a project: then it is the manifest, its folder of hooks, and what these run, followed inside the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::NativeFormat;

use super::follow::Followed;
use super::place::name_of;
use super::plugin;
use super::point::pointed;
use super::scripts::followed;
use crate::layers::packages_of;

/// The most files of a package that are no data, and the most that are.
const MOST_FILES: (usize, usize) = (2000, 20_000);
/// Folders of code that a package manager wrote.
const ENVIRONMENTS: &[&str] = &["node_modules", ".venv", "venv"];
/// What is neither code nor data of a package.
const LEFT_OUT: &[&str] = &[".git", "__pycache__"];

/// As many names are shown of what is not covered.
const MOST_NAMES: usize = 8;

/// What is trusted together.
#[derive(Debug, Default)]
pub(super) struct Unit {
    /// Whether the folder is taken whole.
    pub(super) whole: bool,
    /// The files by name, with their paths below the root; without the manifest.
    pub(super) files: BTreeMap<String, PathBuf>,
    /// The data, of which no copy is made.
    pub(super) linked: Vec<String>,
    /// What the manifest calls data.
    pub(super) data: Vec<String>,
}

/// What command lines run of a unit.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The files that are executed.
    pub(super) files: Vec<String>,
    /// Those that are executed where they stand, because no copy stands in for them.
    pub(super) live: BTreeSet<String>,
    /// What could not be followed, in words.
    pub(super) loose: BTreeSet<String>,
}

/// Tells whether the folder of a manifest is a package by itself.
pub(super) fn is_package(root: &Path, manifest: &Path) -> bool {
    let is_placed = || packages_of(manifest).is_some();
    let of_host = || {
        let native = NativeFormat::of_file(manifest);
        native.is_some_and(|(_, project)| project != root)
    };
    let is_settings = NativeFormat::of_file(manifest).is_some_and(|(_, project)| project == root);
    !is_settings
        && !root.join(".git").exists()
        && (is_placed() || of_host() || plugin::describes(root))
}

impl Unit {
    /// Finds what belongs to a manifest, which stands at `given` below the root.
    pub(super) fn of(root: &Path, given: &Path, manifest: &[u8]) -> Result<Self, String> {
        let followed = followed(manifest, root, str::to_owned);
        let mut unit = if is_package(root, &root.join(given)) {
            // Of a manifest that cannot be read no file is data.
            whole(root, &followed.unwrap_or_default())?
        } else {
            let mut followed = followed?;
            followed.files.retain(|file| !is_in_environment(file));
            let named = followed
                .files
                .into_iter()
                .map(|path| (name_of(&path), path));
            Self {
                files: named.collect(),
                data: followed.data.patterns,
                ..Self::default()
            }
        };
        unit.files.retain(|_, path| path != given);
        Ok(unit)
    }
}

impl Unit {
    fn has(&self, path: &Path) -> bool {
        self.files.contains_key(&name_of(path))
    }
}

/// Tells what a manifest runs of its files when a copy of them stands in.
pub(super) fn runs(root: &Path, unit: &Unit, manifest: &[u8]) -> Result<Runs, String> {
    let first = followed(manifest, root, str::to_owned)?;
    let is_covered = |path: &&PathBuf| unit.whole || !is_in_environment(path);
    let files = first.first.iter().filter(is_covered);
    let files: Vec<String> = files.map(|path| name_of(path)).collect();
    let again = followed(manifest, root, |line| pointed(line, root, &files))?;
    let is_linked = |name: &&String| {
        let mut linked = unit.linked.iter();
        linked.any(|folder| Path::new(name).starts_with(folder))
    };
    let live = again.live.iter().filter(is_covered);
    let live = live.map(|path| name_of(path));
    let checked = unit.files.keys().filter(is_linked).cloned();
    let mut loose = first.loose;
    let others = first.runs.iter().filter(|path| !is_covered(path));
    loose.extend(others.map(|path| format!("`{}`, and what it loads", name_of(path))));
    loose.extend(listed(
        "programs of this machine, with what they load by themselves",
        &first.machine,
    ));
    let mentioned = first.mentioned.iter().filter(|path| !unit.has(path));
    let mentioned = mentioned.map(|path| name_of(path)).collect();
    loose.extend(listed("files that a command only names", &mentioned));
    Ok(Runs {
        live: live.chain(checked).collect(),
        loose,
        files,
    })
}

/// Writes a list of names as one line; none where there is no name.
fn listed(what: &str, names: &BTreeSet<String>) -> Option<String> {
    let first = names.iter().take(MOST_NAMES).map(String::as_str);
    let first = first.collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    (!names.is_empty()).then(|| format!("{what}: {first}{more}"))
}

fn whole(root: &Path, followed: &Followed) -> Result<Unit, String> {
    let mut files = BTreeMap::new();
    let mut data = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let told = |error: std::io::Error| format!("`{}`: {error}", name_of(&folder));
        for entry in fs::read_dir(root.join(&folder)).map_err(told)? {
            let entry = entry.map_err(told)?;
            let name = entry.file_name();
            let path = folder.join(&name);
            if LEFT_OUT.iter().any(|left| name == *left) {
                continue;
            }
            if entry.file_type().map_err(told)?.is_dir() {
                open.push(path);
            } else if !followed.runs.contains(&path) && followed.data.has(root, &path) {
                data.push(path);
            } else {
                files.insert(name_of(&path), path);
            }
        }
        if files.len() > MOST_FILES.0 || data.len() > MOST_FILES.1 {
            let (files, data) = MOST_FILES;
            return Err(format!(
                "the package holds more than {files} files, or {data} of data"
            ));
        }
    }
    let is_trusted = |folder: &Path| files.values().any(|file| file.starts_with(folder));
    let linked = followed.data.places(&data, is_trusted);
    Ok(Unit {
        whole: true,
        data: followed.data.patterns.clone(),
        linked: linked.iter().map(|path| name_of(path)).collect(),
        files,
    })
}

/// Tells whether a file stands in an environment, which is no part of what a project is trusted with.
pub(super) fn is_in_environment(path: &Path) -> bool {
    let mut parts = path.iter();
    parts.any(|part| ENVIRONMENTS.iter().any(|known| part == *known))
}
