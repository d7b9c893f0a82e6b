//! Values that are too long for an answer: kept in private files for a day, under the name of their content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Durable, FileError};

/// How long a file is kept.
const KEPT: Duration = Duration::from_hours(24);

/// Keeps a value in a folder of ours, and returns its file. The values of yesterday are forgotten.
pub(crate) fn keep_value(folder: &Path, value: &[u8]) -> Result<PathBuf, FileError> {
    super::private_dir(folder)?;
    sweep(folder);
    let file = folder.join(super::name_of(&[value]));
    super::replace(&file, value, Durable::No)?;
    Ok(file)
}

fn sweep(folder: &Path) {
    for old in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = old.metadata().and_then(|meta| meta.modified());
        let age = modified.ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > KEPT) {
            // One that cannot be removed is tried again the next time.
            let _ = std::fs::remove_file(old.path());
        }
    }
}
