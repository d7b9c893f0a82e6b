//! Starting processes beside files that are being written.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Pid;

use crate::lock;

/// Held together by all who start a process, and alone by who writes a program.
static STARTING: RwLock<()> = RwLock::new(());

/// The processes that were started here and not waited for. While this is held none of their ids can mean another process.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

pub(super) fn started() -> MutexGuard<'static, BTreeSet<i32>> {
    lock(&STARTED)
}

fn id(child: &Child) -> i32 {
    Pid::from_child(child).as_raw_nonzero().get()
}

fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut started = started();
    let child = command.spawn()?;
    started.insert(id(&child));
    Ok(child)
}

/// Waits for a process that was started here, without blocking, and tells how it ended.
pub(super) fn exit(child: &mut Child) -> Option<io::Result<ExitStatus>> {
    let mut started = started();
    let exit = child.try_wait().transpose()?;
    started.remove(&id(child));
    Some(exit)
}

/// Starts a process, as soon as no thread of this process is [writing a program](write_programs).
///
/// ```
/// use std::process::Command;
///
/// use anyhook_engine::processes::start;
///
/// let mut child = start(&mut Command::new("true"))?;
/// assert!(child.wait()?.success());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn start(command: &mut Command) -> io::Result<Child> {
    let _held = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    // It returns when the process has everything closed that it has from us.
    spawn(command)
}

/// Starts a process that inherits this descriptor, and no other process of ours does.
pub(super) fn start_with(command: &mut Command, inherited: &OwnedFd) -> io::Result<Child> {
    let _held = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    fcntl_setfd(inherited, FdFlags::empty())?;
    let child = spawn(command);
    fcntl_setfd(inherited, FdFlags::CLOEXEC)?;
    child
}

/// Writes programs that can be executed as soon as this returns.
///
/// A file that anybody has open for writing cannot be executed (`Text file busy`), and a process that another thread is just
/// [starting](start) has everything open that this one has. So no process is started meanwhile.
///
/// ```
/// use std::fs::{self, Permissions};
/// use std::os::unix::fs::PermissionsExt as _;
/// use std::process::Command;
///
/// use anyhook_engine::processes::{start, write_programs};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("git");
/// write_programs(|| {
///     fs::write(&file, "#!/bin/sh\nexit 3\n")?;
///     fs::set_permissions(&file, Permissions::from_mode(0o755))
/// })?;
/// let mut child = start(&mut Command::new(&file))?;
/// assert_eq!(child.wait()?.code(), Some(3));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_programs<T>(write: impl FnOnce() -> T) -> T {
    let _held = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    write()
}
