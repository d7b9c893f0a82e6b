//! The loopback of a namespace that has just been made: in a new one it is down.

use std::io;

/// Lets processes of this network namespace reach each other at `127.0.0.1`.
///
/// It needs the right to change this network, which a process has in a namespace that it made itself.
#[cfg(target_os = "linux")]
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

/// Elsewhere there is no such namespace.
#[cfg(not(target_os = "linux"))]
pub fn raise_loopback() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
