//! Starting processes beside files that are being written.

use std::io;
use std::process::{Child, Command};
use std::sync::{PoisonError, RwLock};

/// Held together by all who start a process, and alone by who writes a program.
static STARTING: RwLock<()> = RwLock::new(());

/// Starts a process, as soon as nobody in this process is [writing a program](write_programs).
///
/// ```
/// use std::process::Command;
///
/// use anyhook::processes::start;
///
/// let mut child = start(&mut Command::new("true"))?;
/// assert!(child.wait()?.success());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn start(command: &mut Command) -> io::Result<Child> {
    let _held = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    // It returns when the process has everything closed that it has from us.
    command.spawn()
}

/// Writes programs that can be executed as soon as this returns.
///
/// A file that anybody has open for writing cannot be executed (`Text file busy`), and a process that another thread is just
/// [starting](start) has everything open that this one has. So nobody starts one meanwhile.
///
/// ```
/// use std::fs::{self, Permissions};
/// use std::os::unix::fs::PermissionsExt as _;
/// use std::process::Command;
///
/// use anyhook::processes::{start, write_programs};
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

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn a_program_is_executed_at_once_while_other_threads_start_processes() {
        let folder = tempfile::tempdir().unwrap();
        let is_over = AtomicBool::new(false);
        let others = || {
            while !is_over.load(Ordering::Relaxed) {
                start(&mut Command::new("true")).unwrap().wait().unwrap();
            }
        };
        let run = |number: usize| {
            let file = folder.path().join(number.to_string());
            write_programs(|| {
                fs::write(&file, "#!/bin/sh\nexit 3\n").unwrap();
                fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
            });
            let ended = start(&mut Command::new(&file)).map(|mut child| child.wait());
            ended.and_then(|ended| ended).map(|ended| ended.code())
        };
        thread::scope(|scope| {
            scope.spawn(others);
            scope.spawn(others);
            let ended: Vec<_> = (0..300).map(run).collect();
            is_over.store(true, Ordering::Relaxed);
            let ended: Vec<_> = ended.into_iter().map(Result::unwrap).collect();
            assert_eq!(ended, vec![Some(3); 300]);
        });
    }
}
