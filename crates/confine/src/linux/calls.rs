//! System calls, by seccomp: what Landlock knows nothing of.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use rustix::thread::secure_computing_mode;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Is,
    SeccompCondition as Condition, SeccompFilter, SeccompRule, TargetArch, apply_filter,
    sock_filter,
};

use super::notify;
use super::spaces::Held;
use super::told::{Does, TOLD};
use crate::failure::Failure;
use anyhook_core::sandbox::Network;

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
const NEW_USER_NAMESPACE: u32 = 0x1000_0000;

/// What the filter depends on.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// What holds the network.
    pub network: Held,
    /// The version of Landlock that holds the files.
    pub files: Option<u8>,
    /// Whether modes, owners, times and attributes of files stay as they are.
    pub metadata: bool,
    /// Which calls another process is told of.
    pub told: Told,
}

/// Which calls another process is told of, before they are carried out or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// None.
    Nothing,
    /// What opens, runs, makes, moves and removes files, makes sockets that are refused, and connects.
    Opens,
    /// The same, and what starts processes.
    OpensAndStarts,
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Compiled<T> = Result<T, seccompiler::BackendError>;

/// Says whether there is seccomp, for a processor that we know.
pub(super) fn can() -> bool {
    secure_computing_mode().is_ok() && processor().is_some()
}

/// The kind of this processor, and the number that the kernel has for it.
fn processor() -> Option<(TargetArch, u32)> {
    match std::env::consts::ARCH {
        "x86_64" => Some((TargetArch::x86_64, 0xC000_003E)),
        "aarch64" => Some((TargetArch::aarch64, 0xC000_00B7)),
        "riscv64" => Some((TargetArch::riscv64, 0xC000_00F3)),
        _ => None,
    }
}

/// Refuses what no confined command does, for this process and all that it starts. Returns where calls are told, if they can be:
/// a kernel before 5.0 tells none, and no kernel tells two processes of the same one.
pub(super) fn refuse(asked: Asked) -> Result<Option<OwnedFd>, Failure> {
    const MAKING: &str = "making the filter of system calls";
    let compiled = |asked| {
        let program = program(asked).map_err(|error| Failure::confining(MAKING, error))?;
        program.ok_or_else(|| Failure::confining(MAKING, "it is too long"))
    };
    if asked.told != Told::Nothing
        && let Ok(told) = notify::put_on(&compiled(asked)?)
    {
        return Ok(Some(told));
    }
    let told = Told::Nothing;
    apply_filter(&compiled(Asked { told, ..asked })?)
        .map_err(|error| Failure::confining("putting on the filter of system calls", error))?;
    Ok(None)
}

/// Compiles the filter, if its jumps are short enough.
///
/// A tree of comparisons stands before the rules with conditions, and most calls end in it: the kernel runs the filter once
/// for each number when it is put on, and a list of eighty would cost more than all else here.
fn program(asked: Asked) -> Compiled<Option<BpfProgram>> {
    let Some((processor, number)) = processor() else {
        return Ok(None);
    };
    let rules = rules(asked)?;
    let fates = fates(asked, &rules);
    let refusal = SeccompAction::Errno(REFUSAL);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, processor)?;
    let Some(tree) = tree(&fates, 0) else {
        return Ok(None);
    };
    let mut program = begun(number);
    program.extend(tree);
    program.extend(ends(asked));
    program.extend(BpfProgram::try_from(filter)?);
    Ok(Some(program))
}

/// The operations of a filter.
const LOAD: u16 = 0x20;
const GO_ON: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;
/// Where the lower half of the first argument stands: the processors that we know have it first.
const FIRST_ARGUMENT: u32 = 16;
/// What a filter returns: an error has its number in the lower half.
const ALLOW: u32 = 0x7FFF_0000;
const ERROR: u32 = 0x0005_0000;
/// Another process is told, and its answer is what becomes of the call: an error where there is no such process.
const TELL: u32 = libc::SECCOMP_RET_USER_NOTIF;
const END_OF_PROCESS: u32 = 0x8000_0000;
const REFUSAL: u32 = libc::EPERM.unsigned_abs();

/// One step: an operation, how many steps it skips if its comparison holds or does not, and its value.
fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The beginning of the filter. Calls of another kind of processor end the process, because their numbers mean something
/// else. Calls that are newer than this program, those with the numbers of x32, and `clone3`, whose flags no filter sees, do
/// not exist: a C library goes on with older calls then.
fn begun(processor: u32) -> BpfProgram {
    vec![
        step(LOAD, 0, 0, 4),
        step(IF_EQUAL, 1, 0, processor),
        step(RETURN, 0, 0, END_OF_PROCESS),
        step(LOAD, 0, 0, 0),
        step(IF_AT_LEAST, 1, 0, UNKNOWN),
        step(IF_EQUAL, 0, 1, CLONE3),
        step(RETURN, 0, 0, ERROR | libc::ENOSYS.unsigned_abs()),
    ]
}

/// What becomes of a call by its number alone. The values are the places of [`ends`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Conditions = 0,
    Allowed = 1,
    Refused = 2,
    Told = 3,
    Start = 4,
    Socket = 8,
}

/// Where the tree ends, in the order of the fates; the first goes on to the rules with conditions.
fn ends(asked: Asked) -> BpfProgram {
    let mut ends = vec![
        step(RETURN, 0, 0, ALLOW),
        step(RETURN, 0, 0, ERROR | REFUSAL),
        step(RETURN, 0, 0, TELL),
        // What starts a process in a user namespace of its own is refused.
        step(LOAD, 0, 0, FIRST_ARGUMENT),
        step(IF_ANY_BIT, 0, 1, NEW_USER_NAMESPACE),
        step(RETURN, 0, 0, ERROR | REFUSAL),
        step(
            RETURN,
            0,
            0,
            if asked.told == Told::OpensAndStarts {
                TELL
            } else {
                ALLOW
            },
        ),
        step(LOAD, 0, 0, FIRST_ARGUMENT),
    ];
    let families = families(asked.network.network);
    for (at, family) in families.iter().enumerate() {
        let left = u8::try_from(families.len() - at).unwrap_or_default();
        ends.push(step(IF_EQUAL, left, 0, family.unsigned_abs()));
    }
    // Who is told of a refused socket refuses it: it cannot pass by being seen.
    let refusal = if asked.told == Told::Nothing {
        ERROR | REFUSAL
    } else {
        TELL
    };
    ends.push(step(RETURN, 0, 0, refusal));
    ends.push(step(RETURN, 0, 0, ALLOW));
    let rules = u32::try_from(ends.len()).unwrap_or_default();
    ends.insert(0, step(GO_ON, 0, 0, rules));
    ends
}

/// Returns the calls that are not allowed by their numbers alone, in order.
fn fates(asked: Asked, rules: &Rules) -> Vec<(u32, Fate)> {
    let mut refused = REFUSED.to_vec();
    if asked.metadata {
        refused.extend(METADATA.iter().chain(METADATA_OLDER));
    }
    if asked.files.is_some_and(|version| version < 3) {
        refused.extend(EMPTYING);
    }
    let conditions = rules.keys().map(|call| (*call, Fate::Conditions));
    let refused = refused.into_iter().map(|call| (call, Fate::Refused));
    let others = [
        (libc::SYS_clone, Fate::Start),
        (libc::SYS_socket, Fate::Socket),
    ];
    let told = told(asked).map(|call| (call, Fate::Told));
    let all: BTreeMap<i64, Fate> = conditions
        .chain(refused)
        .chain(told)
        .chain(others)
        .collect();
    let numbers = all
        .into_iter()
        .map(|(call, fate)| Some((u32::try_from(call).ok()?, fate)));
    numbers.flatten().collect()
}

/// Returns the calls of which another process is told by their numbers alone.
fn told(asked: Asked) -> impl Iterator<Item = i64> {
    let rows = TOLD.iter().filter(move |(_, does)| match does {
        Does::Starts => asked.told == Told::OpensAndStarts,
        Does::Connects => asked.told != Told::Nothing && asked.network.network == Network::Loopback,
        Does::Opens(..)
        | Does::Runs(_)
        | Does::Cuts(_)
        | Does::Makes(_)
        | Does::Removes(_)
        | Does::Moves(..)
        | Does::Links(..) => asked.told != Told::Nothing,
    });
    rows.map(|(call, _)| *call)
}

/// Compares a number with those of calls that are not simply allowed, and goes to one of the [`ends`], which begin so many
/// steps behind this part of the tree.
fn tree(calls: &[(u32, Fate)], behind: usize) -> Option<BpfProgram> {
    /// So few are compared one after the other.
    const FEW: usize = 3;
    if calls.len() > FEW {
        let (low, high) = calls.split_at(calls.len() / 2);
        let (middle, _) = high.first()?;
        let high = tree(high, behind)?;
        let low = tree(low, behind + high.len())?;
        let mut all = vec![step(IF_AT_LEAST, u8::try_from(low.len()).ok()?, 0, *middle)];
        all.extend(low);
        all.extend(high);
        return Some(all);
    }
    let few = calls.iter().enumerate().map(|(at, (call, fate))| {
        let left = calls.len() - at - 1;
        let end = |fate: Fate| u8::try_from(left + behind + fate as usize).ok();
        let other = if left == 0 { end(Fate::Allowed)? } else { 0 };
        Some(step(IF_EQUAL, end(*fate)?, other, *call))
    });
    few.collect()
}

fn rules(asked: Asked) -> Compiled<Rules> {
    let mut rules = Rules::new();
    let typing = TYPING.map(|typing| when(&[(1, Is::Eq, typing)]));
    rules.insert(
        libc::SYS_ioctl,
        typing.into_iter().collect::<Compiled<_>>()?,
    );
    rules.insert(libc::SYS_kill, vec![when(&[(0, Is::Eq, EVERY_PROCESS)])?]);
    // Its own limits it may change, within those that it got.
    rules.insert(libc::SYS_prlimit64, vec![when(&[(0, Is::Ne, 0)])?]);
    if asked.files.is_some_and(|version| version < 3) {
        rules.extend(emptying()?);
    }
    Ok(rules)
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

    /// Runs a filter as the kernel does, up to the rules with conditions: what it returns, or nothing where it goes on.
    fn result(program: &[sock_filter], processor: u32, call: u32, first: u32) -> Option<u32> {
        let (mut at, mut value) = (0, 0);
        loop {
            let now = program.get(at)?;
            at += 1;
            let holds = match now.code {
                LOAD => {
                    value = match now.k {
                        4 => processor,
                        FIRST_ARGUMENT => first,
                        _ => call,
                    };
                    continue;
                }
                RETURN => return Some(now.k),
                GO_ON => {
                    at += now.k as usize;
                    continue;
                }
                IF_EQUAL => value == now.k,
                IF_AT_LEAST => value >= now.k,
                IF_ANY_BIT => value & now.k != 0,
                other => panic!("{other}"),
            };
            at += usize::from(if holds { now.jt } else { now.jf });
        }
    }

    fn asked(network: Network, files: Option<u8>, metadata: bool, told: Told) -> Asked {
        let is_cut_off = false;
        let network = Held {
            network,
            is_cut_off,
        };
        Asked {
            network,
            files,
            metadata,
            told,
        }
    }

    /// The filter up to the rules with conditions.
    fn beginning(asked: Asked, fates: &[(u32, Fate)]) -> BpfProgram {
        let mut program = begun(7);
        program.extend(tree(fates, 0).unwrap());
        program.extend(ends(asked));
        program
    }

    const NO: u32 = ERROR | REFUSAL;

    #[test]
    fn the_tree_refuses_the_calls_of_the_list_and_asks_about_those_with_conditions_and_no_other() {
        for asked in [
            asked(Network::None, Some(1), true, Told::Nothing),
            asked(Network::Loopback, Some(7), true, Told::Opens),
            asked(Network::Any, None, false, Told::Nothing),
            asked(Network::None, Some(7), true, Told::OpensAndStarts),
        ] {
            let fates = fates(asked, &rules(asked).unwrap());
            assert!(fates.contains(&(u32::try_from(libc::SYS_ptrace).unwrap(), Fate::Refused)));
            assert!(fates.contains(&(u32::try_from(libc::SYS_kill).unwrap(), Fate::Conditions)));
            let program = beginning(asked, &fates);
            let is_told = asked.told != Told::Nothing;
            for call in 0..600 {
                let fate = fates
                    .iter()
                    .find(|(of, _)| *of == call)
                    .map(|(_, fate)| *fate);
                let expected = match (call, fate.unwrap_or(Fate::Allowed)) {
                    (CLONE3 | UNKNOWN.., _) => Some(ERROR | libc::ENOSYS.unsigned_abs()),
                    (_, Fate::Refused) => Some(NO),
                    (_, Fate::Start) if asked.told == Told::OpensAndStarts => Some(TELL),
                    (_, Fate::Allowed | Fate::Start) => Some(ALLOW),
                    (_, Fate::Told) => Some(TELL),
                    // The family of this number is none.
                    (_, Fate::Socket) => Some(if is_told { TELL } else { NO }),
                    (_, Fate::Conditions) => None,
                };
                assert_eq!(result(&program, 7, call, 0), expected, "{call}");
                assert_eq!(result(&program, 8, call, 0), Some(END_OF_PROCESS), "{call}");
            }
        }
    }

    #[test]
    fn a_socket_passes_by_its_family_and_a_user_namespace_never_whatever_is_told() {
        let number = |call: i64| u32::try_from(call).unwrap();
        for told in [Told::Nothing, Told::Opens, Told::OpensAndStarts] {
            for (network, open) in [
                (Network::None, vec![]),
                (Network::Loopback, vec![libc::AF_INET, libc::AF_INET6]),
                (
                    Network::Any,
                    vec![libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
                ),
            ] {
                let asked = asked(network, Some(7), true, told);
                let program = beginning(asked, &fates(asked, &rules(asked).unwrap()));
                let refusal = if told == Told::Nothing { NO } else { TELL };
                for family in 0..50 {
                    let is_open = open.contains(&family);
                    let family = family.unsigned_abs();
                    let result = result(&program, 7, number(libc::SYS_socket), family);
                    assert_eq!(
                        result,
                        Some(if is_open { ALLOW } else { refusal }),
                        "{family}"
                    );
                }
                let clone = |flags| result(&program, 7, number(libc::SYS_clone), flags);
                assert_eq!(clone(NEW_USER_NAMESPACE | 0x11), Some(NO));
                assert_ne!(clone(0x11), Some(NO));
            }
        }
    }
}
