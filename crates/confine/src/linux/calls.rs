//! System calls, by seccomp: what Landlock knows nothing of.

use std::collections::BTreeMap;

use rustix::thread::secure_computing_mode;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is,
    SeccompCondition as Condition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
    sock_filter,
};

use super::spaces::Held;
use crate::confinement::Network;
use crate::run::Failure;

/// Calls that reach other processes, the kernel, or what is mounted. None of them is needed to do the work of a project.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_mq_open,
    // What is mounted.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    // Keys, and parts of the kernel that have often been broken out of. What io_uring does, no filter sees.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_fanotify_init,
];

/// Calls that change modes, owners, times and attributes of a file by its name, which Landlock does not refuse.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SETXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// The same, in the older forms that this processor has.
#[cfg(target_arch = "x86_64")]
const METADATA_OLDER: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_OLDER: &[i64] = &[];

// Numbers that are the same for every processor, and that the crate of them does not name for every one.
const CLONE3: u32 = 435;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_SETATTR: i64 = 469;
/// The first call that we do not know.
const UNKNOWN: u32 = 470;

/// Puts words into the input of a terminal, as if a person typed them: the second does so on a text console.
const TYPING: [u64; 2] = [0x5412, 0x541C];
/// Every signal to this number goes to all processes of the user.
const EVERY_PROCESS: u64 = u32::MAX as u64;
const NEW_USER_NAMESPACE: u64 = 0x1000_0000;
const LAST_CLONE_FLAG: u64 = NEW_USER_NAMESPACE;

/// What the filter depends on.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// What holds the network.
    pub network: Held,
    /// The version of Landlock that holds the files.
    pub files: Option<u8>,
    /// Whether modes, owners, times and attributes of files stay as they are.
    pub metadata: bool,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Compiled<T> = Result<T, seccompiler::BackendError>;

/// Says whether there is seccomp, for a processor that we know.
pub(super) fn can() -> bool {
    secure_computing_mode().is_ok() && TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

/// Refuses what no confined command does, for this process and all that it starts.
pub(super) fn refuse(asked: Asked) -> Result<(), Failure> {
    let program = program(asked)
        .map_err(|error| Failure::confining("making the filter of system calls", error))?;
    apply_filter(&program)
        .map_err(|error| Failure::confining("putting on the filter of system calls", error))
}

/// Compiles the filter. Calls of another kind of processor end the process: their numbers mean something else.
fn program(asked: Asked) -> Compiled<BpfProgram> {
    let filter = SeccompFilter::new(
        rules(asked)?,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?;
    let mut program = unknown();
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// The beginning of the filter: calls that are newer than this program, those with the numbers of x32, and `clone3`, whose
/// flags no filter sees, do not exist. A C library goes on with older calls then.
fn unknown() -> BpfProgram {
    const LOAD: u16 = 0x20;
    const IF_AT_LEAST: u16 = 0x35;
    const IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const ERROR: u32 = 0x0005_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD, 0, 0, 0),
        step(IF_AT_LEAST, 1, 0, UNKNOWN),
        step(IF_EQUAL, 0, 1, CLONE3),
        step(RETURN, 0, 0, ERROR | libc::ENOSYS.unsigned_abs()),
    ]
}

fn rules(asked: Asked) -> Compiled<Rules> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if asked.metadata {
        let all = METADATA.iter().chain(METADATA_OLDER);
        rules.extend(all.map(|call| (*call, Vec::new())));
    }
    rules.insert(
        libc::SYS_clone,
        vec![when(&[(
            0,
            Is::MaskedEq(LAST_CLONE_FLAG),
            NEW_USER_NAMESPACE,
        )])?],
    );
    let typing = TYPING.map(|typing| when(&[(1, Is::Eq, typing)]));
    rules.insert(
        libc::SYS_ioctl,
        typing.into_iter().collect::<Compiled<_>>()?,
    );
    rules.insert(libc::SYS_kill, vec![when(&[(0, Is::Eq, EVERY_PROCESS)])?]);
    // Its own limits it may change, within those that it got.
    rules.insert(libc::SYS_prlimit64, vec![when(&[(0, Is::Ne, 0)])?]);
    rules.insert(libc::SYS_socket, sockets(asked.network)?);
    if asked.files.is_some_and(|version| version < 3) {
        rules.extend(emptying()?);
    }
    Ok(rules)
}

/// Refuses sockets. An empty list of conditions refuses all.
fn sockets(held: Held) -> Compiled<Vec<SeccompRule>> {
    let families: &[i32] = match held.network {
        Network::None => return Ok(Vec::new()),
        Network::Loopback => &[libc::AF_INET, libc::AF_INET6],
        // Through the last one a program asks the kernel for its addresses.
        Network::Any => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
    };
    let others: Vec<(u8, Is, u64)> = families
        .iter()
        .map(|family| (0, Is::Ne, u64::from(family.unsigned_abs())))
        .collect();
    Ok(vec![when(&others)?])
}

/// Refuses to empty files by their names, and by opening them for reading: Landlock before ABI 3 does not.
fn emptying() -> Compiled<Rules> {
    let emptied = u64::from(libc::O_TRUNC.unsigned_abs());
    let mask = u64::from((libc::O_ACCMODE | libc::O_TRUNC).unsigned_abs());
    let mut rules: Rules = [libc::SYS_truncate, libc::SYS_openat2]
        .map(|call| (call, Vec::new()))
        .into();
    rules.insert(
        libc::SYS_openat,
        vec![when(&[(2, Is::MaskedEq(mask), emptied)])?],
    );
    #[cfg(target_arch = "x86_64")]
    rules.insert(
        libc::SYS_open,
        vec![when(&[(1, Is::MaskedEq(mask), emptied)])?],
    );
    Ok(rules)
}

/// A rule that holds when all of these hold, each for the lower half of an argument: all that the kernel reads of it.
fn when(conditions: &[(u8, Is, u64)]) -> Compiled<SeccompRule> {
    let conditions = conditions.iter().cloned();
    let conditions =
        conditions.map(|(argument, is, value)| Condition::new(argument, Length::Dword, is, value));
    SeccompRule::new(conditions.collect::<Compiled<Vec<_>>>()?)
}
