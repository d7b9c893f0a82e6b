//! Namespaces: a loopback and a count of processes for the confined command alone.

use std::fs;
use std::io;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{getgid, getuid};

use anyhook_core::sandbox::Network;

use crate::failure::ConfineError;
use crate::report::ConfinementReport;
use crate::spec::Spec;

/// What became of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NetworkIsolation {
    /// What the command may do: never more than was asked for.
    pub network: Network,
    /// Whether it is in a network of its own.
    pub is_cut_off: bool,
}

/// Says whether people may make user namespaces, as far as the settings of the kernel say.
pub(super) fn can() -> bool {
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let most = number("/proc/sys/user/max_user_namespaces").is_some_and(|most| most > 0);
    let debian = number("/proc/sys/kernel/unprivileged_userns_clone") != Some(0);
    let ubuntu =
        number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").is_none_or(|set| set == 0);
    most && (getuid().is_root() || debian && ubuntu)
}

/// Enters the namespaces that this confinement needs: seccomp refuses a network for nothing, so that only a loopback and
/// a number of processes need any.
pub(super) fn enter(
    spec: &Spec,
    has_calls: bool,
    report: &mut ConfinementReport,
) -> Result<NetworkIsolation, ConfineError> {
    let wants_network = match spec.network {
        Network::None => !has_calls,
        Network::Loopback => true,
        Network::Any => false,
    };
    // The kernel never counts the processes of the root user, in any namespace.
    let wants_count = spec.processes.is_some() && !getuid().is_root();
    let mut is_cut_off = false;
    if wants_network || wants_count {
        let entered = made(wants_network, wants_count)?;
        is_cut_off = wants_network && entered;
        if wants_count && !entered {
            report.lacks(
                "processes",
                "this user may not make a user namespace, in which they would be counted",
            );
        }
    } else if spec.processes.is_some() {
        report.lacks(
            "processes",
            "the kernel does not count the processes of the root user",
        );
    }
    let network = match (spec.network, is_cut_off) {
        (Network::Loopback, true) => {
            raise_loopback().map_err(ConfineError::confining("raising a loopback of its own"))?;
            Network::Loopback
        }
        (Network::Loopback, false) => {
            report.note(
                "network loopback is none here, because this user may not make a network namespace",
            );
            Network::None
        }
        (asked @ (Network::None | Network::Any), _) => asked,
    };
    Ok(NetworkIsolation {
        network,
        is_cut_off,
    })
}

/// Makes the namespaces, if this user may. The root user of the machine needs no user namespace for a network.
fn made(network: bool, count: bool) -> Result<bool, ConfineError> {
    if network && !count && unshare(CloneFlags::CLONE_NEWNET).is_ok() {
        return Ok(true);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let mut flags = CloneFlags::CLONE_NEWUSER;
    flags.set(CloneFlags::CLONE_NEWNET, network);
    if unshare(flags).is_err() {
        return Ok(false);
    }
    // Users and groups keep their numbers, and no other number means anything there.
    let maps = [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ];
    for (file, text) in maps {
        fs::write(file, text).map_err(ConfineError::confining("entering a user namespace"))?;
    }
    Ok(true)
}

/// Lets processes of this network namespace reach each other at `127.0.0.1`.
///
/// It needs the right to change this network, which a process has in a namespace that it made itself.
pub fn raise_loopback() -> io::Result<()> {
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
    };

    /// «Set the link up, and say whether that was done.»
    const NEW_LINK: u16 = 16;
    const REQUEST_AND_ACKNOWLEDGE: u16 = 1 | 4;
    /// The loopback is the first link of every namespace.
    const LOOPBACK: u32 = 1;
    const UP: u32 = 1;

    let kinds = [NEW_LINK, REQUEST_AND_ACKNOWLEDGE].map(u16::to_ne_bytes);
    // The number of the message and its sender, then the link: its family, its index, its flags, and which of them change.
    let rest = [1, 0, 0, LOOPBACK, UP, UP].map(u32::to_ne_bytes);
    let length = 4 + size_of_val(&kinds) + size_of_val(&rest);
    let mut message = Vec::with_capacity(length);
    message.extend(u32::try_from(length).unwrap_or_default().to_ne_bytes());
    message.extend(kinds.as_flattened());
    message.extend(rest.as_flattened());
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None,
    )?;
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0_u8; 256];
    let (read, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    // Behind the header of the answer stands an error number, which is 0 where it was done.
    let code = answer.get(16..20).filter(|_| read >= 20);
    let code = code.and_then(|bytes| bytes.try_into().ok());
    match code.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::ErrorKind::InvalidData.into()),
    }
}
