//! The processes of one job, and the way they are ended.

use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

use super::starting;

/// How far the ending of a family has come.
#[derive(Debug, Clone, Copy)]
enum KillStage {
    /// Nothing was sent yet; TERM is due at this instant, if ever.
    Free(Option<Instant>),
    /// TERM was sent; KILL is due at this instant.
    Asked(Instant),
    /// KILL was sent.
    Killed,
}

/// The leader, and its group.
///
/// # Reuse of process ids
///
/// A process id is not given out again while a process group of that number has a member. The group is signalled only
/// while the leader is not waited for, or right after a look has shown that it still has members. Members that lost
/// their parent are our children on Linux, and hold the number until we wait for them, which we do right before a look.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    /// The process group, which is the id of its leader.
    group: Pid,
    /// The leader, until it was waited for.
    leader: Option<Child>,
    /// Tells whether the group may still have members.
    grouped: bool,
    stage: KillStage,
    /// The read ends of its pipes: a leftover that writes is not to be killed by SIGPIPE before its time.
    pipes: Vec<OwnedFd>,
}

impl ProcessGroup {
    /// The family of a leader that was just started.
    pub(super) fn of_leader(leader: Child, term_at: Option<Instant>) -> Self {
        Self {
            group: Pid::from_child(&leader),
            leader: Some(leader),
            grouped: true,
            stage: KillStage::Free(term_at),
            pipes: Vec::new(),
        }
    }

    /// Tells whether we have sent it a signal.
    pub(super) fn was_ended(&self) -> bool {
        !matches!(self.stage, KillStage::Free(_))
    }

    /// Tells whether we have sent it the signal that nothing survives.
    pub(super) fn was_killed(&self) -> bool {
        matches!(self.stage, KillStage::Killed)
    }

    /// The instant of the next signal.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.stage {
            KillStage::Free(due) => due,
            KillStage::Asked(due) => Some(due),
            KillStage::Killed => None,
        }
    }

    /// Moves TERM to this instant, unless it was sent, or is due before.
    pub(super) fn end_by(&mut self, at: Instant) {
        if let KillStage::Free(due) = self.stage {
            self.stage = KillStage::Free(Some(due.map_or(at, |due| due.min(at))));
        }
    }

    /// Lets what the leader left behind go on until this instant, with a reader at the other end of its pipes.
    pub(super) fn linger(&mut self, until: Instant, pipes: Vec<OwnedFd>) {
        self.pipes = pipes;
        if let KillStage::Free(_) = self.stage {
            self.stage = KillStage::Free(Some(until));
        }
    }

    /// The status of the leader, if it ended; it is waited for by this.
    pub(super) fn leader_exit(&mut self) -> Option<io::Result<ExitStatus>> {
        let exit = starting::exit(self.leader.as_mut()?)?;
        self.leader = None;
        Some(exit)
    }

    /// Sends the signal that is due, and tells whether one was.
    pub(super) fn advance(&mut self, now: Instant, grace: Duration) -> bool {
        match self.stage {
            KillStage::Free(Some(due)) if due <= now => {
                self.send(Signal::TERM);
                // A stopped process hears TERM only when it goes on.
                self.send(Signal::CONT);
                self.stage = KillStage::Asked(due + grace);
                true
            }
            KillStage::Asked(due) if due <= now => {
                self.kill();
                true
            }
            KillStage::Free(_) | KillStage::Asked(_) | KillStage::Killed => false,
        }
    }

    pub(super) fn kill(&mut self) {
        self.stage = KillStage::Killed;
        self.send(Signal::KILL);
    }

    /// Waits for what ended, without blocking, and tells whether nothing is left.
    pub(super) fn is_gone(&mut self) -> bool {
        if self.leader_exit().is_none() && self.leader.is_some() {
            return false;
        }
        self.look_at_group();
        !self.grouped
    }

    fn send(&mut self, signal: Signal) {
        if self.leader.is_none() {
            self.look_at_group();
        }
        if self.grouped {
            // It fails when all members just ended, which is what we want of them.
            let _ = kill_process_group(self.group, signal);
        }
    }

    /// Waits for the members of the group that became our children, and looks whether others are left.
    ///
    /// Only to be called when the leader was waited for: this would take its status away.
    fn look_at_group(&mut self) {
        if !mem::take(&mut self.grouped) {
            return;
        }
        while matches!(waitpgid(self.group, WaitOptions::NOHANG), Ok(Some(_))) {}
        // A group that we may not signal (a program of another user) cannot be ended by us either.
        self.grouped = test_kill_process_group(self.group).is_ok();
    }
}
