//! The system calls that the watcher is notified of: what each does, and which arguments are names.
//!
//! A call with names always goes on, and Landlock alone refuses it. What is refused besides these is a socket.

use libc::c_int;

/// What a call does of which another process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Opens a file.
    Opens(Name, Flags),
    /// Runs a program.
    Runs(Name),
    /// Cuts a file by its name.
    Cuts(Name),
    /// Makes a folder, a link or a pipe.
    Makes(Name),
    Removes(Name),
    /// Gives what has the first name the second one.
    Moves(Name, Name),
    /// Gives what has the first name the second one too.
    Links(Name, Name),
    Connects,
}

/// Where a name stands among the arguments, and the descriptor of the folder from which it counts, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) from: Option<usize>,
    pub(super) at: usize,
}

/// Where it stands how a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flags {
    Are(c_int),
    In(usize),
    /// The argument says where in memory.
    Behind(usize),
}

const fn name(at: usize) -> Name {
    Name { from: None, at }
}

const fn below(from: usize, at: usize) -> Name {
    let from = Some(from);
    Name { from, at }
}

/// One row for each call.
#[rustfmt::skip]
pub(super) const TOLD: &[(i64, Does)] = &[
    (libc::SYS_openat, Does::Opens(below(0, 1), Flags::In(2))),
    (libc::SYS_openat2, Does::Opens(below(0, 1), Flags::Behind(2))),
    (libc::SYS_execve, Does::Runs(name(0))),
    (libc::SYS_execveat, Does::Runs(below(0, 1))),
    (libc::SYS_truncate, Does::Cuts(name(0))),
    (libc::SYS_mkdirat, Does::Makes(below(0, 1))),
    (libc::SYS_mknodat, Does::Makes(below(0, 1))),
    (libc::SYS_symlinkat, Does::Makes(below(1, 2))),
    (libc::SYS_unlinkat, Does::Removes(below(0, 1))),
    (libc::SYS_renameat2, Does::Moves(below(0, 1), below(2, 3))),
    (libc::SYS_linkat, Does::Links(below(0, 1), below(2, 3))),
    (libc::SYS_connect, Does::Connects),
    #[cfg(not(target_arch = "riscv64"))] (libc::SYS_renameat, Does::Moves(below(0, 1), below(2, 3))),
    // The same in the older forms that this processor has.
    #[cfg(target_arch = "x86_64")] (libc::SYS_open, Does::Opens(name(0), Flags::In(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_creat, Does::Opens(name(0), Flags::Are(libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_mkdir, Does::Makes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_mknod, Does::Makes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_symlink, Does::Makes(name(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_unlink, Does::Removes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_rmdir, Does::Removes(name(0))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_rename, Does::Moves(name(0), name(1))),
    #[cfg(target_arch = "x86_64")] (libc::SYS_link, Does::Links(name(0), name(1))),
];

/// Returns what a call of this number does; nothing for one of which only its refusal is told.
pub(super) fn does(number: i64) -> Option<Does> {
    let mut rows = TOLD.iter();
    rows.find(|(call, _)| *call == number)
        .map(|(_, does)| *does)
}
