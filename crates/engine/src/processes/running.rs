//! One running job: its pipes, its exit, its transcript.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhook_core::transcript::{Capture, End, Transcript};
use rustix::event::PollFlags;
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, getpid};

use super::family::{Family, Kin};
use super::{Job, Limits, MARK, orphans, program};

/// How much of one pipe is read before its neighbours get their turn.
const TURN: u64 = 256 * 1024;

/// The number of the next job of this process, whatever its pool.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What of a job a `poll` waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Watch {
    Exit,
    Stdin,
    Stdout,
    Stderr,
}

/// A job whose leader was not seen to end.
#[derive(Debug)]
pub(super) struct Running {
    key: usize,
    started: Instant,
    family: Family,
    pidfd: Option<OwnedFd>,
    stdin: Feed,
    stdout: Drain,
    stderr: Drain,
    exit: Option<io::Result<ExitStatus>>,
}

impl Running {
    /// Starts a job, or says why it cannot.
    pub(super) fn start(key: usize, job: Job) -> Result<Self, String> {
        let inherited = job.env.iter().rev().find(|(name, _)| name == MARK);
        let mark = mark(inherited.map(|(_, value)| value.as_os_str()));
        let started = Instant::now();
        let path = job.cwd.join(&job.program);
        let mut child =
            spawn(&path, &job, &mark).map_err(|error| program::explain(&path, &job.cwd, &error))?;
        let kin = Kin {
            mark,
            group: Pid::from_child(&child),
        };
        let mut running = Self {
            key,
            started,
            pidfd: orphans::watch_exit(&child),
            stdin: Feed {
                pipe: ready(child.stdin.take()),
                bytes: job.stdin,
                fed: 0,
            },
            stdout: Drain::new(ready(child.stdout.take())),
            stderr: Drain::new(ready(child.stderr.take())),
            family: Family::of_leader(child, kin, started.checked_add(job.deadline)),
            exit: None,
        };
        // Most payloads fit the pipe: the hook never waits for our next turn.
        running.stdin.feed();
        Ok(running)
    }

    pub(super) fn family(&self) -> &Family {
        &self.family
    }

    pub(super) fn into_family(self) -> Family {
        self.family
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
    pub(super) fn watches(&self) -> impl Iterator<Item = (Watch, BorrowedFd<'_>, PollFlags)> {
        let watches = [
            (
                Watch::Exit,
                self.pidfd.as_ref().map(AsFd::as_fd),
                PollFlags::IN,
            ),
            (
                Watch::Stdin,
                self.stdin.pipe.as_ref().map(AsFd::as_fd),
                PollFlags::OUT,
            ),
            (
                Watch::Stdout,
                self.stdout.pipe.as_ref().map(AsFd::as_fd),
                PollFlags::IN,
            ),
            (
                Watch::Stderr,
                self.stderr.pipe.as_ref().map(AsFd::as_fd),
                PollFlags::IN,
            ),
        ];
        watches
            .into_iter()
            .filter_map(|(watch, fd, flags)| Some((watch, fd?, flags)))
    }

    /// Does what a `poll` has shown to be possible.
    pub(super) fn serve(&mut self, watch: Watch, scratch: &mut [u8], keep: usize) {
        match watch {
            Watch::Exit => self.exit = self.exit.take().or_else(|| self.family.leader_exit()),
            Watch::Stdin => self.stdin.feed(),
            Watch::Stdout => self.stdout.read(TURN, scratch, keep),
            Watch::Stderr => self.stderr.read(TURN, scratch, keep),
        }
    }

    /// Sends the signal that is due, and tells whether its leader ended or was killed.
    pub(super) fn advance(&mut self, now: Instant, grace: std::time::Duration) -> bool {
        if self.exit.is_none() && self.is_unseen() {
            self.exit = self.family.leader_exit();
        }
        if self.exit.is_none() {
            self.family.advance(now, grace);
        }
        self.exit.is_some() || self.family.was_killed()
    }

    /// Takes what its leader wrote last, and lets go of the rest.
    pub(super) fn finish(
        mut self,
        now: Instant,
        scratch: &mut [u8],
        limits: Limits,
    ) -> (usize, Transcript, Family) {
        self.stdout.read_rest(scratch, limits.keep);
        self.stderr.read_rest(scratch, limits.keep);
        let end = match self.exit {
            _ if self.family.was_ended() => End::TimedOut,
            Some(Ok(status)) => status
                .code()
                .map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Code),
            // Another part of this program waited for our child, or told the kernel to.
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

/// Bytes on their way into a process.
#[derive(Debug)]
struct Feed {
    pipe: Option<File>,
    bytes: Arc<[u8]>,
    fed: usize,
}

impl Feed {
    /// Writes as much as the pipe takes, and closes it behind the last byte.
    fn feed(&mut self) {
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
struct Drain {
    pipe: Option<File>,
    capture: Capture,
}

impl Drain {
    fn new(pipe: Option<File>) -> Self {
        Self {
            pipe,
            capture: Capture::default(),
        }
    }

    /// Reads up to this many bytes, without waiting for any.
    fn read(&mut self, limit: u64, scratch: &mut [u8], keep: usize) {
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
    fn read_rest(&mut self, scratch: &mut [u8], keep: usize) {
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
fn ready(pipe: Option<impl Into<OwnedFd>>) -> Option<File> {
    let pipe: OwnedFd = pipe?.into();
    ioctl_fionbio(&pipe, true).ok()?;
    Some(File::from(pipe))
}

/// Starts a process as the leader of a group of its own.
///
/// It stays on the path of `posix_spawn`, whose cost does not grow with our memory: a full path, and no `pre_exec`.
fn spawn(path: &Path, job: &Job, mark: &str) -> io::Result<Child> {
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(job.env.iter().map(|(name, value)| (name, value)))
            .env(MARK, mark);
        command.current_dir(&job.cwd).process_group(0);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let spawned = command(path).args(&job.args).spawn();
    match spawned {
        // A script without a first line that names its interpreter is one for `sh`, as every shell has it.
        Err(error)
            if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
                && program::is_text(path) =>
        {
            command(Path::new("/bin/sh"))
                .arg(path)
                .args(&job.args)
                .spawn()
        }
        spawned => spawned,
    }
}

/// The mark of a new job, below the one that its environment carries.
fn mark(inherited: Option<&OsStr>) -> String {
    let own = format!("{}.{}", getpid(), NEXT.fetch_add(1, Ordering::Relaxed));
    match inherited.and_then(OsStr::to_str) {
        Some(outer) if is_mark(outer) => format!("{outer}/{own}"),
        _ => own,
    }
}

/// Tells whether a value is one of ours; the bound keeps jobs inside jobs from filling the environment.
fn is_mark(value: &str) -> bool {
    let is_ours = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'/');
    !value.is_empty() && value.len() < 512 && value.bytes().all(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_appended_to_a_mark_and_to_nothing_else() {
        let outer = ["4.1", "4.1/7.2", "4.1; rm", ""].map(|value| Some(OsStr::new(value)));
        let marks = outer.map(mark);
        let prefixes = marks.map(|mark| mark.rsplit_once('/').map(|(outer, _)| outer.to_owned()));
        assert_eq!(
            prefixes,
            [
                Some("4.1".to_owned()),
                Some("4.1/7.2".to_owned()),
                None,
                None
            ]
        );
    }

    #[test]
    fn two_jobs_never_share_a_mark() {
        assert_ne!(mark(None), mark(None));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut drain = Drain::new(None);
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
