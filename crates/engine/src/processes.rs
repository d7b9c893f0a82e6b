//! Runs the processes of hooks: all of them side by side, in one `poll`, without a thread.
//!
//! What a confined job is refused is heard by a thread of its own, so that no call of it makes the others wait.
//!
//! A [`Pool`] starts jobs, feeds and drains their pipes, keeps their deadlines, and hands back one [`Transcript`] each.
//! Every job leads a process group of its own. The end of a job is the end of its leader, not the end of its output:
//! what it left running is given [`PoolLimits::linger`], then TERM, then KILL, while the answer is already with the caller.
//!
//! # What is ended
//!
//! The group. A program of ours that is [`ExclusiveReaper`] also ends what left the group (`setsid`, a daemon): on Linux it is the parent
//! of its orphans, and whatever it did not start itself comes from a job. A program that has children of its own keeps
//! them, and what left its group there outlives the job.
//!
//! # What it refuses to do
//!
//! It searches no `PATH` (see [`find_program`]), runs no shell of its own accord, and reads no verdict.
//!
//! The program around it must ignore SIGPIPE, as every Rust and Python program does.
//!
//! # Example
//!
//! ```
//! use std::ffi::OsStr;
//! use std::path::Path;
//! use std::time::Duration;
//!
//! use anyhook_engine::core::transcript::End;
//! use anyhook_engine::processes::{Job, PoolLimits, Pool, find_program};
//!
//! let sh = find_program(OsStr::new("sh"), OsStr::new("/usr/bin:/bin"), Path::new("/"))
//!     .ok_or("no shell")?;
//! let job = |script: &str| Job {
//!     program: sh.clone(),
//!     args: vec!["-c".into(), script.into()],
//!     env: Vec::new(),
//!     cwd: "/".into(),
//!     stdin: b"{}\n".as_slice().into(),
//!     deadline: Duration::from_secs(30),
//!     confined: None,
//! };
//! let mut pool = Pool::new(PoolLimits { keep: 4096, ..PoolLimits::default() });
//! pool.start(0, job("read event; echo \"$event\"; exit 2"));
//! pool.start(1, job("exit 0"));
//!
//! let mut ended = Vec::new();
//! while !pool.is_idle() {
//!     ended.extend(pool.turn(None));
//! }
//! ended.sort_by_key(|(key, _)| *key);
//! let [(0, echoed), (1, silent)] = &ended[..] else { panic!() };
//! assert_eq!((&echoed.end, &*echoed.stdout.text()), (&End::Code(2), "{}\n"));
//! assert_eq!(silent.end, End::Code(0));
//! pool.settle();
//! # Ok::<(), &str>(())
//! ```

mod ancestors;
mod family;
#[cfg_attr(not(target_os = "linux"), path = "processes/portable.rs")]
#[cfg_attr(target_os = "linux", path = "processes/linux.rs")]
mod orphans;
mod pipes;
mod program;
mod running;
mod starting;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhook_confine::{AccessRefusals, Spec};
use anyhook_core::transcript::{Capture, End, Transcript};
use rustix::event::PollFd;

pub use ancestors::{AncestorProcess, ancestors, below_an_agent};
use family::ProcessGroup;
use orphans::Reaper;
use pipes::poll_or_pause;
pub use program::find_program;
pub(crate) use program::{SYSTEM, is_program, system_program};
use running::{PollSource, RunningJob};
pub use starting::{start, write_programs};

/// How often a process is looked at that cannot be polled, and how often leftovers are while they are waited for.
const TICK: Duration = Duration::from_millis(2);

/// How long killed processes may take to disappear before they are given up (they hang in the kernel).
const LAST_LOOK: Duration = Duration::from_millis(100);

/// The same for the last processes of a run, for which only this process waits, as a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much is read at once: hooks say little.
const SCRATCH: usize = 4 * 1024;

/// As long as anything waits: a bound that neither the clock nor the kernel overflows on.
const DAY: Duration = Duration::from_hours(24);

/// One process to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The file to execute; a relative path counts from `cwd`, and no `PATH` is searched.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited. Of equal names the last counts.
    pub env: Vec<(OsString, OsString)>,
    /// The directory it starts in.
    pub cwd: PathBuf,
    /// What it may read from its standard input before the end of file.
    pub stdin: Arc<[u8]>,
    /// How long it may run, from its start to TERM.
    pub deadline: Duration,
    /// What the kernel is to keep it from; nothing means that it runs open.
    pub confined: Option<Box<ConfinedJob>>,
}

/// How a job is started confined: by the helper program, which confines itself and becomes the job.
///
/// ```
/// use anyhook_confine::{AccessRefusals, Spec};
/// use anyhook_engine::processes::ConfinedJob;
///
/// let helper = vec!["/usr/bin/anyhook".into(), "confined".into()];
/// let confined = ConfinedJob { helper, spec: Spec::default(), watched: true };
/// let (program, args) = confined.line("/bin/true".as_ref(), &["-v".into()], Some(7));
/// assert_eq!(program, std::path::Path::new("/usr/bin/anyhook"));
/// assert_eq!(args[..5], ["confined", "--report", "2", "--calls", "7"]);
/// assert_eq!(args[6..], ["--", "/bin/true", "-v"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedJob {
    /// The beginning of the command line: the helper program, and its verb where it is `anyhook` itself.
    pub helper: Vec<OsString>,
    /// What the helper gets.
    pub spec: Spec,
    /// Whether what is refused to it is seen and told.
    pub watched: bool,
}

impl ConfinedJob {
    /// Returns the program that is started, and its arguments. What was reached is the first line of its standard error; on
    /// `watcher`, which it inherits, it says where its calls are told.
    pub fn line(
        &self,
        program: &Path,
        args: &[OsString],
        watcher: Option<RawFd>,
    ) -> (PathBuf, Vec<OsString>) {
        let mut words = self.helper.iter().cloned();
        let helper = words.next().unwrap_or_default();
        let watcher = watcher.map(|number| ["--calls".to_owned(), number.to_string()]);
        let report = ["--report", "2"].map(OsString::from);
        let watcher = watcher.into_iter().flatten().map(OsString::from);
        let ours = [self.spec.to_argument().as_str(), "--"].map(OsString::from);
        let job = [program.as_os_str().to_owned()];
        let ours = report.into_iter().chain(watcher).chain(ours);
        let args = words.chain(ours).chain(job).chain(args.iter().cloned());
        (helper.into(), args.collect())
    }
}

/// The bounds that hold for every job of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    /// How many bytes of each output stream are kept.
    pub keep: usize,
    /// How long after TERM comes KILL.
    pub grace: Duration,
    /// How long what a job left behind may go on after the job ended by itself.
    pub linger: Duration,
}

impl Default for PoolLimits {
    /// Keeps 1 MiB, gives 1 s of grace, lets leftovers linger for 200 ms.
    fn default() -> Self {
        Self {
            keep: 1 << 20,
            grace: Duration::from_secs(1),
            linger: Duration::from_millis(200),
        }
    }
}

/// A process that had no child, and starts nothing but jobs from then on: whatever is below it afterwards comes from them.
///
/// Until it is dropped this process is the reaper of its orphans, whether or not a pool lives.
///
/// A program may have children that it did not start: a shell that becomes it by `exec` leaves it its own.
///
/// ```
/// use anyhook_engine::processes::ExclusiveReaper;
///
/// if let Some(alone) = ExclusiveReaper::now() {
///     assert_eq!(alone.end_rest(), 0);
/// }
/// ```
#[derive(Debug)]
pub struct ExclusiveReaper(Reaper);

impl ExclusiveReaper {
    /// Tells whether this process has no child now; elsewhere than on Linux it is not known.
    pub fn now() -> Option<Self> {
        orphans::is_childless().then(|| Self(Reaper::new()))
    }

    /// Ends everything that is left below this process when all jobs have ended, and that this process did not start itself.
    /// Returns how many processes that were.
    pub fn end_rest(&self) -> usize {
        orphans::end_orphans(&self.0, PoolLimits::default().linger, PATIENCE)
    }
}

/// What was found of jobs that ended, when everything of them had to be gone.
///
/// ```
/// use anyhook_engine::processes::{Job, Leftovers, PoolLimits, Pool};
///
/// let job = |line: &str| Job {
///     program: "/bin/sh".into(),
///     args: vec!["-c".into(), line.into()],
///     env: Vec::new(),
///     cwd: "/".into(),
///     stdin: [].into(),
///     deadline: std::time::Duration::from_secs(60),
///     confined: None,
/// };
/// let left = |line: &str| {
///     let mut pool = Pool::new(PoolLimits::default());
///     pool.start(0, job(line));
///     pool.turn(None);
///     pool.settle()
/// };
/// assert_eq!(left("exit 0"), Leftovers::Gone);
/// assert_eq!(left("sleep 300 >/dev/null 2>&1 & exit 0"), Leftovers::Ended);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// Nothing, or what went by itself in time.
    #[default]
    Gone,
    /// Something that had to be ended.
    Ended,
}

/// How many jobs [`run`] has at a time.
const TOGETHER: usize = 8;

/// Runs jobs to their ends, a few side by side, and returns what each did, under its key. What they leave behind is ended.
pub fn run(jobs: impl IntoIterator<Item = (usize, Job)>) -> Vec<(usize, Transcript)> {
    let mut pool = Pool::new(PoolLimits::default());
    let mut ended = Vec::new();
    for (at, (key, job)) in jobs.into_iter().enumerate() {
        if at >= TOGETHER {
            ended.extend(pool.turn(None));
        }
        pool.start(key, job);
    }
    while !pool.is_idle() {
        ended.extend(pool.turn(None));
    }
    pool.settle();
    ended
}

/// Runs any number of jobs side by side.
///
/// Nothing moves unless [`turn`](Self::turn) or [`settle`](Self::settle) is called. Dropping a pool kills whatever is
/// still there.
#[derive(Debug)]
pub struct Pool {
    limits: PoolLimits,
    running: Vec<RunningJob>,
    ended: Vec<(usize, Transcript)>,
    /// What ended jobs left behind and is known.
    left: Vec<ProcessGroup>,
    /// Whether anything of them had to be ended since then.
    leftovers: Leftovers,
    /// What was refused to jobs that ended.
    refused: BTreeMap<usize, AccessRefusals>,
    _reaper: Reaper,
}

impl Pool {
    /// Makes a pool without jobs; on Linux this process is the parent of its orphans while any pool lives, so that a group that
    /// lost its leader is waited for. Times over a day are taken as a day.
    pub fn new(limits: PoolLimits) -> Self {
        let limits = PoolLimits {
            grace: limits.grace.min(DAY),
            linger: limits.linger.min(DAY),
            ..limits
        };
        Self {
            limits,
            // Most events have one job, and room for four is more than the allocator has at hand.
            running: Vec::with_capacity(1),
            ended: Vec::new(),
            left: Vec::new(),
            leftovers: Leftovers::Gone,
            refused: BTreeMap::new(),
            _reaper: Reaper::new(),
        }
    }

    /// Starts a job; its transcript comes back from [`turn`](Self::turn) under this key.
    ///
    /// It never fails: what cannot start has a transcript that says so.
    pub fn start(&mut self, key: usize, job: Job) {
        match RunningJob::start(key, job) {
            Ok(running) => self.running.push(running),
            Err(why) => {
                let transcript = Transcript {
                    stdout: Capture::default(),
                    stderr: Capture::default(),
                    end: End::NotStarted(why),
                    took: Duration::ZERO,
                };
                self.ended.push((key, transcript));
            }
        }
    }

    /// Blocks until a job ended or `until` passed, and hands back what ended, in the order of starting.
    ///
    /// It returns at once when no job runs. With an instant that has passed it does what can be done without waiting.
    pub fn turn(&mut self, until: Option<Instant>) -> Vec<(usize, Transcript)> {
        while !self.is_idle() {
            let wake = if self.ended.is_empty() {
                self.wake_at(until)
            } else {
                Some(Instant::now())
            };
            self.wait(wake);
            let now = Instant::now();
            self.advance(now);
            if !self.ended.is_empty() || until.is_some_and(|until| until <= now) {
                break;
            }
        }
        std::mem::take(&mut self.ended)
    }

    /// Takes what was refused to a job that ended; nothing where that was not seen.
    ///
    /// ```
    /// use anyhook_engine::processes::{PoolLimits, Pool};
    ///
    /// assert_eq!(Pool::new(PoolLimits::default()).refused(0), None);
    /// ```
    pub fn refused(&mut self, key: usize) -> Option<AccessRefusals> {
        self.refused.remove(&key)
    }

    /// Tells whether no job runs and no transcript waits to be handed back; leftovers do not count.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty() && self.ended.is_empty()
    }

    /// Ends all jobs that still run: TERM now, KILL after the grace. `turn` hands them back as timed out.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use anyhook_engine::core::transcript::End;
    /// use anyhook_engine::processes::{Job, PoolLimits, Pool};
    ///
    /// let mut pool = Pool::new(PoolLimits::default());
    /// pool.start(7, Job {
    ///     program: "/bin/sleep".into(),
    ///     args: vec!["600".into()],
    ///     env: Vec::new(),
    ///     cwd: "/".into(),
    ///     stdin: [].into(),
    ///     deadline: Duration::from_secs(600),
    ///     confined: None,
    /// });
    /// pool.end_all();
    /// let ended = pool.turn(None);
    /// assert_eq!((ended[0].0, &ended[0].1.end), (7, &End::TimedOut));
    /// ```
    pub fn end_all(&mut self) {
        let now = Instant::now();
        for running in &mut self.running {
            running.end_by(now);
        }
        self.advance(now);
    }

    /// Waits until nothing is left of the jobs that ended, and ends what does not go by itself.
    ///
    /// To be called when the answer is out. It takes at most the linger and the grace, and returns at once when nothing
    /// is left. Jobs that still run are not touched, and make no progress meanwhile.
    pub fn settle(&mut self) -> Leftovers {
        let now = Instant::now();
        self.left.retain_mut(|family| !family.is_gone());
        self.clear(now + self.limits.linger + self.limits.grace);
        std::mem::take(&mut self.leftovers)
    }

    /// Waits until all leftovers are gone; from `kill_at` on kills them again and again, and soon gives up.
    fn clear(&mut self, kill_at: Instant) {
        while !self.left.is_empty() {
            let now = Instant::now();
            self.end_leftovers(now, kill_at);
            if now >= kill_at + LAST_LOOK {
                self.left.clear();
            } else if !self.left.is_empty() {
                poll_or_pause(&mut [], TICK);
            }
        }
    }

    /// The next instant at which something is due.
    fn wake_at(&self, until: Option<Instant>) -> Option<Instant> {
        let families = (self.running.iter().map(|one| &one.family)).chain(&self.left);
        let due = families.filter_map(ProcessGroup::wake_at);
        let unseen = self.running.iter().any(RunningJob::is_unseen);
        let tick = unseen.then(|| Instant::now() + TICK);
        due.chain(until).chain(tick).min()
    }

    /// Waits for pipes and exits until `wake`, and serves those that are ready.
    fn wait(&mut self, wake: Option<Instant>) {
        let mut fds: Vec<PollFd<'_>> = Vec::new();
        let mut watches: Vec<(usize, PollSource)> = Vec::new();
        for (index, running) in self.running.iter().enumerate() {
            for (watch, fd, flags) in running.watches() {
                fds.push(PollFd::from_borrowed_fd(fd, flags));
                watches.push((index, watch));
            }
        }
        let patience = wake.map_or(Duration::MAX, |wake| {
            wake.saturating_duration_since(Instant::now())
        });
        poll_or_pause(&mut fds, patience);
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut scratch = [0; SCRATCH];
        for ((index, watch), is_ready) in watches.into_iter().zip(ready) {
            if let Some(running) = self.running.get_mut(index).filter(|_| is_ready) {
                running.serve(watch, &mut scratch, self.limits.keep);
            }
        }
    }

    /// Does what is due: sees exits, sends signals, and moves what ended out of the way.
    fn advance(&mut self, now: Instant) {
        let limits = self.limits;
        let over = self
            .running
            .extract_if(.., |running| running.advance(now, limits.grace));
        for running in over {
            let mut scratch = [0; SCRATCH];
            let refused = running.refused();
            let (key, transcript, mut family) = running.finish(now, &mut scratch, limits);
            self.refused.extend(refused.map(|refused| (key, refused)));
            self.ended.push((key, transcript));
            if !family.is_gone() {
                self.left.push(family);
            }
        }
        self.end_leftovers(now, now + DAY);
    }

    /// Sends the leftovers the signals that are due, and from `kill_at` on the one that nothing survives.
    fn end_leftovers(&mut self, now: Instant, kill_at: Instant) {
        for family in &mut self.left {
            if now >= kill_at {
                family.kill();
                self.leftovers = Leftovers::Ended;
            } else if family.advance(now, self.limits.grace) {
                self.leftovers = Leftovers::Ended;
            }
        }
        self.left.retain_mut(|family| !family.is_gone());
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let now = Instant::now();
        let running = self.running.drain(..);
        self.left.extend(running.map(|running| running.family));
        self.left.retain_mut(|family| !family.is_gone());
        self.clear(now);
    }
}
