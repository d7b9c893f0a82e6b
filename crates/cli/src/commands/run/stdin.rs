//! The payload on standard input, read in the agent's time.

use std::io::{Error, Result};
use std::os::fd::AsFd;
use std::time::Instant;

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::payload::LARGEST;
use crate::ui;

/// So much is read at first.
const PIECE: usize = 16 * 1024;

/// Reads standard input until its end or until this instant, and returns what came: an agent that does not close it is
/// answered all the same.
pub(super) fn until(last: Instant) -> Result<Vec<u8>> {
    let stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        if !is_ready(&stdin, last)? {
            ui::err("anyhook: the agent did not close the standard input of its hook\n");
            return Ok(bytes);
        }
        if bytes.len() == bytes.capacity() {
            bytes.reserve(bytes.len().max(PIECE));
        }
        match rustix::io::read(&stdin, spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if bytes.len() as u64 > LARGEST {
            return Err(Error::other("the event is larger than 64 MiB"));
        }
    }
}

/// Waits until there is something to read, or the end.
fn is_ready(stdin: &impl AsFd, last: Instant) -> Result<bool> {
    loop {
        let left = last.saturating_duration_since(Instant::now());
        let wait = Timespec::try_from(left).ok();
        let mut fds = [PollFd::new(stdin, PollFlags::IN)];
        match poll(&mut fds, wait.as_ref()) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            // A signal: what it wants is looked at when there is something to end.
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
