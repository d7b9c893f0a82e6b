//! Files that another person or program wrote: a manifest, a script, a setting of a person. Each is read once, and a pipe or a device
//! that stands in its place is not waited for.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use serde::de::DeserializeOwned;

/// The longest manifest, plan or file of settings.
pub(crate) const LONGEST_DOCUMENT: u64 = 4 * 1024 * 1024;
/// The longest script.
pub(crate) const LONGEST_SCRIPT: u64 = 64 * 1024 * 1024;

/// Reads a manifest or a script, whatever stands at its place: a pipe or a device is not waited for, and what is longer
/// than a manifest may be is refused.
///
/// ```
/// use anyhook_engine::files::read_document;
///
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("hooks.json");
/// std::fs::write(&file, "{}")?;
/// assert_eq!(read_document(&file), Ok(b"{}".to_vec()));
/// assert!(read_document(place.path()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_document(file: &Path) -> Result<Vec<u8>, String> {
    read_up_to(file, LONGEST_DOCUMENT)
}

/// Reads a file of a package, of at most `limit` bytes, or says in words why that is not possible. A link is followed, and a
/// pipe is never waited for.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_engine::files::read_up_to;
///
/// let place = tempfile::tempdir()?;
/// let file = place.path().join("case.yaml");
/// std::fs::write(&file, "name: a\n")?;
/// assert_eq!(read_up_to(&file, 8), Ok(b"name: a\n".to_vec()));
/// assert_eq!(read_up_to(&file, 7), Err("it is longer than 7 bytes".to_owned()));
/// assert_eq!(read_up_to(Path::new("/dev/zero"), 8), Err("it is not a regular file".to_owned()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_up_to(file: &Path, limit: u64) -> Result<Vec<u8>, String> {
    read_as(file, OFlags::empty(), limit).map(|(bytes, _)| bytes)
}

/// Reads a file of JSON that is no longer than a manifest may be.
pub(crate) fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    serde_json::from_slice(&read_document(file)?).map_err(|error| error.to_string())
}

/// Reads a script of a package, as long as one that can be pinned may be.
pub(crate) fn read_script(file: &Path) -> Result<Vec<u8>, String> {
    read_up_to(file, LONGEST_SCRIPT)
}

/// Reads a regular file, and tells whether it may be executed. A pipe or a device is not waited for.
///
/// Nothing but a file is read where the path ends; a link is an error.
pub(crate) fn read_unlinked(path: &Path, limit: u64) -> Result<(Vec<u8>, bool), String> {
    read_as(path, OFlags::NOFOLLOW, limit)
}

fn read_as(path: &Path, how: OFlags, limit: u64) -> Result<(Vec<u8>, bool), String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let told = |error: io::Error| error.to_string();
    let file = rustix::fs::open(path, flags | how, Mode::empty());
    let file = File::from(file.map_err(|error| told(error.into()))?);
    let meta = file.metadata().map_err(told)?;
    if !meta.is_file() {
        return Err("it is not a regular file".into());
    }
    let bytes = bounded(file, &meta, limit).map_err(told)?;
    let bytes = bytes.ok_or_else(|| format!("it is longer than {limit} bytes"))?;
    Ok((bytes, meta.permissions().mode() & 0o111 != 0))
}

/// Reads a file; nothing where it is longer than `limit` bytes.
pub(super) fn bounded(file: File, meta: &Metadata, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // One byte more than it has: the end is found without asking for more room.
    let room = usize::try_from(meta.len().min(limit) + 1).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}
