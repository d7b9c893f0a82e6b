//! Idle processes, ready before there is a job: a keeper starts them, hands over their pipes, and ends them.

use std::collections::BTreeSet;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use anyhook_core::transcript::Transcript;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::family::{Family, Head, Kin};
use super::orphans::{self, Leader};
use super::pipes::{Drain, Feed};
use super::program::{self, mark, spawn};
use super::running::Running;
use super::{DAY, Job, Pool};

impl Pool {
    /// Starts an idle process, and returns the ends of its pipes: the caller hands them to the one it works for.
    pub(crate) fn start_idle(&mut self, key: usize, job: &Job) -> Result<[OwnedFd; 3], String> {
        // An idle process runs open.
        let (mut child, _) = spawn(&job.program, job, &mark(None))
            .map_err(|error| program::explain(&job.program, &job.cwd, &error))?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let pid = Pid::from_child(&child);
        let watched = orphans::watch_exit(&child);
        self.idle(key, Leader::of(child), pid, watched)?;
        let (Some(stdin), Some(stdout), Some(stderr)) = ends else {
            return Err("it has no pipes".to_owned());
        };
        Ok([stdin.into(), stdout.into(), stderr.into()])
    }

    /// Takes a child of this process that another child started and left behind.
    pub(crate) fn adopt_idle(&mut self, key: usize, pid: Pid) -> Result<(), String> {
        let watched = pidfd_open(pid, PidfdFlags::empty()).ok();
        self.idle(key, Leader::of_orphan(pid), pid, watched)
    }

    fn idle(
        &mut self,
        key: usize,
        leader: Leader,
        pid: Pid,
        watched: Option<OwnedFd>,
    ) -> Result<(), String> {
        let kin = Kin {
            mark: mark(None),
            group: pid,
            thread: orphans::this_thread(),
        };
        let family = Family::of_leader(Head::Child(leader), kin, Instant::now().checked_add(DAY));
        let watched = watched.ok_or("its end cannot be watched here")?;
        self.running.push(Running::idle(key, family, watched));
        Ok(())
    }

    /// Gives an idle process its job, which has this mark and may run so long.
    pub(crate) fn set_off(&mut self, key: usize, mark: &str, time: Duration) {
        for running in self.running.iter_mut().filter(|running| running.is(key)) {
            running.set_off(mark.to_owned(), time.min(DAY));
        }
    }

    /// Ends a process: TERM now, KILL after the grace.
    pub(crate) fn end(&mut self, key: usize) {
        let now = Instant::now();
        for running in self.running.iter_mut().filter(|running| running.is(key)) {
            running.end_by(now);
        }
    }

    /// Waits once, until a process ended, one of the files `beside` can be read, or `until` passed. Returns what ended, and
    /// which of the files can be read.
    pub(crate) fn turn_beside(
        &mut self,
        until: Instant,
        beside: &[BorrowedFd<'_>],
    ) -> (Vec<(usize, Transcript)>, Vec<bool>) {
        let ready = self.wait(self.wake_at(Some(until)), beside);
        self.advance(Instant::now());
        self.left.retain_mut(|family| !family.is_gone());
        (std::mem::take(&mut self.ended), ready)
    }

    /// Kills what jobs left behind that nothing else finds, to be called while none of them runs: whatever is below this
    /// process and belongs to no process of this pool. Tells whether it did: groups that are just being ended come first.
    pub(crate) fn kill_strays(&mut self) -> bool {
        if !self.left.is_empty() {
            return false;
        }
        self.past.clear();
        orphans::kill_strays(&mut BTreeSet::new());
        true
    }
}

impl Running {
    /// A process without a job.
    fn idle(key: usize, family: Family, watched: OwnedFd) -> Self {
        Self {
            key,
            started: Instant::now(),
            family,
            pidfd: Some(watched),
            request: Feed::default(),
            stdin: Feed::default(),
            stdout: Drain::new(None),
            stderr: Drain::new(None),
            exit: None,
            watched: None,
        }
    }

    fn is(&self, key: usize) -> bool {
        self.key == key
    }

    fn set_off(&mut self, mark: String, time: Duration) {
        self.started = Instant::now();
        self.family.set_off(mark, self.started.checked_add(time));
    }
}
