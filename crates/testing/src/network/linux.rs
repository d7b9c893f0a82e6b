//! Namespaces of Linux.

use std::{fs, io};

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use super::IsolationMethod;

pub(super) fn cut(off: IsolationMethod) -> Result<(), String> {
    let cut = match off {
        IsolationMethod::AsItIs => is_alone().and_then(|()| Ok(unshare(CloneFlags::CLONE_NEWNET)?)),
        IsolationMethod::InItsOwnUsers => enter(CloneFlags::CLONE_NEWNET),
    };
    cut.map_err(|error| format!("the kernel refuses: {error}"))
}

/// Moves this process into namespaces that it owns; users and groups keep their numbers, and no other number means anything
/// there.
pub(crate) fn enter(spaces: CloneFlags) -> io::Result<()> {
    is_alone()?;
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | spaces)?;
    // The kernel takes the map of groups only from a process that gave up choosing groups.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// A thread could not be taken along.
fn is_alone() -> io::Result<()> {
    match fs::read_dir("/proc/self/task")?.count() {
        1 => Ok(()),
        _ => Err(io::Error::other("this process has more than one thread")),
    }
}
