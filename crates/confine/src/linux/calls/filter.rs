//! The seccomp program: the comparisons that decide about a call.

use seccompiler::{BpfProgram, sock_filter};

use super::{EMPTYING_OPENS, FilterSettings, SyscallAction, families, fates};

/// The first call that we do not know.
const UNKNOWN: u32 = 470;

/// Puts words into the input of a terminal, as if a person typed them: the second does so on a text console.
const TYPING: [u32; 2] = [0x5412, 0x541C];
/// Every signal to this number goes to all processes of the user.
const EVERY_PROCESS: u32 = u32::MAX;
const NEW_USER_NAMESPACE: u32 = 0x1000_0000;

/// The number that the kernel has for this kind of processor.
pub(super) fn processor() -> Option<u32> {
    match std::env::consts::ARCH {
        "x86_64" => Some(0xC000_003E),
        "aarch64" => Some(0xC000_00B7),
        "riscv64" => Some(0xC000_00F3),
        _ => None,
    }
}

/// Makes the filter, if its jumps are short enough.
///
/// A tree of comparisons finds what becomes of a call, and most calls end in it: the kernel runs the filter once for each number
/// when it is put on, and a list would cost more than all else here.
pub(super) fn program(asked: FilterSettings) -> Option<BpfProgram> {
    let ends = ends(asked);
    let mut program = begun(processor()?);
    program.extend(tree(&fates(asked), 0, &ends)?);
    program.extend(ends.into_iter().flat_map(|(_, steps)| steps));
    Some(program)
}

/// The operations of a filter.
const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const IF_EQUAL: u16 = 0x15;
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;
/// Where the lower half of the first argument stands, and how far from one argument to the next: the processors that we know
/// have the lower half first. It is all that the kernel reads of a number.
const FIRST_ARGUMENT: u32 = 16;
const ARGUMENT: u32 = 8;
/// What a filter returns: an error has its number in the lower half.
const ALLOW: u32 = 0x7FFF_0000;
const ERROR: u32 = 0x0005_0000;
/// Another process is told, and its answer is what becomes of the call: an error where there is no such process.
const TELL: u32 = libc::SECCOMP_RET_USER_NOTIF;
const END_OF_PROCESS: u32 = 0x8000_0000;
const NO: u32 = ERROR | libc::EPERM.unsigned_abs();
const MISSING: u32 = ERROR | libc::ENOSYS.unsigned_abs();

/// One step: an operation, how many steps it skips if its comparison holds or does not, and its value.
fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The beginning of the filter. Calls of another kind of processor end the process, because their numbers mean something
/// else. Calls that are newer than this program and those with the numbers of x32 do not exist.
fn begun(processor: u32) -> BpfProgram {
    vec![
        step(LOAD, 0, 0, 4),
        step(IF_EQUAL, 1, 0, processor),
        step(RETURN, 0, 0, END_OF_PROCESS),
        step(LOAD, 0, 0, 0),
        step(IF_AT_LEAST, 0, 1, UNKNOWN),
        step(RETURN, 0, 0, MISSING),
    ]
}

/// The steps in which the tree ends, for each fate.
type LeafPrograms = Vec<(SyscallAction, BpfProgram)>;

fn ends(asked: FilterSettings) -> LeafPrograms {
    let end = |result| step(RETURN, 0, 0, result);
    // Loads an argument, and refuses if what is compared next holds.
    let refused_if = |argument: u32, compared: &[sock_filter]| {
        let loaded = step(LOAD, 0, 0, FIRST_ARGUMENT + argument * ARGUMENT);
        [&[loaded], compared, &[end(NO), end(ALLOW)]].concat()
    };
    let in_namespace = [step(IF_ANY_BIT, 0, 1, NEW_USER_NAMESPACE)];
    let families = families(asked.network.network);
    let mut socket = vec![step(LOAD, 0, 0, FIRST_ARGUMENT)];
    for (at, family) in families.iter().enumerate() {
        let left = u8::try_from(families.len() - at).unwrap_or_default();
        socket.push(step(IF_EQUAL, left, 0, family.unsigned_abs()));
    }
    // Who is told of a refused socket refuses it: it cannot pass by being seen.
    let refusal = if asked.is_told { TELL } else { NO };
    socket.extend([end(refusal), end(ALLOW)]);
    let [typed, typed_too] = TYPING;
    let typing = [step(IF_EQUAL, 1, 0, typed), step(IF_EQUAL, 0, 1, typed_too)];
    let mut ends = vec![
        (SyscallAction::Allowed, vec![end(ALLOW)]),
        (SyscallAction::Refused, vec![end(NO)]),
        (SyscallAction::Missing, vec![end(MISSING)]),
        (SyscallAction::Told, vec![end(TELL)]),
        (SyscallAction::Start, refused_if(0, &in_namespace)),
        (SyscallAction::Socket, socket),
        (SyscallAction::Types, refused_if(1, &typing)),
        (
            SyscallAction::Signals,
            refused_if(0, &[step(IF_EQUAL, 0, 1, EVERY_PROCESS)]),
        ),
        (
            SyscallAction::Limits,
            refused_if(0, &[step(IF_EQUAL, 1, 0, 0)]),
        ),
    ];
    if asked.is_older() {
        let mask = (libc::O_ACCMODE | libc::O_TRUNC).unsigned_abs();
        let emptied = libc::O_TRUNC.unsigned_abs();
        let emptying = [step(AND, 0, 0, mask), step(IF_EQUAL, 0, 1, emptied)];
        for (_, argument) in EMPTYING_OPENS {
            ends.push((
                SyscallAction::Empties(*argument),
                refused_if(*argument, &emptying),
            ));
        }
    }
    ends
}

/// Compares a number with those of calls, and goes to one of the ends, which begin so many steps behind this part of the tree.
fn tree(calls: &[(u32, SyscallAction)], behind: usize, ends: &LeafPrograms) -> Option<BpfProgram> {
    /// So few are compared one after the other.
    const FEW: usize = 4;
    if calls.len() > FEW {
        let (low, high) = calls.split_at(calls.len() / 2);
        let middle = high.first()?.0;
        let high = tree(high, behind, ends)?;
        let low = tree(low, behind + high.len(), ends)?;
        let mut all = vec![step(IF_AT_LEAST, u8::try_from(low.len()).ok()?, 0, middle)];
        all.extend(low);
        all.extend(high);
        return Some(all);
    }
    let to = |fate: SyscallAction, left: usize| {
        let before = ends.iter().take_while(|(end, _)| *end != fate);
        let before: usize = before.map(|(_, steps)| steps.len()).sum();
        u8::try_from(left + behind + before).ok()
    };
    // From the last one back: each says what comes when it does not hold.
    let mut steps = BpfProgram::new();
    for (call, fate) in calls.iter().rev() {
        let left = steps.len();
        let other = if left == 0 {
            to(SyscallAction::Allowed, 0)?
        } else {
            0
        };
        steps.insert(0, step(IF_EQUAL, to(*fate, left)?, other, *call));
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::spaces::NetworkIsolation;
    use anyhook_core::sandbox::Network;

    /// Runs a filter as the kernel does, for a call with these arguments.
    fn result(program: &[sock_filter], processor: u32, call: u32, arguments: [u32; 3]) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let now = &program[at];
            at += 1;
            let holds = match now.code {
                LOAD => {
                    value = match now.k {
                        0 => call,
                        4 => processor,
                        other => arguments[((other - FIRST_ARGUMENT) / ARGUMENT) as usize],
                    };
                    continue;
                }
                AND => {
                    value &= now.k;
                    continue;
                }
                RETURN => return now.k,
                IF_EQUAL => value == now.k,
                IF_AT_LEAST => value >= now.k,
                IF_ANY_BIT => value & now.k != 0,
                other => panic!("{other}"),
            };
            at += usize::from(if holds { now.jt } else { now.jf });
        }
    }

    fn asked(network: Network, files: Option<u8>, metadata: bool, is_told: bool) -> FilterSettings {
        let is_cut_off = false;
        let network = NetworkIsolation {
            network,
            is_cut_off,
        };
        FilterSettings {
            network,
            files,
            metadata,
            is_told,
        }
    }

    fn number(call: i64) -> u32 {
        u32::try_from(call).unwrap()
    }

    fn all_asked() -> [FilterSettings; 3] {
        [
            asked(Network::None, Some(1), true, false),
            asked(Network::Loopback, Some(7), true, true),
            asked(Network::Any, None, false, false),
        ]
    }

    #[test]
    fn the_tree_refuses_the_calls_of_the_list_and_asks_about_those_with_conditions_and_no_other() {
        let ours = processor().unwrap();
        for asked in all_asked() {
            let fates = fates(asked);
            assert!(fates.contains(&(number(libc::SYS_ptrace), SyscallAction::Refused)));
            let program = program(asked).unwrap();
            for call in 0..600 {
                let fate = fates.iter().find(|(of, _)| *of == call);
                let expected = match (call, fate.map_or(SyscallAction::Allowed, |(_, fate)| *fate))
                {
                    (UNKNOWN.., _) | (_, SyscallAction::Missing) => MISSING,
                    (_, SyscallAction::Refused) => NO,
                    (_, SyscallAction::Told) => TELL,
                    // The family of this number is none.
                    (_, SyscallAction::Socket) => {
                        if asked.is_told {
                            TELL
                        } else {
                            NO
                        }
                    }
                    // With arguments that mean nothing, all of these are allowed.
                    (
                        _,
                        SyscallAction::Allowed
                        | SyscallAction::Start
                        | SyscallAction::Types
                        | SyscallAction::Signals
                        | SyscallAction::Limits
                        | SyscallAction::Empties(_),
                    ) => ALLOW,
                };
                assert_eq!(result(&program, ours, call, [0; 3]), expected, "{call}");
                assert_eq!(result(&program, 8, call, [0; 3]), END_OF_PROCESS, "{call}");
            }
        }
    }

    #[test]
    fn calls_with_conditions_are_refused_by_their_arguments_alone() {
        let ours = processor().unwrap();
        let (cut, write) = (libc::O_TRUNC.unsigned_abs(), libc::O_WRONLY.unsigned_abs());
        for asked in all_asked() {
            let program = program(asked).unwrap();
            let result = |call, arguments| result(&program, ours, number(call), arguments);
            for (call, refused, allowed) in [
                (libc::SYS_ioctl, [0, 0x5412, 0], [0x5412, 0x5413, 0x5412]),
                (libc::SYS_ioctl, [0, 0x541C, 0], [0x541C, 0x541B, 0x541C]),
                (libc::SYS_kill, [u32::MAX, 9, 0], [7, u32::MAX, u32::MAX]),
                (libc::SYS_prlimit64, [7, 0, 0], [0, 7, 7]),
            ] {
                assert_eq!(
                    (result(call, refused), result(call, allowed)),
                    (NO, ALLOW),
                    "{call}"
                );
            }
            if asked.files == Some(1) {
                assert_eq!(result(libc::SYS_openat, [0, 0, cut]), NO);
                assert_eq!(result(libc::SYS_openat, [cut, cut, cut | write]), ALLOW);
                assert_eq!(result(libc::SYS_openat2, [0; 3]), NO);
            }
        }
    }

    #[test]
    fn a_socket_passes_by_its_family_and_a_user_namespace_never_whatever_is_told() {
        let ours = processor().unwrap();
        for is_told in [false, true] {
            for (network, open) in [
                (Network::None, vec![]),
                (Network::Loopback, vec![libc::AF_INET, libc::AF_INET6]),
                (
                    Network::Any,
                    vec![libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
                ),
            ] {
                let program = program(asked(network, Some(7), true, is_told)).unwrap();
                let result = |call, first| result(&program, ours, number(call), [first, 0, 0]);
                let refusal = if is_told { TELL } else { NO };
                for family in 0..50 {
                    let expected = if open.contains(&family) {
                        ALLOW
                    } else {
                        refusal
                    };
                    let found = result(libc::SYS_socket, family.unsigned_abs());
                    assert_eq!(found, expected, "{family}");
                }
                assert_eq!(result(libc::SYS_clone, NEW_USER_NAMESPACE | 0x11), NO);
                assert_ne!(result(libc::SYS_clone, 0x11), NO);
            }
        }
    }
}
