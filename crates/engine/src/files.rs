//! Private files: made for one user, replaced as a whole, locked among processes.
//!
//! Everything that the engine keeps (session state, pins, reports) goes through here. A path below a directory of ours is
//! still hostile ground: a file that is a symbolic link, that is no regular file, or that belongs to another user is
//! refused, never followed. Nothing here reads a clock: waiting is counted in what was slept.
//!
//! ```
//! use std::io::{Read, Write};
//! use std::time::Duration;
//!
//! use anyhook_engine::files::{self, Durability, FileError};
//!
//! let place = tempfile::tempdir()?;
//! let dir = place.path().join("state");
//! files::private_dir(&dir)?;
//!
//! // Replaced as a whole: a reader sees the old one or the new one.
//! let file = dir.join(files::name_of(&[b"claude-code", b"session 1"]));
//! files::replace(&file, b"{}", Durability::No)?;
//! assert_eq!(files::read(&file, 100)?, Some(b"{}".to_vec()));
//! assert!(matches!(files::read(&file, 1), Err(FileError::TooLong { limit: 1, .. })));
//! assert_eq!(files::read(&dir.join("none"), 100)?, None);
//!
//! // Appended to, line by line.
//! let log = dir.join("log");
//! files::appending(&log)?.write_all(b"one\n")?;
//! files::appending(&log)?.write_all(b"two\n")?;
//! let mut text = String::new();
//! files::reading(&log)?.ok_or("no such file")?.read_to_string(&mut text)?;
//! assert_eq!(text, "one\ntwo\n");
//!
//! // One process at a time.
//! let held = files::lock(&dir.join("lock"), Duration::ZERO)?;
//! assert!(matches!(files::lock(&dir.join("lock"), Duration::ZERO), Err(FileError::Busy { .. })));
//! assert!(files::lock_if_free(&dir.join("lock"))?.is_none());
//! held.remove();
//!
//! assert_eq!(files::digest(b"{}").len(), 64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fs::{DirBuilder, File, Metadata, Permissions, TryLockError};
use std::hash::Hasher;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

pub(crate) mod below;
mod document;
pub(crate) mod links;
pub(crate) mod tracked;
mod values;

pub(crate) use document::{
    LONGEST_DOCUMENT, LONGEST_SCRIPT, read_json, read_script, read_unlinked,
};
pub use document::{read_document, read_up_to};
#[doc(hidden)]
pub use links::real;
pub(crate) use values::{keep_value, sweep};

/// A private file that could not be made, read, written or locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It belongs to another user.
    #[error("`{}` belongs to another user", path.display())]
    Foreign {
        /// Which one.
        path: PathBuf,
    },
    /// Something else stands in its place.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// Which one.
        path: PathBuf,
    },
    /// It is longer than anything that we write.
    #[error("`{}` is longer than {limit} bytes", path.display())]
    TooLong {
        /// Which one.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// Another process held it for too long.
    #[error("`{}` stayed locked for {} ms", path.display(), patience.as_millis())]
    Busy {
        /// Which one.
        path: PathBuf,
        /// How long was waited.
        patience: Duration,
    },
}

impl FileError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }
}

/// Whether a write has to survive a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It is on the disk when the call returns.
    Yes,
    /// It is whole or absent, and may be the old one after a power failure.
    No,
}

/// Makes a directory that only this user can enter, with all that is missing above it.
///
/// One that exists is taken if it is this user's; where it is open to others it is closed to them. Its last component is
/// not followed if it is a symbolic link.
pub fn private_dir(path: &Path) -> Result<(), FileError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let dir = match open(path, flags) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut builder = DirBuilder::new();
            let made = builder.recursive(true).mode(0o700).create(path);
            made.map_err(FileError::io("make the directory", path))?;
            open(path, flags)
        }
        opened => opened,
    };
    let dir = dir.map_err(FileError::io("open the directory", path))?;
    let meta = owned(&dir, path)?;
    if meta.mode() & 0o077 != 0 {
        dir.set_permissions(Permissions::from_mode(0o700))
            .map_err(FileError::io("close to others", path))?;
    }
    Ok(())
}

/// Tells whether a file is not there. One that may not be looked at is there.
pub(crate) fn is_nowhere(file: &Path) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    let looked = file.symlink_metadata().map_err(|error| error.kind());
    matches!(looked, Err(NotFound | NotADirectory))
}

/// Reads a private file of at most `limit` bytes; nothing where there is none.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let Some((file, meta)) = opened(path)? else {
        return Ok(None);
    };
    let bytes = document::bounded(file, &meta, limit).map_err(FileError::io("read", path))?;
    let too_long = || FileError::TooLong {
        path: path.into(),
        limit,
    };
    bytes.ok_or_else(too_long).map(Some)
}

/// Replaces a file as a whole: a reader sees the old one or the new one, and a failure leaves the old one.
pub fn replace(path: &Path, bytes: &[u8], durable: Durability) -> Result<(), FileError> {
    let dir = path.parent().unwrap_or_else(|| Path::new("."));
    let failed = |doing| FileError::io(doing, path);
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempfile_in(dir)
        .map_err(failed("make a temporary file for"))?;
    file.write_all(bytes).map_err(failed("write"))?;
    if durable == Durability::Yes {
        file.as_file().sync_all().map_err(failed("sync"))?;
    }
    file.persist(path)
        .map_err(|error| FileError::io("replace", path)(error.error))?;
    if durable == Durability::Yes {
        let dir = File::open(dir).and_then(|dir| dir.sync_all());
        dir.map_err(failed("sync the directory of"))?;
    }
    Ok(())
}

/// How the temporary files of [`replace`] begin; one that a crash left behind is swept by this name.
pub(crate) const TEMPORARY: &str = ".new-";

/// Opens a private file to append to it, and makes it where there is none.
pub fn appending(path: &Path) -> Result<File, FileError> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
    let file = open(path, flags).map_err(FileError::io("open", path))?;
    own(&file, path)?;
    Ok(file)
}

/// Opens a private file to read it; nothing where there is none.
pub fn reading(path: &Path) -> Result<Option<File>, FileError> {
    Ok(opened(path)?.map(|(file, _)| file))
}

fn opened(path: &Path) -> Result<Option<(File, Metadata)>, FileError> {
    match open(path, OFlags::RDONLY) {
        Ok(file) => own(&file, path).map(|meta| Some((file, meta))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::io("open", path)(error)),
    }
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    // NONBLOCK: opening a pipe that was put there must not wait for its other end.
    let safe = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags | safe, Mode::RUSR | Mode::WUSR)?;
    Ok(File::from(file))
}

/// Refuses what is no regular file, and what is another person's; tells what it is.
fn own(file: &File, path: &Path) -> Result<Metadata, FileError> {
    let meta = owned(file, path)?;
    if !meta.is_file() {
        return Err(FileError::NotAFile { path: path.into() });
    }
    Ok(meta)
}

fn owned(file: &File, path: &Path) -> Result<Metadata, FileError> {
    let meta = file.metadata().map_err(FileError::io("look at", path))?;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(FileError::Foreign { path: path.into() });
    }
    Ok(meta)
}

/// An exclusive lock among processes and among threads; dropping it releases it, and so does the end of the process.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_engine::files::{FileLock, lock};
///
/// let place = tempfile::tempdir()?;
/// let path = place.path().join("lock");
/// let held: FileLock = lock(&path, Duration::ZERO)?;
/// drop(held);
/// assert!(path.exists(), "a dropped lock leaves its file");
/// lock(&path, Duration::ZERO)?.remove();
/// assert!(!path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

/// Takes a [`lock`] without patience; nothing where another process has it.
pub fn lock_if_free(path: &Path) -> Result<Option<FileLock>, FileError> {
    match lock(path, Duration::ZERO) {
        Err(FileError::Busy { .. }) => Ok(None),
        taken => taken.map(Some),
    }
}

/// Takes the lock that the file at `path` stands for, and makes that file where there is none.
///
/// The system has no lock with a time limit, and a blocked thread could not be called back. So this tries, and between
/// two tries sleeps, 0.2 ms at first and never more than 5 ms, until the sleeps add up to `patience`. With no patience it
/// tries once. A lock file may be removed by its holder ([`FileLock::remove`]): a process that then gets the lock of the removed file
/// sees that it is no longer the one at `path`, and tries again.
pub fn lock(path: &Path, patience: Duration) -> Result<FileLock, FileError> {
    let mut waited = Duration::ZERO;
    let mut pause = Duration::from_micros(200);
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE;
        let file = open(path, flags).map_err(FileError::io("open", path))?;
        let held = own(&file, path)?;
        match file.try_lock() {
            Ok(()) if stands_at(&held, path) => {
                let path = path.to_owned();
                return Ok(FileLock { file, path });
            }
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(FileError::io("lock", path)(error)),
        }
        if waited >= patience {
            return Err(FileError::Busy {
                path: path.into(),
                patience,
            });
        }
        std::thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn stands_at(held: &Metadata, path: &Path) -> bool {
    let there = std::fs::symlink_metadata(path);
    there.is_ok_and(|there| held.dev() == there.dev() && held.ino() == there.ino())
}

impl FileLock {
    /// Returns the file that is locked, for what only the holder may change.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Removes the lock's file while the lock is still held, then releases it.
    pub fn remove(self) {
        // One that cannot be removed is swept later, and does no harm until then.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Names a file after ids that may hold anything: the SHA-256, in hexadecimal, of all of them, each with its length.
pub fn name_of(ids: &[&[u8]]) -> String {
    let mut naming = NameHasher::default();
    for id in ids {
        naming.0.update((id.len() as u64).to_be_bytes());
        naming.0.update(id);
    }
    naming.name()
}

/// A name in the making, after whatever can be hashed. It means something to processes of one build only: how a value is
/// hashed is a matter of the compiler.
#[derive(Default)]
pub(crate) struct NameHasher(Sha256);

impl NameHasher {
    /// Returns the name: the SHA-256 of everything that was hashed, in hexadecimal.
    pub(crate) fn name(self) -> String {
        hex(&self.0.finalize())
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let mut first = [0; 8];
        let digest = self.0.clone().finalize();
        first
            .iter_mut()
            .zip(digest)
            .for_each(|(to, from)| *to = from);
        u64::from_be_bytes(first)
    }
}

/// Returns the SHA-256 of bytes, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Writes bytes in hexadecimal.
#[doc(hidden)]
pub fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Writes an error with its causes, without the numbers of the system.
#[doc(hidden)]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let told = causes.map(|error| {
        let text = error.to_string();
        let numbered = text
            .strip_suffix(')')
            .and_then(|text| text.rsplit_once(" (os error "));
        numbered.map_or(text.clone(), |(words, _)| words.to_owned())
    });
    told.collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_others_can_enter_is_closed_to_them() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("a/b");
        private_dir(&dir).unwrap();
        std::fs::set_permissions(&dir, Permissions::from_mode(0o777)).unwrap();
        private_dir(&dir).unwrap();
        assert_eq!(std::fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_directory_that_is_a_link_is_refused() {
        let home = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/tmp", home.path().join("link")).unwrap();
        assert!(private_dir(&home.path().join("link")).is_err());
    }

    #[test]
    fn a_file_that_is_a_link_or_a_pipe_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let link = home.path().join("link");
        std::fs::write(home.path().join("real"), "x").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let pipe = home.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR | Mode::WUSR).unwrap();
        assert!(read(&link, 10).is_err());
        assert!(appending(&link).is_err());
        assert!(matches!(read(&pipe, 10), Err(FileError::NotAFile { .. })));
        assert!(lock(&link, Duration::ZERO).is_err());
    }

    #[test]
    fn a_replaced_file_is_private_and_leaves_nothing_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x");
        replace(&path, b"one", Durability::No).unwrap();
        replace(&path, b"two", Durability::Yes).unwrap();
        assert_eq!(read(&path, 3).unwrap().as_deref(), Some(&b"two"[..]));
        assert!(matches!(read(&path, 2), Err(FileError::TooLong { .. })));
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_lock_is_held_by_one_and_a_removed_one_locks_no_one_out() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.lock");
        let held = lock(&path, Duration::ZERO).unwrap();
        assert!(matches!(
            lock(&path, Duration::from_micros(1)),
            Err(FileError::Busy { .. })
        ));
        held.remove();
        let second = lock(&path, Duration::ZERO).unwrap();
        drop(second);
        assert!(lock(&path, Duration::ZERO).is_ok());
    }

    #[test]
    fn ids_that_run_into_each_other_have_different_names() {
        assert_ne!(name_of(&[b"ab", b"c"]), name_of(&[b"a", b"bc"]));
        assert_ne!(name_of(&[b"a\0b"]), name_of(&[b"a", b"b"]));
        assert_eq!(name_of(&[b"/../x"]).len(), 64);
    }
}
