//! Finds the processes that left the group of their job: Linux keeps them below us, and shows their environment.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, child_subreaper, getpid, pidfd_open,
    pidfd_send_signal, set_child_subreaper, test_kill_process, waitid,
};
use rustix::thread::gettid;

use super::family::Kin;
use super::{MARK, TICK};

/// Watches the exit of a child that was not waited for yet; none where the kernel is older than 5.3.
pub(super) fn watch_exit(child: &Child) -> Option<OwnedFd> {
    pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()
}

/// Keeps this process the reaper of its orphans while any pool lives, and then puts back what was before.
#[derive(Debug)]
pub(super) struct Reaper(());

/// Tells whether nothing lives below this process.
pub(super) fn is_childless() -> bool {
    !has_live_children(Of::AllThreads)
}

/// Ends everything below this process that is no leader of a job, as far as it ends in time, and tells how many that were.
///
/// This process has to be a reaper: what is ended may just have let go of a child, which comes to us by that.
pub(super) fn end_all(_: &Reaper, patience: Duration) -> usize {
    let mut ended: BTreeSet<(i32, u64)> = BTreeSet::new();
    let began = Instant::now();
    while has_live_children(Of::AllThreads) && began.elapsed() < patience {
        let known = ended.len();
        kill_strays(&mut ended);
        // Who moves on to a new process again and again is not given the time for it.
        if ended.len() == known {
            thread::sleep(TICK);
        }
    }
    ended.len()
}

/// Kills, in one look, everything below this process that is neither a leader of a job nor below one.
fn kill_strays(ended: &mut BTreeSet<(i32, u64)>) {
    let mut below = listed_children(getpid()).unwrap_or_default();
    while let Some(pid) = below.pop() {
        let id = pid.as_raw_nonzero().get();
        let Some(entry) = Entry::read(pid).filter(|_| !leaders().contains(&id)) else {
            continue;
        };
        below.extend(listed_children(pid).unwrap_or_default());
        if let Some(stray) = hold(entry) {
            stray.send(Signal::KILL);
            ended.insert((id, entry.started));
            stray.is_gone();
        }
    }
}

/// How many pools live, and whether they made this process a reaper that it was not before.
static REAPERS: Mutex<(usize, bool)> = Mutex::new((0, false));

impl Reaper {
    pub(super) fn new() -> Self {
        let mut state = REAPERS.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 == 0 {
            // Where it fails, orphans go to the first process as ever, and strays are found by their parents only.
            state.1 = matches!(child_subreaper(), Ok(None))
                && set_child_subreaper(Some(getpid())).is_ok();
        }
        state.0 += 1;
        Self(())
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        let mut state = REAPERS.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = state.0.saturating_sub(1);
        if state.0 == 0 && state.1 {
            let _ = set_child_subreaper(None);
        }
    }
}

/// Names the thread that runs, whose children those are that it starts.
pub(super) fn this_thread() -> Pid {
    gettid()
}

/// The leaders of all pools that were not waited for. While this is held none of their ids can mean another process.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The leader of a job that was not waited for.
#[derive(Debug)]
pub(super) struct Leader(Child);

impl Leader {
    pub(super) fn of(child: Child) -> Self {
        leaders().insert(Pid::from_child(&child).as_raw_nonzero().get());
        Self(child)
    }

    /// Waits for it without blocking, and tells how it ended.
    pub(super) fn exit(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut leaders = leaders();
        let exit = self.0.try_wait().transpose()?;
        leaders.remove(&Pid::from_child(&self.0).as_raw_nonzero().get());
        Some(exit)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        leaders().remove(&Pid::from_child(&self.0).as_raw_nonzero().get());
    }
}

/// A process that left the group of its job.
#[derive(Debug)]
pub(super) struct Stray {
    pid: Pid,
    /// It was opened before the process was recognised, so it can never mean another one.
    handle: OwnedFd,
}

impl Stray {
    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    pub(super) fn send(&self, signal: Signal) {
        // It fails when the process has ended, which is what we want of it.
        let _ = pidfd_send_signal(&self.handle, signal);
    }

    /// Waits for it if it is our child, without blocking, and tells whether it left the process table.
    pub(super) fn is_gone(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        match waitid(WaitId::PidFd(self.handle.as_fd()), options) {
            Ok(ended) => ended.is_some(),
            // Not our child: it was waited for by its parent, or will come to us when that one ends.
            Err(_) => test_kill_process(self.pid).is_err(),
        }
    }
}

/// Finds the live processes of these jobs outside their groups; each with the index of its job.
pub(super) fn seek(kin: &[Kin]) -> Vec<(usize, Stray)> {
    if kin.is_empty() || !has_live_children(Of::AllThreads) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for _ in 0..LOOKS {
        let mut walk = Walk::new(kin);
        walk.below_us();
        let is_whole = !walk.missed;
        found = walk.found;
        if is_whole {
            break;
        }
    }
    found
}

/// Who goes while it is looked at hands its children on, past the one who looks: then it is looked again, so many times.
const LOOKS: usize = 4;

/// A walk through everything below this process that may be of these jobs.
struct Walk<'k> {
    kin: &'k [Kin],
    /// The whole process table, where the kernel does not list children.
    families: Option<Families>,
    found: Vec<(usize, Stray)>,
    missed: bool,
}

impl<'k> Walk<'k> {
    fn new(kin: &'k [Kin]) -> Self {
        Self {
            kin,
            families: None,
            found: Vec::new(),
            missed: false,
        }
    }

    fn below_us(&mut self) {
        // The list grows while it is walked: parents come before their children.
        let mut below = match suspects(self.kin) {
            Some(suspects) => self.entries(suspects, None),
            None => self.in_the_table(getpid(), None),
        };
        while let Some((entry, inherited)) = below.pop() {
            let owner = recognise(entry, self.kin).or(inherited);
            below.extend(self.children(entry.pid, owner));
            let family = owner.and_then(|index| Some((index, self.kin.get(index)?)));
            let Some((index, family)) = family else {
                continue;
            };
            if entry.group != family.group.as_raw_nonzero().get() {
                self.found.extend(hold(entry).map(|stray| (index, stray)));
            }
        }
    }

    fn children(&mut self, of: Pid, owner: Option<usize>) -> Vec<(Entry, Option<usize>)> {
        if self.families.is_none() {
            if let Some(listed) = listed_children(of) {
                return self.entries(listed, owner);
            }
            if fs::exists(format!("/proc/{}", of.as_raw_nonzero())).is_ok_and(|is_there| !is_there)
            {
                self.missed = true;
                return Vec::new();
            }
        }
        self.in_the_table(of, owner)
    }

    fn entries(&mut self, pids: Vec<Pid>, owner: Option<usize>) -> Vec<(Entry, Option<usize>)> {
        let entries: Vec<Option<Entry>> = pids.into_iter().map(Entry::read).collect();
        self.missed |= entries.iter().any(Option::is_none);
        let there = entries.into_iter().flatten();
        there.map(|entry| (entry, owner)).collect()
    }

    fn in_the_table(&mut self, of: Pid, owner: Option<usize>) -> Vec<(Entry, Option<usize>)> {
        children(self.families.get_or_insert_with(families), of, owner)
    }
}

/// The children of a process, of each of its threads: it costs a few calls, where the whole table costs milliseconds.
/// Nothing where the kernel does not tell, or the process is gone.
///
/// While a child goes, the kernel may pass over its neighbour: who is in none of two lists was not there.
fn listed_children(of: Pid) -> Option<Vec<Pid>> {
    let mut children: Vec<Pid> = Vec::new();
    for _ in 0..2 {
        for thread in fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero()))
            .ok()?
            .flatten()
        {
            let listed = read_file(thread.path().join("children"))?;
            note(&listed, &mut children, |_| true);
        }
    }
    Some(children)
}

/// Notes those of a list of children that are wanted, each once.
fn note(listed: &[u8], children: &mut Vec<Pid>, is_wanted: impl Fn(Pid) -> bool) {
    let listed = listed.split(u8::is_ascii_whitespace);
    let pids = listed.filter_map(|pid| Pid::from_raw(str::from_utf8(pid).ok()?.parse().ok()?));
    for pid in pids.filter(|pid| is_wanted(*pid)) {
        if !children.contains(&pid) {
            children.push(pid);
        }
    }
}

/// Whose children are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    AllThreads,
    ThisThread,
}

/// Tells whether any child of ours may live; it costs one call, where a walk of `/proc` costs milliseconds.
///
/// A child that ended cannot stop any more, so the kernel does not count it when only stops are waited for.
fn has_live_children(of: Of) -> bool {
    let whose = match of {
        Of::AllThreads => WaitIdOptions::empty(),
        // `__WNOTHREAD` of the kernel, since 4.7.
        Of::ThisThread => WaitIdOptions::from_bits_retain(0x2000_0000),
    };
    may_have_stopped(whose)
}

/// Asks for a child that stopped. A kernel or a sandbox that refuses the question has not said that there is none.
fn may_have_stopped(whose: WaitIdOptions) -> bool {
    let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, options | whose), Err(Errno::CHILD))
}

/// The children of ours below which a stray of these jobs may be: all but the leaders of other jobs. Nothing where the kernel
/// does not list them.
///
/// The topmost that lives of those below an ended leader is a child of ours, and so is who made himself a child of the thread
/// that started the leader. Orphans come to the first thread, which lives as long as the process in every program that anybody
/// writes.
fn suspects(kin: &[Kin]) -> Option<Vec<Pid>> {
    let mut threads = vec![getpid()];
    for kin in kin {
        if !threads.contains(&kin.thread) {
            threads.push(kin.thread);
        }
    }
    // Most jobs are over before this thread starts the next one: the kernel says so in one call, and no one becomes its
    // child again. The first thread gets the orphans of the others, so it is looked at after them.
    let this = this_thread();
    if (threads.len() == 1 || this != getpid()) && !has_live_children(Of::ThisThread) {
        threads.retain(|thread| *thread != this);
    }
    let others = leaders();
    let is_of_another_job = |pid: Pid| {
        others.contains(&pid.as_raw_nonzero().get()) && kin.iter().all(|kin| kin.group != pid)
    };
    let lists = threads
        .iter()
        .map(|thread| File::open(format!("/proc/self/task/{thread}/children")));
    let lists = lists.collect::<io::Result<Vec<File>>>().ok()?;
    let (mut listed, mut suspects) = (Vec::new(), Vec::new());
    // Twice, as in `listed_children`, and not the same thread twice in a row: an orphan goes from one to the first.
    for list in lists.iter().chain(&lists) {
        read_whole(list, &mut listed)?;
        note(&listed, &mut suspects, |pid| !is_of_another_job(pid));
    }
    Some(suspects)
}

/// Reads a file of the kernel, whose length is not known before.
fn read_file(path: impl AsRef<Path>) -> Option<Vec<u8>> {
    let mut read = Vec::new();
    read_whole(&File::open(path).ok()?, &mut read)?;
    Some(read)
}

/// Reads a file of the kernel from its beginning, which makes it anew.
fn read_whole(file: &File, into: &mut Vec<u8>) -> Option<()> {
    into.clear();
    let mut piece = [0; 1024];
    loop {
        let count = file.read_at(&mut piece, into.len() as u64).ok()?;
        if count == 0 {
            return Some(());
        }
        into.extend_from_slice(piece.get(..count)?);
    }
}

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    pid: Pid,
    parent: i32,
    group: i32,
    started: u64,
    is_ended: bool,
}

type Families = HashMap<i32, Vec<Entry>>;

/// The process table, by parent.
fn families() -> Families {
    let mut families = Families::new();
    let Ok(listing) = fs::read_dir("/proc") else {
        return families;
    };
    for name in listing.flatten().map(|file| file.file_name()) {
        let pid = name
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(Pid::from_raw);
        if let Some(entry) = pid.and_then(Entry::read) {
            families.entry(entry.parent).or_default().push(entry);
        }
    }
    families
}

fn children(families: &Families, of: Pid, owner: Option<usize>) -> Vec<(Entry, Option<usize>)> {
    let children = families.get(&of.as_raw_nonzero().get());
    children
        .into_iter()
        .flatten()
        .map(|child| (*child, owner))
        .collect()
}

impl Entry {
    fn read(pid: Pid) -> Option<Self> {
        let line = read_file(format!("/proc/{pid}/stat"))?;
        Self::parse(pid, &line)
    }

    /// Reads `pid (name) state parent group session …`; the name is chosen by the process, brackets and all.
    fn parse(pid: Pid, line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let (_, fields) = line.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Self {
            pid,
            is_ended: matches!(fields.next()?, "Z" | "X" | "x"),
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            started: fields.nth(16)?.parse().ok()?,
        })
    }
}

/// Opens a handle on a process, if it is still the one of the table.
fn hold(entry: Entry) -> Option<Stray> {
    if entry.is_ended {
        return None;
    }
    let handle = pidfd_open(entry.pid, PidfdFlags::empty()).ok()?;
    let now = Entry::read(entry.pid)?;
    (now.started == entry.started).then_some(Stray {
        pid: entry.pid,
        handle,
    })
}

/// The job whose mark stands in the environment of a process.
fn recognise(entry: Entry, kin: &[Kin]) -> Option<usize> {
    let environment = read_file(format!("/proc/{}/environ", entry.pid))?;
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    kin.iter()
        .position(|kin| is_below(value, kin.mark.as_bytes()))
}

/// Tells whether a mark is that of a job, or of a job of a pool inside that job.
fn is_below(value: &[u8], mark: &[u8]) -> bool {
    value
        .strip_prefix(mark)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_brackets_and_spaces_hides_nothing() {
        let pid = Pid::from_raw(7).unwrap();
        let line = b"7 (a) R 1 (b\xff)) S 3 5 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 2 3";
        let entry = Entry {
            pid,
            parent: 3,
            group: 5,
            started: 4711,
            is_ended: false,
        };
        assert_eq!(Entry::parse(pid, line), Some(entry));
    }

    #[test]
    fn a_child_that_the_kernel_lists_is_one_of_the_whole_table() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read -r x"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let listed = listed_children(getpid());
        let table = children(&families(), getpid(), None);
        child.kill().unwrap();
        child.wait().unwrap();
        // A kernel may be built without the list.
        if let Some(listed) = listed {
            assert!(listed.contains(&pid), "{listed:?}");
            assert!(table.iter().any(|(entry, _)| entry.pid == pid));
            assert!(!listed_children(getpid()).unwrap().contains(&pid));
        }
    }

    #[test]
    fn children_of_this_thread_are_told_from_those_of_others() {
        let live = |of| has_live_children(of);
        assert!(!live(Of::ThisThread));
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read -r x"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        assert!(live(Of::ThisThread) && live(Of::AllThreads));
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| (live(Of::ThisThread), live(Of::AllThreads)));
            other.join().unwrap()
        });
        assert_eq!(other, (false, true));
        // It ends, and is waited for only later.
        child.kill().unwrap();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&child)), options).unwrap();
        assert!(!live(Of::ThisThread));
        child.wait().unwrap();
    }

    #[test]
    fn a_kernel_that_refuses_the_question_has_not_said_that_no_child_lives() {
        let unknown = WaitIdOptions::from_bits_retain(1 << 20);
        assert!(may_have_stopped(unknown));
        assert!(!has_live_children(Of::ThisThread));
    }

    #[test]
    fn a_list_of_children_that_is_read_again_is_that_of_now() {
        let path = format!("/proc/self/task/{}/children", gettid());
        // A kernel may be built without the list.
        let Ok(list) = File::open(path) else {
            return;
        };
        let mut listed = Vec::new();
        let mut look = || {
            read_whole(&list, &mut listed).unwrap();
            String::from_utf8_lossy(&listed).into_owned()
        };
        assert_eq!(look(), "");
        let mut children: Vec<Child> = (0..300)
            .map(|_| std::process::Command::new("true").spawn().unwrap())
            .collect();
        // One that ended and was not waited for is listed all the same.
        let listed = look();
        let pids = listed
            .split_ascii_whitespace()
            .map(|pid| pid.parse::<u32>().unwrap());
        assert!(pids.eq(children.iter().map(Child::id)));
        assert!(listed.len() > 1024, "more than one piece");
        for child in &mut children {
            child.wait().unwrap();
        }
        assert_eq!(look(), "");
    }

    #[test]
    fn a_mark_is_below_its_own_job_and_no_other() {
        let marks = ["4.1", "4.1/9.2", "4.11", "4.2", "", "9.2", "/4.1"];
        let below: Vec<_> = marks
            .iter()
            .filter(|value| is_below(value.as_bytes(), b"4.1"))
            .collect();
        assert_eq!(below, [&"4.1", &"4.1/9.2"]);
    }
}
