//! System calls, limited with seccomp: those that Landlock does not cover.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use rustix::thread::secure_computing_mode;
use seccompiler::apply_filter;

use super::notify;
use super::spaces::NetworkIsolation;
use super::told::{SyscallKind, TOLD};
use crate::failure::ConfineError;
use anyhook_core::sandbox::Network;

mod filter;

use filter::{processor, program};

/// Calls that reach other processes, the kernel, or what is mounted. None of them is needed to do the work of a project.
#[rustfmt::skip]
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_pidfd_getfd,
    libc::SYS_kcmp, libc::SYS_process_madvise, libc::SYS_setns, libc::SYS_unshare, libc::SYS_mq_open,
    // Memory, messages and locks that programs of the same user share by a number.
    libc::SYS_shmget, libc::SYS_shmat, libc::SYS_shmctl, libc::SYS_msgget, libc::SYS_msgsnd,
    libc::SYS_msgrcv, libc::SYS_msgctl, libc::SYS_semget, libc::SYS_semop, libc::SYS_semtimedop,
    libc::SYS_semctl,
    // What is mounted.
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_open_tree,
    libc::SYS_move_mount, libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick,
    libc::SYS_mount_setattr, OPEN_TREE_ATTR, libc::SYS_open_by_handle_at, libc::SYS_quotactl,
    // Keys, and parts of the kernel that have often been broken out of. What io_uring does, no filter sees.
    libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl, libc::SYS_bpf, libc::SYS_perf_event_open,
    libc::SYS_userfaultfd, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register,
    // The machine.
    libc::SYS_kexec_load, libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module,
    libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_syslog,
    libc::SYS_settimeofday, libc::SYS_clock_settime, libc::SYS_clock_adjtime, libc::SYS_sethostname,
    libc::SYS_setdomainname, libc::SYS_vhangup, libc::SYS_fanotify_init,
];

/// Calls that change modes, owners, times and attributes of a file by its name, which Landlock does not refuse.
#[rustfmt::skip]
const METADATA: &[i64] = &[
    libc::SYS_fchmod, libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_utimensat, libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SETXATTRAT,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr, REMOVEXATTRAT, FILE_SETATTR,
    // The same, in the older forms that this processor has.
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_chown,
    #[cfg(target_arch = "x86_64")] libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")] libc::SYS_utime,
    #[cfg(target_arch = "x86_64")] libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")] libc::SYS_futimesat,
];

// Numbers that are the same for every processor, and that the crate of them does not name for every one.
const CLONE3: i64 = 435;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;

/// What the filter depends on.
#[derive(Clone, Copy)]
pub(super) struct FilterSettings {
    /// What holds the network.
    pub network: NetworkIsolation,
    /// The version of Landlock that holds the files.
    pub files: Option<u8>,
    /// Whether modes, owners, times and attributes of files stay as they are.
    pub metadata: bool,
    /// Whether another process is told of what opens, runs, makes, moves and removes files, makes sockets that are refused, and
    /// connects, before it is carried out or refused.
    pub is_told: bool,
}

impl FilterSettings {
    /// Tells whether an older Landlock holds the files, which does not refuse to empty one.
    fn is_older(self) -> bool {
        self.files.is_some_and(|version| version < 3)
    }

    /// Tells whether another process is told of calls that do this.
    fn tells(self, does: SyscallKind) -> bool {
        self.is_told && (does != SyscallKind::Connects || self.network.network == Network::Loopback)
    }
}

/// Says whether there is seccomp, for a processor that we know.
pub(super) fn can() -> bool {
    secure_computing_mode().is_ok() && processor().is_some()
}

/// Refuses what no confined command does, for this process and all that it starts. Returns where calls are told, if they can be:
/// a kernel before 5.0 tells none, and no kernel tells two processes of the same one.
pub(super) fn refuse(asked: FilterSettings) -> Result<Option<OwnedFd>, ConfineError> {
    let compiled = |asked| {
        let program = program(asked).ok_or("it is too long");
        program.map_err(ConfineError::confining("making the filter of system calls"))
    };
    if asked.is_told
        && let Ok(told) = notify::put_on(&compiled(asked)?)
    {
        return Ok(Some(told));
    }
    let is_told = false;
    apply_filter(&compiled(FilterSettings { is_told, ..asked })?).map_err(
        ConfineError::confining("putting on the filter of system calls"),
    )?;
    Ok(None)
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SyscallAction {
    Allowed,
    Refused,
    /// It does not exist: a C library goes on with older calls then.
    Missing,
    Told,
    /// It starts a process, and is refused where that gets a user namespace.
    Start,
    /// It passes by its family.
    Socket,
    /// It is refused where it types into a terminal.
    Types,
    /// It is refused where it means all processes.
    Signals,
    /// It is refused where it means another process.
    Limits,
    /// It is refused where this argument says that it empties a file that it opens for reading.
    Empties(u32),
}

/// Returns the calls that are not simply allowed, in order.
fn fates(asked: FilterSettings) -> Vec<(u32, SyscallAction)> {
    let metadata = METADATA.iter().filter(|_| asked.metadata);
    let emptying = EMPTYING.iter().filter(|_| asked.is_older());
    let refused = REFUSED.iter().chain(metadata).chain(emptying);
    let told = TOLD.iter().filter(|(_, does)| asked.tells(*does));
    let opens = EMPTYING_OPENS.iter().filter(|_| asked.is_older());
    let all = refused.map(|call| (*call, SyscallAction::Refused));
    let all = all.chain(told.map(|(call, _)| (*call, SyscallAction::Told)));
    let all = all.chain(opens.map(|(call, at)| (*call, SyscallAction::Empties(*at))));
    let others = [
        (CLONE3, SyscallAction::Missing),
        (libc::SYS_clone, SyscallAction::Start),
        (libc::SYS_socket, SyscallAction::Socket),
        (libc::SYS_ioctl, SyscallAction::Types),
        (libc::SYS_kill, SyscallAction::Signals),
        // Its own limits it may change, within those that it got.
        (libc::SYS_prlimit64, SyscallAction::Limits),
    ];
    let all: BTreeMap<i64, SyscallAction> = all.chain(others).collect();
    let number = |(call, fate)| Some((u32::try_from(call).ok()?, fate));
    all.into_iter().filter_map(number).collect()
}

/// The families of sockets that may be made.
fn families(network: Network) -> &'static [i32] {
    match network {
        Network::None => &[],
        Network::Loopback => &[libc::AF_INET, libc::AF_INET6],
        // Through the last one a program asks the kernel for its addresses.
        Network::Any => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
    }
}

/// Calls that empty a file by its name, which Landlock before ABI 3 does not refuse; the last one hides how it opens.
const EMPTYING: [i64; 2] = [libc::SYS_truncate, libc::SYS_openat2];

/// Calls that can empty a file by opening it for reading, which Landlock before ABI 3 does not refuse, and which argument says so.
const EMPTYING_OPENS: &[(i64, u32)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];
