//! A process that waits for an answer given elsewhere: it listens on a socket of its own in the private folder of approvals.
//!
//! Who answers knocks there after the answer is on the disk. What comes over the socket says nothing: the book is read again.
//! The system closes the socket with its process, so a question that only a dead process waited for is dead too.

use std::io::{self, ErrorKind};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::files;

/// How often a process that waits looks whether its agent wants it to end; an answer wakes it at once.
const LOOK: Duration = Duration::from_millis(200);

/// One who waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    socket: UnixDatagram,
    path: PathBuf,
    name: String,
}

/// Why the waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    /// Something was answered.
    Answered,
    /// The time is over, or this process has to end.
    Over,
}

impl Waiter {
    /// Begins to listen. What is answered from now on is not missed.
    pub(super) fn new(folder: &Path, id: &str) -> io::Result<Self> {
        files::private_dir(folder).map_err(io::Error::other)?;
        let name = format!("{}-{id}", std::process::id());
        let path = of(folder, &name);
        let socket = UnixDatagram::bind(&path)?;
        Ok(Self { socket, path, name })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Waits for a knock.
    pub(crate) fn wait(&self, until: Instant, interrupted: &AtomicBool) -> Woken {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || interrupted.load(Ordering::Relaxed) {
                return Woken::Over;
            }
            let slice = left.min(LOOK).max(Duration::from_millis(1));
            if self.socket.set_read_timeout(Some(slice)).is_err() {
                return Woken::Over;
            }
            match self.socket.recv(&mut [0; 1]) {
                Ok(_) => return Woken::Answered,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {}
                    _ => return Woken::Over,
                },
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.wait"))
}

/// Wakes one who waits. One that is gone leaves its socket behind, which is removed.
pub(super) fn knock(folder: &Path, name: &str) {
    let path = of(folder, name);
    let knocked = UnixDatagram::unbound().and_then(|socket| {
        socket.set_nonblocking(true)?;
        socket.send_to(b"!", &path)
    });
    if knocked.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        let _ = std::fs::remove_file(path);
    }
}

/// Tells whether one who waits is still there.
pub(super) fn is_alive(folder: &Path, name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let reached = || {
        let socket = UnixDatagram::unbound()?;
        socket.connect(of(folder, name))
    };
    is_plain && reached().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_waits_is_woken_by_a_knock_and_is_gone_with_its_socket() {
        let folder = tempfile::tempdir().unwrap();
        let waiter = Waiter::new(folder.path(), "one").unwrap();
        let name = waiter.name().to_owned();
        assert!(is_alive(folder.path(), &name) && !is_alive(folder.path(), "../one"));
        let wanted = AtomicBool::new(false);
        knock(folder.path(), &name);
        let until = Instant::now() + Duration::from_mins(1);
        assert_eq!(waiter.wait(until, &wanted), Woken::Answered);
        assert_eq!(waiter.wait(Instant::now(), &wanted), Woken::Over);
        wanted.store(true, Ordering::Relaxed);
        assert_eq!(waiter.wait(until, &wanted), Woken::Over);
        drop(waiter);
        assert!(!is_alive(folder.path(), &name));
        // A process that was killed leaves its socket behind.
        drop(UnixDatagram::bind(of(folder.path(), "dead")).unwrap());
        assert!(of(folder.path(), "dead").exists() && !is_alive(folder.path(), "dead"));
        knock(folder.path(), "dead");
        assert!(!of(folder.path(), "dead").exists());
    }
}
