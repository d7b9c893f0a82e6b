//! Values that are too long for an answer: kept in private files for a day, under the name of their content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Durability, FileError};

/// How long a file is kept.
const KEPT: Duration = Duration::from_hours(24);

/// Keeps a value in a folder of ours, and returns its file. The values of yesterday are forgotten.
pub(crate) fn keep_value(folder: &Path, value: &[u8]) -> Result<PathBuf, FileError> {
    super::private_dir(folder)?;
    sweep(folder, KEPT);
    let file = folder.join(super::name_of(&[value]));
    super::replace(&file, value, Durability::No)?;
    Ok(file)
}

/// Removes what is older in a folder of ours.
pub(crate) fn sweep(folder: &Path, kept: Duration) {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
    // An attacker may have filled the folder: an event looks at no more than this.
    for old in all.take(1000) {
        let modified = old.metadata().and_then(|meta| meta.modified());
        let age = modified.ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > kept) {
            // One that cannot be removed is tried again the next time.
            let _ = std::fs::remove_file(old.path());
        }
    }
}
