//! The digest of a folder, which shows whether a copy on the disk is the one that was pinned.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// A module is a page of hooks: a repository of more than this is none.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Returns the SHA-256 of the names, modes and contents of all files below a folder, in hexadecimal.
pub(super) fn digest(folder: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut all = Sha256::new();
    let mut bytes = 0;
    for file in &files {
        let unread = |error| format!("`{}` cannot be read: {error}", file.display());
        let meta = file.symlink_metadata().map_err(unread)?;
        if !meta.is_file() {
            return Err(format!("`{}` is no regular file", file.display()));
        }
        bytes += meta.len();
        if bytes > MOST_BYTES {
            return Err(format!("it has more than {} MiB", MOST_BYTES >> 20));
        }
        let name = file.strip_prefix(folder).unwrap_or(file).as_os_str();
        let is_run = meta.permissions().mode() & 0o100 != 0;
        all.update((name.len() as u64).to_be_bytes());
        all.update(name.as_bytes());
        all.update([u8::from(is_run)]);
        all.update(meta.len().to_be_bytes());
        let mut content = Vec::new();
        let opened = fs::File::open(file).map_err(unread)?;
        // No more than was announced: a file that grows meanwhile is another one.
        let read = opened.take(meta.len()).read_to_end(&mut content);
        read.map_err(unread)?;
        all.update(&content);
    }
    Ok(anyhook_engine::files::hex(&all.finalize()))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let unread = |error| format!("`{}` cannot be read: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        if entry.file_type().map_err(unread)?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
        if files.len() > MOST_FILES {
            return Err(format!("it has more than {MOST_FILES} files"));
        }
    }
    Ok(())
}
