//! A process that waits for an answer given elsewhere: it holds a lock in the private folder of approvals, and looks into the book.
//!
//! The system frees the lock with its process, so a question that only a dead process waited for is dead too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::{self, FileError, FileLock};

/// How often a process that waits looks for an answer, and whether its agent wants it to end.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// One who waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    lock: Option<FileLock>,
    name: String,
}

impl Waiter {
    /// Begins to wait: who looks sees that it is there.
    pub(super) fn new(folder: &Path, id: &str) -> Result<Self, FileError> {
        files::private_dir(folder)?;
        let name = format!("{}-{id}", std::process::id());
        let lock = Some(files::lock(&of(folder, &name), Duration::ZERO)?);
        Ok(Self { lock, name })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let _ = self.lock.take().map(FileLock::remove);
    }
}

fn of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.wait"))
}

/// Tells whether one who waits is still there. One that was killed leaves its file behind, which is removed.
pub(super) fn is_alive(folder: &Path, name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let path = of(folder, name);
    let left = || files::lock_if_free(&path).ok().flatten();
    is_plain && path.exists() && left().map(FileLock::remove).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_waits_is_there_until_it_is_dropped_or_killed() {
        let folder = tempfile::tempdir().unwrap();
        let waiter = Waiter::new(folder.path(), "one").unwrap();
        let name = waiter.name().to_owned();
        assert!(is_alive(folder.path(), &name) && !is_alive(folder.path(), "../one"));
        drop(waiter);
        assert!(!is_alive(folder.path(), &name) && !of(folder.path(), &name).exists());
        // A process that was killed leaves its file behind.
        std::fs::write(of(folder.path(), "dead"), "").unwrap();
        assert!(!is_alive(folder.path(), "dead") && !of(folder.path(), "dead").exists());
    }
}
