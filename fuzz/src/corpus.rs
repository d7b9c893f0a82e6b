//! Where inputs come from: the fixtures of the repository, and what was found before.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Target;

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns every file below a folder of the repository, sorted; of a folder that is not there, none.
pub fn files(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the inputs that are kept for a target: those of `fuzz/corpus/<target>`, each with the name of its file, which
/// says in a sentence what it once was.
pub fn kept(target: &Target) -> Vec<(String, Vec<u8>)> {
    let files = files(format!("fuzz/corpus/{}", target.name)).into_iter();
    let read = |file: PathBuf| {
        let name = file.file_name()?.to_string_lossy().into_owned();
        Some((name, fs::read(&file).ok()?))
    };
    files.filter_map(read).collect()
}

/// Returns everything that a target is known to be worth: what is kept, and what its fixtures give.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let kept = kept(target).into_iter().map(|(_, bytes)| bytes);
    kept.chain((target.fixtures)()).collect()
}
