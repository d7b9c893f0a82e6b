//! What Linux gives beyond POSIX: a file that tells an exit, and this process as the parent of its orphans.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, child_subreaper, getpid,
    kill_process, pidfd_open, set_child_subreaper, waitid, waitpid,
};

use super::TICK;
use super::ancestors::stat;
use super::starting::started;
use crate::lock;

/// Watches the exit of a child that was not waited for yet; none where the kernel is older than 5.3.
pub(super) fn watch_exit(child: &Child) -> Option<OwnedFd> {
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

/// Keeps this process the parent of its orphans while any of these lives, and then puts back what was before.
#[derive(Debug)]
pub(super) struct Reaper(());

/// How many live, and whether they made this process a reaper that it was not before.
static REAPERS: Mutex<(usize, bool)> = Mutex::new((0, false));

impl Reaper {
    pub(super) fn new() -> Self {
        let mut state = lock(&REAPERS);
        if state.0 == 0 {
            // Where it fails, orphans go to the first process as ever.
            state.1 = matches!(child_subreaper(), Ok(None))
                && set_child_subreaper(Some(getpid())).is_ok();
        }
        state.0 += 1;
        Self(())
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        let mut state = lock(&REAPERS);
        state.0 = state.0.saturating_sub(1);
        if state.0 == 0 && state.1 {
            let _ = set_child_subreaper(None);
        }
    }
}

/// Tells whether nothing lives below this process. A child that ended cannot stop any more, so the kernel does not count it when
/// only stops are waited for.
pub(super) fn is_childless() -> bool {
    has_none(WaitIdOptions::empty())
}

/// A kernel or a sandbox that refuses the question has not said that there is no child.
fn has_none(more: WaitIdOptions) -> bool {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT | more;
    matches!(waitid(WaitId::All, options), Err(Errno::CHILD))
}

/// So often the process table is looked at before nothing in it is an orphan.
const LOOKS: usize = 5;

/// Ends every child that this process did not start: an orphan of a job, and then those that are orphans by that. They have until
/// `linger` to go by themselves. Returns how many were ended.
pub(super) fn end_orphans(_: &Reaper, linger: Duration, patience: Duration) -> usize {
    let began = Instant::now();
    let mut ended = BTreeSet::new();
    let mut without = 0;
    while !is_childless() && began.elapsed() < linger + patience {
        let own = started();
        let mut orphans = children();
        // Only this process waits for an orphan, so its id means no other process until it is waited for here.
        orphans.retain(|pid| {
            !own.contains(&pid.as_raw_nonzero().get())
                && matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(None))
        });
        drop(own);
        if orphans.is_empty() {
            // An orphan that went on to a new process during the look is in the table at the next one.
            without += 1;
            if without == LOOKS {
                break;
            }
            continue;
        }
        without = 0;
        let known = ended.len();
        if began.elapsed() >= linger {
            for orphan in orphans {
                let _ = kill_process(orphan, Signal::KILL);
                ended.insert(orphan.as_raw_nonzero());
            }
        }
        // Who moves on to a new process again and again is not given the time for it.
        if ended.len() == known {
            thread::sleep(TICK);
        }
    }
    ended.len()
}

/// The children of this process, as the process table has them.
fn children() -> Vec<Pid> {
    let me = std::process::id();
    let table = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = table.filter_map(|file| Pid::from_raw(file.file_name().to_str()?.parse().ok()?));
    let parent = |pid: &Pid| Some(stat(pid.as_raw_nonzero().get().unsigned_abs())?.1);
    pids.filter(|pid| parent(pid) == Some(me)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_refuses_the_question_has_not_said_that_no_child_lives() {
        assert!(!has_none(WaitIdOptions::from_bits_retain(1 << 20)));
    }

    #[test]
    fn a_child_stands_in_the_table_until_it_was_waited_for() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read -r x"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        assert!(!is_childless() && children().contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children().contains(&pid));
    }
}
