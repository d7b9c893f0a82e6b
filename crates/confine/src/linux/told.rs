//! The system calls that the watcher is notified of: what each does, and which arguments are names.
//!
//! A call with names always goes on, and Landlock alone refuses it. What is refused besides these is a socket.

use libc::c_int;

/// What a call does of which another process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyscallKind {
    /// Opens a file.
    Opens(PathArgument, FlagsArgument),
    /// Runs a program.
    Runs(PathArgument),
    /// Makes a folder, a link or a pipe.
    Makes(PathArgument),
    Removes(PathArgument),
    /// Gives what has the first name the second one.
    Moves(PathArgument, PathArgument),
    /// Gives what has the first name the second one too.
    Links(PathArgument, PathArgument),
    Connects,
}

/// Where a name stands among the arguments, and the descriptor of the folder from which it counts, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PathArgument {
    pub(super) from: Option<usize>,
    pub(super) at: usize,
}

/// Where it stands how a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagsArgument {
    Are(c_int),
    In(usize),
    /// The argument says where in memory.
    Behind(usize),
}

const fn name(at: usize) -> PathArgument {
    PathArgument { from: None, at }
}

const fn below(from: usize, at: usize) -> PathArgument {
    let from = Some(from);
    PathArgument { from, at }
}

/// One row for each call.
#[rustfmt::skip]
pub(super) const TOLD: &[(i64, SyscallKind)] = &[
    (libc::SYS_openat, SyscallKind::Opens(below(0, 1), FlagsArgument::In(2))),
    (libc::SYS_openat2, SyscallKind::Opens(below(0, 1), FlagsArgument::Behind(2))),
    (libc::SYS_execve, SyscallKind::Runs(name(0))),
    (libc::SYS_execveat, SyscallKind::Runs(below(0, 1))),
    (libc::SYS_truncate, SyscallKind::Opens(name(0), FlagsArgument::Are(libc::O_WRONLY))),
    (libc::SYS_mkdirat, SyscallKind::Makes(below(0, 1))),
    (libc::SYS_mknodat, SyscallKind::Makes(below(0, 1))),
    (libc::SYS_symlinkat, SyscallKind::Makes(below(1, 2))),
    (libc::SYS_unlinkat, SyscallKind::Removes(below(0, 1))),
    (libc::SYS_renameat2, SyscallKind::Moves(below(0, 1), below(2, 3))),
    (libc::SYS_linkat, SyscallKind::Links(below(0, 1), below(2, 3))),
    (libc::SYS_connect, SyscallKind::Connects),
    #[cfg(not(target_arch = "riscv64"))] (libc::SYS_renameat, SyscallKind::Moves(below(0, 1), below(2, 3))),
    // The same in the older forms that this processor has.
    #[cfg(target_arch = "x86_64")] (libc::SYS_open, SyscallKind::Opens(name(0), FlagsArgument::In(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_creat, SyscallKind::Opens(name(0), FlagsArgument::Are(libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_mkdir, SyscallKind::Makes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_mknod, SyscallKind::Makes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_symlink, SyscallKind::Makes(name(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_unlink, SyscallKind::Removes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_rmdir, SyscallKind::Removes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_rename, SyscallKind::Moves(name(0), name(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_link, SyscallKind::Links(name(0), name(1))),
];

/// Returns what a call of this number does; nothing for one of which only its refusal is told.
pub(super) fn does(number: i64) -> Option<SyscallKind> {
    let mut rows = TOLD.iter();
    rows.find(|(call, _)| *call == number)
        .map(|(_, does)| *does)
}
