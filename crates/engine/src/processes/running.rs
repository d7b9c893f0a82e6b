//! One running job: its pipes, its exit, its transcript.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhook_confine::{AccessMonitor as Watcher, AccessRefusals};
use anyhook_core::transcript::{End, Transcript};
use rustix::event::PollFlags;

use super::family::ProcessGroup;
use super::pipes::{InputPipe, OutputPipe, ready};
use super::program::{self, spawn};
use super::{Job, PoolLimits, orphans};

/// How much of one pipe is read before its neighbours get their turn.
const TURN: u64 = 256 * 1024;

/// What of a job a `poll` waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum PollSource {
    Exit,
    Stdin,
    Stdout,
    Stderr,
}

/// A job whose leader was not seen to end.
#[derive(Debug)]
pub(super) struct RunningJob {
    key: usize,
    started: Instant,
    pub(super) family: ProcessGroup,
    pidfd: Option<OwnedFd>,
    stdin: InputPipe,
    stdout: OutputPipe,
    stderr: OutputPipe,
    exit: Option<io::Result<ExitStatus>>,
    /// Who sees what is refused to it.
    watched: Option<Watcher>,
}

impl RunningJob {
    /// Starts a job, or says why it cannot.
    pub(super) fn start(key: usize, job: Job) -> Result<Self, String> {
        let started = Instant::now();
        let path = job.cwd.join(&job.program);
        let (mut child, watch) =
            spawn(&path, &job).map_err(|error| program::explain(&path, &job.cwd, &error))?;
        let mut running = Self {
            key,
            started,
            pidfd: orphans::watch_exit(&child),
            stdin: InputPipe {
                pipe: ready(child.stdin.take()),
                bytes: job.stdin,
                fed: 0,
            },
            stdout: OutputPipe::new(ready(child.stdout.take())),
            stderr: OutputPipe::new(ready(child.stderr.take())),
            family: ProcessGroup::of_leader(child, started.checked_add(job.deadline)),
            exit: None,
            watched: watch,
        };
        // Most payloads fit the pipe: the hook never waits for our next turn.
        running.stdin.feed();
        Ok(running)
    }

    /// Tells whether nothing but asking tells when it ends.
    pub(super) fn is_unseen(&self) -> bool {
        self.pidfd.is_none()
    }

    /// Moves its deadline to this instant, unless it is earlier.
    pub(super) fn end_by(&mut self, at: Instant) {
        self.family.end_by(at);
    }

    /// All that a `poll` has to wait for.
    pub(super) fn watches(&self) -> impl Iterator<Item = (PollSource, BorrowedFd<'_>, PollFlags)> {
        fn fd(pipe: Option<&impl AsFd>) -> Option<BorrowedFd<'_>> {
            pipe.map(AsFd::as_fd)
        }
        let watches = [
            (PollSource::Exit, fd(self.pidfd.as_ref()), PollFlags::IN),
            (
                PollSource::Stdin,
                fd(self.stdin.pipe.as_ref()),
                PollFlags::OUT,
            ),
            (
                PollSource::Stdout,
                fd(self.stdout.pipe.as_ref()),
                PollFlags::IN,
            ),
            (
                PollSource::Stderr,
                fd(self.stderr.pipe.as_ref()),
                PollFlags::IN,
            ),
        ];
        watches
            .into_iter()
            .filter_map(|(watch, fd, flags)| Some((watch, fd?, flags)))
    }

    /// Does what a `poll` has shown to be possible.
    pub(super) fn serve(&mut self, watch: PollSource, scratch: &mut [u8], keep: usize) {
        match watch {
            PollSource::Exit => self.exit = self.exit.take().or_else(|| self.family.leader_exit()),
            PollSource::Stdin => self.stdin.feed(),
            PollSource::Stdout => self.stdout.read(TURN, scratch, keep),
            PollSource::Stderr => self.stderr.read(TURN, scratch, keep),
        }
    }

    /// Sends the signal that is due, and tells whether its leader ended or was killed.
    pub(super) fn advance(&mut self, now: Instant, grace: Duration) -> bool {
        if self.exit.is_none() && self.is_unseen() {
            self.exit = self.family.leader_exit();
        }
        if self.exit.is_none() {
            self.family.advance(now, grace);
        }
        self.exit.is_some() || self.family.was_killed()
    }

    /// Returns what was refused to it, where that was seen.
    pub(super) fn refused(&self) -> Option<AccessRefusals> {
        self.watched.as_ref()?.refused()
    }

    /// Takes what its leader wrote last, and lets go of the rest.
    pub(super) fn finish(
        mut self,
        now: Instant,
        scratch: &mut [u8],
        limits: PoolLimits,
    ) -> (usize, Transcript, ProcessGroup) {
        self.stdout.read_rest(scratch, limits.keep);
        self.stderr.read_rest(scratch, limits.keep);
        let unanswered = self.watched.as_ref().and_then(Watcher::failed);
        // What it opens fails then, so that what it says is worth nothing.
        let exit = unanswered.map(Err).or(self.exit);
        let end = match exit {
            _ if self.family.was_ended() => End::TimedOut,
            Some(Ok(status)) => status
                .code()
                .map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Code),
            // Another part of this program waited for our child, or its calls were not answered any more.
            Some(Err(error)) => End::NotStarted(format!("its exit code is lost: {error}")),
            None => End::TimedOut,
        };
        let pipes = [self.stdout.pipe, self.stderr.pipe];
        let pipes = pipes.into_iter().flatten().map(OwnedFd::from).collect();
        self.family.linger(now + limits.linger, pipes);
        let transcript = Transcript {
            stdout: self.stdout.capture,
            stderr: self.stderr.capture,
            end,
            took: now.saturating_duration_since(self.started),
        };
        (self.key, transcript, self.family)
    }
}
