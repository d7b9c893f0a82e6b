//! Writing for all users to read, whole or not at all, and on the disk before the next step.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use crate::error::PolicyError;

/// Makes a folder that all may read, with all that is missing above it.
pub(crate) fn folder(path: &Path) -> Result<(), PolicyError> {
    let made = DirBuilder::new().recursive(true).mode(0o755).create(path);
    made.map_err(PolicyError::io("make the folder", path))
}

/// Writes a file that is not there yet.
pub(crate) fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<(), PolicyError> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path);
    let file = file.map_err(PolicyError::io("make", path))?;
    write(&file, bytes, mode).map_err(PolicyError::io("write", path))
}

fn write(mut file: &File, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

/// Replaces a file as a whole.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<(), PolicyError> {
    let folder = path.parent().unwrap_or(path);
    let failed = |doing| PolicyError::io(doing, path);
    let file = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(folder)
        .map_err(failed("write"))?;
    write(file.as_file(), bytes, mode).map_err(failed("write"))?;
    file.persist(path)
        .map_err(|error| PolicyError::io("replace", path)(error.error))?;
    sync(folder)
}

/// Lets a link lead to another place, in one step.
pub(crate) fn link(path: &Path, to: &Path) -> Result<(), PolicyError> {
    let folder = path.parent().unwrap_or(path);
    let failed = |doing| PolicyError::io(doing, path);
    let place = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(folder)
        .map_err(failed("link"))?;
    let new = place.path().join("link");
    symlink(to, &new)
        .and_then(|()| fs::rename(&new, path))
        .map_err(failed("link"))?;
    sync(folder)
}

/// Waits until what a folder lists is on the disk.
pub(crate) fn sync(folder: &Path) -> Result<(), PolicyError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(PolicyError::io("sync the folder", folder))
}

/// Waits until every folder of a revision is on the disk.
pub(crate) fn synced(folder: &Path) -> Result<(), PolicyError> {
    for entry in fs::read_dir(folder)
        .map_err(PolicyError::io("read", folder))?
        .flatten()
    {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            synced(&entry.path())?;
        }
    }
    sync(folder)
}
