//! Namespaces of Linux.

use std::fs;

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use super::Off;

pub(super) fn cut(off: Off) -> Result<(), String> {
    if threads() != Some(1) {
        return Err("this process has more than one thread".to_owned());
    }
    match off {
        Off::AsItIs => unshare(CloneFlags::CLONE_NEWNET).map_err(refused),
        Off::InItsOwnUsers => in_its_own_users(),
    }
}

fn in_its_own_users() -> Result<(), String> {
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET).map_err(refused)?;
    // The kernel takes the map of groups only from a process that gave up choosing groups.
    write("setgroups", "deny")?;
    write("uid_map", &format!("{user} {user} 1"))?;
    write("gid_map", &format!("{group} {group} 1"))
}

fn refused(error: Errno) -> String {
    format!("the kernel refuses: {}", error.desc())
}

fn write(name: &str, text: &str) -> Result<(), String> {
    fs::write(format!("/proc/self/{name}"), text)
        .map_err(|error| format!("the kernel refuses: `{name}` cannot be written: {error}"))
}

fn threads() -> Option<usize> {
    fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}
