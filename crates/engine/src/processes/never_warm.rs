//! Stands in for [`warm`](self) where the kernel has no handles on processes: every job is started.

use std::ffi::OsString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitStatus;

use super::Job;
use super::pipes::Feed;

/// Where a job may find a process that is ready for it: nowhere on this system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warm {
    /// The script and its arguments.
    pub args: Vec<OsString>,
    /// The private folder of the sockets.
    pub folder: PathBuf,
    /// The name of the socket.
    pub key: String,
    /// The program that keeps such processes, and its words.
    pub keeper: Vec<PathBuf>,
    /// What a keeper is told at its start.
    pub order: Vec<u8>,
}

/// A job that runs in a process of a keeper: there is never one.
#[derive(Debug)]
pub(super) enum Worker {}

/// A process that was handed over: there is never one.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) worker: Worker,
    pub(super) request: Feed,
    pub(super) pipes: [OwnedFd; 3],
}

impl Worker {
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match *self {}
    }

    pub(super) fn end(&self) {
        match *self {}
    }

    pub(super) fn exit(&mut self) -> Option<io::Result<ExitStatus>> {
        match *self {}
    }
}

pub(super) fn ask(_: &Warm, _: &Job, _mark: &str) -> Result<Given, String> {
    Err("warm workers need Linux".to_owned())
}
