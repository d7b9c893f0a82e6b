//! A start on demand: a service manager listens, and starts the server when a client connects.

use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;

use listenfd::ListenFd;
use rustix::io::{FdFlags, fcntl_setfd};

use crate::error::ServeError;
use crate::server::{Owner, Sockets};

/// Takes the sockets on which a service manager listened for this process; nothing where it was started in another way.
///
/// Only the person's own socket and a port of loopback are taken: on any other, strangers could ask.
pub(crate) fn sockets(own: &Path) -> Result<Option<Sockets>, ServeError> {
    let mut given = ListenFd::from_env();
    if given.len() == 0 {
        return Ok(None);
    }
    let (mut socket, mut port) = (None, None);
    for index in 0..given.len() {
        if let Ok(Some(unix)) = given.take_unix_listener(index) {
            socket = Some(of_person(unix, own)?);
        } else if let Ok(Some(tcp)) = given.take_tcp_listener(index) {
            port = Some(of_loopback(tcp)?);
        } else {
            return Err(wrong("a socket of another kind".to_owned()));
        }
    }
    let socket = socket.ok_or_else(|| wrong("no socket in the file system".to_owned()))?;
    Ok(Some(Sockets {
        socket,
        port,
        owner: Owner::Manager,
    }))
}

fn of_person(socket: UnixListener, own: &Path) -> Result<UnixListener, ServeError> {
    let address = socket
        .local_addr()
        .map_err(ServeError::io("tell the socket"))?;
    if address.as_pathname() != Some(own) {
        let other = address
            .as_pathname()
            .unwrap_or(Path::new("a nameless socket"));
        let (other, own) = (other.display(), own.display());
        return Err(wrong(format!(
            "`{other}`, and this server's socket is `{own}`"
        )));
    }
    ready(&socket, |socket| socket.set_nonblocking(true))?;
    Ok(socket)
}

fn of_loopback(port: TcpListener) -> Result<TcpListener, ServeError> {
    let address = port.local_addr().map_err(ServeError::io("tell the port"))?;
    if !address.ip().is_loopback() {
        return Err(wrong(format!("{address}, which other machines reach")));
    }
    ready(&port, |port| port.set_nonblocking(true))?;
    Ok(port)
}

/// Makes a socket one that no hook inherits.
fn ready<S: std::os::fd::AsFd>(
    socket: &S,
    unblock: impl FnOnce(&S) -> std::io::Result<()>,
) -> Result<(), ServeError> {
    let kept = fcntl_setfd(socket, FdFlags::CLOEXEC).map_err(std::io::Error::from);
    let done = kept.and_then(|()| unblock(socket));
    done.map_err(ServeError::io(
        "listen on the socket of the service manager",
    ))
}

fn wrong(what: String) -> ServeError {
    ServeError::Given { what }
}
