//! Stands in for [`linux`](self) elsewhere: exits are asked for in ticks, and what leaves its group is not found.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::family::Kin;

/// No file tells the exit of a child here.
pub(super) fn watch_exit(_child: &Child) -> Option<OwnedFd> {
    None
}

/// Children are of the process here, whichever thread starts them.
pub(super) fn this_thread() -> Pid {
    rustix::process::getpid()
}

/// The leader of a job that was not waited for.
#[derive(Debug)]
pub(super) struct Leader(Child);

impl Leader {
    pub(super) fn of(child: Child) -> Self {
        Self(child)
    }

    /// Waits for it without blocking, and tells how it ended.
    pub(super) fn exit(&mut self) -> Option<io::Result<ExitStatus>> {
        self.0.try_wait().transpose()
    }
}

/// It is not known.
pub(super) fn is_childless() -> bool {
    false
}

/// What is below this process is not listed here.
pub(super) fn end_all(_: &Reaper, _patience: Duration) -> usize {
    0
}

/// There is nothing to keep: orphans go to the first process.
#[derive(Debug)]
pub(super) struct Reaper(());

impl Reaper {
    pub(super) fn new() -> Self {
        Self(())
    }
}

/// A process that left the group of its job: there is never one.
#[derive(Debug)]
pub(super) enum Stray {}

impl Stray {
    pub(super) fn pid(&self) -> Pid {
        match *self {}
    }

    pub(super) fn send(&self, _signal: Signal) {
        match *self {}
    }

    pub(super) fn is_gone(&self) -> bool {
        match *self {}
    }
}

/// Finds nothing.
pub(super) fn seek(_kin: &[Kin]) -> Vec<(usize, Stray)> {
    Vec::new()
}
