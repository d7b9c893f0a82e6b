//! System calls, by seccomp: what Landlock knows nothing of.

use std::collections::{BTreeMap, BTreeSet};

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
///
/// What is refused whatever its arguments stands before the rules with conditions, as a tree of comparisons: the kernel runs
/// the filter once for each number when it is put on, and a list of seventy would cost more than all else here.
fn program(asked: Asked) -> Compiled<BpfProgram> {
    let filter = SeccompFilter::new(
        rules(asked)?,
        SeccompAction::Allow,
        SeccompAction::Errno(REFUSAL),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?;
    let mut program = unknown();
    program.extend(tree(&refused(asked), 0));
    program.extend(BpfProgram::try_from(filter)?);
    Ok(program)
}

/// The parts of a filter: an operation, where it goes on if its comparison holds or not, and its value.
const LOAD: u16 = 0x20;
const GO_ON: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
/// Returned with the number of an error in its lower half.
const ERROR: u32 = 0x0005_0000;
const REFUSAL: u32 = libc::EPERM.unsigned_abs();

fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The beginning of the filter: calls that are newer than this program, those with the numbers of x32, and `clone3`, whose
/// flags no filter sees, do not exist. A C library goes on with older calls then.
fn unknown() -> BpfProgram {
    vec![
        step(LOAD, 0, 0, 0),
        step(IF_AT_LEAST, 1, 0, UNKNOWN),
        step(IF_EQUAL, 0, 1, CLONE3),
        step(RETURN, 0, 0, ERROR | libc::ENOSYS.unsigned_abs()),
    ]
}

/// Returns the calls that are refused whatever their arguments, in order.
fn refused(asked: Asked) -> Vec<u32> {
    let mut calls = REFUSED.to_vec();
    if asked.metadata {
        calls.extend(METADATA.iter().chain(METADATA_OLDER));
    }
    if asked.network.network == Network::None {
        calls.push(libc::SYS_socket);
    }
    if asked.files.is_some_and(|version| version < 3) {
        calls.extend(EMPTYING);
    }
    let numbers = calls
        .into_iter()
        .filter_map(|call| u32::try_from(call).ok());
    let numbers: BTreeSet<u32> = numbers.collect();
    numbers.into_iter().collect()
}

/// Refuses these calls, and lets every other go on behind the tree, which is so many steps behind this part of it.
fn tree(calls: &[u32], behind: u32) -> BpfProgram {
    /// So few are compared one after the other.
    const FEW: usize = 4;
    let (low, high) = calls.split_at(calls.len() / 2);
    if let (true, Some(middle)) = (calls.len() > FEW, high.first()) {
        let high = tree(high, behind);
        let low = tree(low, behind.saturating_add(steps(&high)));
        if let Ok(skipped) = u8::try_from(low.len()) {
            let mut all = vec![step(IF_AT_LEAST, skipped, 0, *middle)];
            all.extend(low);
            all.extend(high);
            return all;
        }
    }
    let mut left = u8::try_from(calls.len()).unwrap_or(u8::MAX);
    let mut few = BpfProgram::new();
    for call in calls {
        few.push(step(IF_EQUAL, left, 0, *call));
        left = left.saturating_sub(1);
    }
    few.push(step(GO_ON, 0, 0, behind.saturating_add(1)));
    few.push(step(RETURN, 0, 0, ERROR | REFUSAL));
    few
}

fn steps(program: &BpfProgram) -> u32 {
    u32::try_from(program.len()).unwrap_or(u32::MAX)
}

fn rules(asked: Asked) -> Compiled<Rules> {
    let mut rules = Rules::new();
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
    if let Some(families) = families(asked.network.network) {
        rules.insert(libc::SYS_socket, vec![when(&families)?]);
    }
    if asked.files.is_some_and(|version| version < 3) {
        rules.extend(emptying()?);
    }
    Ok(rules)
}

/// The families of sockets that are refused: all but these. With no network there is no socket to ask about.
fn families(network: Network) -> Option<Vec<(u8, Is, u64)>> {
    let families: &[i32] = match network {
        Network::None => return None,
        Network::Loopback => &[libc::AF_INET, libc::AF_INET6],
        // Through the last one a program asks the kernel for its addresses.
        Network::Any => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
    };
    let others = families
        .iter()
        .map(|family| (0, Is::Ne, u64::from(family.unsigned_abs())));
    Some(others.collect())
}

/// Calls that empty a file by its name, which Landlock before ABI 3 does not refuse; the last one hides how it opens.
const EMPTYING: [i64; 2] = [libc::SYS_truncate, libc::SYS_openat2];

/// Refuses to empty a file by opening it for reading, which Landlock before ABI 3 does not.
fn emptying() -> Compiled<Rules> {
    let emptied = u64::from(libc::O_TRUNC.unsigned_abs());
    let mask = u64::from((libc::O_ACCMODE | libc::O_TRUNC).unsigned_abs());
    let mut rules = Rules::new();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::spaces::Held;

    /// Runs the steps before the rules with conditions, as the kernel does: an error, or nothing where the call goes on.
    fn result(program: &[sock_filter], call: u32) -> Option<u32> {
        let mut at = 0;
        loop {
            let now = program.get(at)?;
            at += 1;
            let holds = match now.code {
                LOAD => continue,
                RETURN => return Some(now.k & 0xFFFF),
                GO_ON => {
                    at += now.k as usize;
                    continue;
                }
                IF_EQUAL => call == now.k,
                IF_AT_LEAST => call >= now.k,
                other => panic!("{other}"),
            };
            at += usize::from(if holds { now.jt } else { now.jf });
        }
    }

    #[test]
    fn the_tree_refuses_the_calls_of_the_list_and_no_other() {
        for (network, files, metadata) in [
            (Network::None, Some(1), true),
            (Network::Any, Some(7), false),
        ] {
            let network = Held {
                network,
                is_cut_off: false,
            };
            let asked = Asked {
                network,
                files,
                metadata,
            };
            let refused = refused(asked);
            let mut begun = unknown();
            begun.extend(tree(&refused, 0));
            for call in 0..600 {
                let expected = match call {
                    CLONE3 | UNKNOWN.. => Some(libc::ENOSYS.unsigned_abs()),
                    call => refused.contains(&call).then_some(REFUSAL),
                };
                assert_eq!(result(&begun, call), expected, "{call}");
            }
            assert!(
                program(asked).unwrap().len() < 4096,
                "the kernel takes no longer filter"
            );
        }
    }
}
