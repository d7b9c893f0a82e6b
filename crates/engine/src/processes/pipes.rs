//! The pipes to and from a process, none of which ever blocks.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::transcript::Capture;
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};

use super::{DAY, TICK};

/// Bytes on their way into a process.
#[derive(Debug, Default)]
pub(super) struct InputPipe {
    pub(super) pipe: Option<File>,
    pub(super) bytes: Arc<[u8]>,
    pub(super) fed: usize,
}

impl InputPipe {
    /// Writes as much as the pipe takes, and closes it behind the last byte.
    pub(super) fn feed(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let rest = self.bytes.get(self.fed..).unwrap_or_default();
            if rest.is_empty() {
                self.pipe = None;
                return;
            }
            match pipe.write(rest) {
                Ok(count) => self.fed += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // It closed its end: not reading is fine.
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// Bytes on their way out of a process.
#[derive(Debug)]
pub(super) struct OutputPipe {
    pub(super) pipe: Option<File>,
    pub(super) capture: Capture,
}

impl OutputPipe {
    pub(super) fn new(pipe: Option<File>) -> Self {
        Self {
            pipe,
            capture: Capture::default(),
        }
    }

    /// Reads up to this many bytes, without waiting for any.
    pub(super) fn read(&mut self, limit: u64, scratch: &mut [u8], keep: usize) {
        let mut rest = limit;
        while let Some(pipe) = self.pipe.as_mut().filter(|_| rest > 0) {
            let room = usize::try_from(rest)
                .unwrap_or(usize::MAX)
                .min(scratch.len());
            let room = scratch.get_mut(..room).unwrap_or_default();
            match pipe.read(room) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    rest = rest.saturating_sub(count as u64);
                    self.keep(scratch.get(..count).unwrap_or_default(), keep);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// Reads what is in the pipe now, and not what a process of the background goes on to write.
    pub(super) fn read_rest(&mut self, scratch: &mut [u8], keep: usize) {
        let waiting = self.pipe.as_ref().map(ioctl_fionread);
        if let Some(Ok(waiting)) = waiting {
            self.read(waiting, scratch, keep);
        }
    }

    fn keep(&mut self, bytes: &[u8], keep: usize) {
        let room = keep
            .saturating_sub(self.capture.kept.len())
            .min(bytes.len());
        let (kept, dropped) = bytes.split_at(room);
        self.capture.kept.extend_from_slice(kept);
        self.capture.dropped += dropped.len() as u64;
    }
}

/// Makes our end of a pipe one that never blocks; a pipe where that fails is closed rather than waited for.
pub(super) fn ready(pipe: Option<impl Into<OwnedFd>>) -> Option<File> {
    let pipe: OwnedFd = pipe?.into();
    ioctl_fionbio(&pipe, true).ok()?;
    Some(File::from(pipe))
}

/// Polls; where that fails, pauses for a tick, so that no failure becomes a busy loop.
pub(super) fn poll_or_pause(fds: &mut [PollFd<'_>], patience: Duration) {
    let patience = Timespec::try_from(patience.min(DAY)).ok();
    match poll(fds, patience.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(_) => std::thread::sleep(TICK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut drain = OutputPipe::new(None);
        for bytes in [b"abc".as_slice(), b"defg", b"hi"] {
            drain.keep(bytes, 5);
        }
        let capture = Capture {
            kept: b"abcde".to_vec(),
            dropped: 4,
        };
        assert_eq!(drain.capture, capture);
    }
}
