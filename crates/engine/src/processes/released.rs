//! A job that outlives the pool that started it: another process takes over its pipes and its deadline.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhook_confine::{Refused, Watch};
use anyhook_core::transcript::{Capture, End, Transcript};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::pipes::{Drain, poll_or_pause, ready};
use super::{Confined, Limits, SCRATCH, orphans};

/// How often the request to end this process is looked for, and a leader that cannot be polled.
const LOOK: Duration = Duration::from_millis(500);

/// A job that left its pool while it runs.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use anyhook_engine::processes::{Job, Limits, Pool, Released};
///
/// let mut pool = Pool::new(Limits::default());
/// pool.start(7, Job {
///     program: "/bin/sh".into(),
///     args: vec!["-c".into(), "echo away; exec sleep 600".into()],
///     env: Vec::new(),
///     cwd: "/".into(),
///     stdin: [].into(),
///     deadline: Duration::from_secs(600),
///     confined: None,
///     warm: None,
/// });
/// let mut away: Vec<(usize, Released)> = Vec::new();
/// while away.is_empty() {
///     pool.turn(Some(Instant::now() + Duration::from_millis(10)));
///     away = pool.release(&|_, line| line == b"away");
/// }
/// assert!(pool.is_idle());
/// away.into_iter().for_each(|(_, released)| released.end());
/// ```
#[derive(Debug)]
pub struct Released {
    pub(super) leader: Pid,
    pub(super) stdout: Drain,
    pub(super) stderr: Drain,
    /// Who sees what is refused to it, and how it is confined.
    pub(super) watched: Option<(Watch, Box<Confined>)>,
    /// Where its calls are told, for the process that takes it.
    pub(super) calls: Option<OwnedFd>,
}

impl Released {
    /// Ends it, if no other process takes it.
    pub fn end(self) {
        // It fails when it just ended, which is what we want of it.
        let _ = kill_process_group(self.leader, Signal::KILL);
    }

    /// Says how another process of ours finds it, which inherits its pipes; they have to be kept until that one has begun.
    pub(crate) fn handed_over(&mut self) -> Result<Adopted, String> {
        let number = |drain: &Drain| {
            let Some(pipe) = &drain.pipe else {
                return Ok(None);
            };
            fcntl_setfd(pipe, FdFlags::empty()).map_err(|error| error.to_string())?;
            Ok::<_, String>(Some(pipe.as_raw_fd()))
        };
        let watch = self.watched.as_ref().map(|(watch, _)| watch);
        self.calls = watch.and_then(Watch::hand_over);
        Ok(Adopted {
            calls: self.calls.as_ref().map(AsRawFd::as_raw_fd),
            leader: self.leader.as_raw_nonzero().get(),
            stdout: number(&self.stdout)?,
            stderr: number(&self.stderr)?,
            said: self.stdout.capture.kept.len(),
        })
    }

    /// Returns how it is confined, if its calls are told.
    pub(crate) fn confined(&self) -> Option<&Confined> {
        self.watched.as_ref().map(|(_, confined)| &**confined)
    }

    /// Returns what it wrote to its standard error so far.
    pub(crate) fn complained(&self) -> Capture {
        self.stderr.capture.clone()
    }

    /// Returns what it said so far.
    pub(crate) fn said(&self) -> &[u8] {
        &self.stdout.capture.kept
    }
}

/// Where the process that takes such a job finds it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Adopted {
    leader: i32,
    stdout: Option<RawFd>,
    stderr: Option<RawFd>,
    /// Where its calls are told.
    calls: Option<RawFd>,
    /// How many bytes it said before.
    pub(crate) said: usize,
}

/// Such a job, taken.
#[derive(Debug)]
pub(crate) struct Taken {
    leader: Option<Pid>,
    exit: Option<OwnedFd>,
    stdout: Drain,
    stderr: Drain,
    watch: Option<Watch>,
}

impl Adopted {
    /// Takes it, while the process lives that started it: until then its id means no other process.
    pub(crate) fn take(self, said: &[u8], confined: Option<&Confined>) -> Taken {
        let pipe = |number: Option<RawFd>| {
            let file = File::open(format!("/dev/fd/{}", number?)).ok();
            ready(file)
        };
        let leader = Pid::from_raw(self.leader);
        let mut stdout = Drain::new(pipe(self.stdout));
        stdout.capture.kept.extend_from_slice(said);
        Taken {
            leader,
            exit: leader.and_then(orphans::watch),
            stdout,
            stderr: Drain::new(pipe(self.stderr)),
            watch: self.calls.zip(confined).and_then(|(calls, confined)| {
                let helper = confined.helper.first().map(PathBuf::from);
                Watch::go_on(calls, &confined.spec, &helper.unwrap_or_default()).ok()
            }),
        }
    }
}

impl Taken {
    /// Reads until the last writer closes, its time is over, or this process is to end. How it ended only the
    /// process knows that started it. With it comes what was refused to it from here on, where that was seen.
    pub(crate) fn finish(
        mut self,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> (Transcript, Option<Refused>) {
        let began = Instant::now();
        let limits = Limits::default();
        let mut end = End::Code(0);
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() || interrupted.load(Ordering::Relaxed) {
                self.end(limits);
                end = End::TimedOut;
                break;
            }
            self.turn(left.min(LOOK), limits);
        }
        let transcript = Transcript {
            stdout: self.stdout.capture,
            stderr: Capture::default(),
            end,
            took: began.elapsed(),
        };
        (transcript, self.watch.and_then(|watch| watch.refused()))
    }

    fn turn(&mut self, patience: Duration, limits: Limits) {
        let pipes = [&self.stdout.pipe, &self.stderr.pipe];
        let open = pipes.into_iter().flatten();
        let mut fds: Vec<PollFd<'_>> = open.map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        poll_or_pause(&mut fds, patience);
        let mut scratch = [0; SCRATCH];
        self.stdout.read(u64::MAX, &mut scratch, limits.keep);
        self.stderr.read(u64::MAX, &mut scratch, limits.keep);
    }

    /// Ends its group while its leader is there, who alone tells that the number is still that of this group.
    fn end(&mut self, limits: Limits) {
        for signal in [Signal::TERM, Signal::KILL] {
            let Some(leader) = self
                .leader
                .filter(|leader| orphans::lives(*leader, self.exit.as_ref()))
            else {
                return;
            };
            let _ = kill_process_group(leader, signal);
            let asked = Instant::now();
            while signal == Signal::TERM
                && asked.elapsed() < limits.grace
                && orphans::lives(leader, self.exit.as_ref())
            {
                self.turn(Duration::from_millis(20), limits);
            }
        }
    }
}
