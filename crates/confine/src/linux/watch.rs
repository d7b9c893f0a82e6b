//! Watches from outside what a confined command tries: a thread sees each call before the kernel carries it out.
//!
//! It records and never guards. A call that names a file always goes on, and Landlock alone refuses it; a socket that the
//! filter refuses is refused whatever is seen of it. Where this thread is gone, these calls fail.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};

use super::notify::{NotifyResponse, answer, receive};
use super::told::does;
use crate::refused::{AccessAttempt, AccessRefusals};
use crate::spec::Spec;

mod look;

use look::CallInspector;

/// Hears what one confined command opens, until all of its processes are gone.
#[derive(Debug)]
pub struct AccessMonitor(Arc<Mutex<MonitorState>>);

#[derive(Debug, Default)]
struct MonitorState {
    /// Where the calls arrive, once the helper has said so.
    calls: Option<Arc<OwnedFd>>,
    refused: AccessRefusals,
    /// Why calls are not answered any more, while there may be some.
    failed: Option<Errno>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AccessMonitor {
    /// Begins to watch what the helper at this path will start, and returns the end of a socket that it inherits as its
    /// `--calls`.
    pub fn begin(spec: &Spec, helper: &Path) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let watch = Self(Arc::default());
        let (seen, looker) = (Arc::clone(&watch.0), CallInspector::new(spec, helper));
        let watching = move || {
            if let Some(calls) = passed_on(&ours).map(Arc::new) {
                locked(&seen).calls = Some(Arc::clone(&calls));
                serve(&seen, &calls, &looker);
            }
        };
        let thread = thread::Builder::new().name("anyhook-watch".to_owned());
        thread.spawn(watching)?;
        Ok((watch, theirs))
    }

    /// Returns what was refused so far; nothing where the kernel tells of no call.
    pub fn refused(&self) -> Option<AccessRefusals> {
        let seen = locked(&self.0);
        seen.calls.as_ref().map(|_| seen.refused.clone())
    }

    /// Returns why calls of the command are not answered any more, where they have to be: each of them fails then.
    pub fn failed(&self) -> Option<io::Error> {
        locked(&self.0).failed.map(io::Error::from)
    }
}

/// Receives the descriptor on which the calls arrive, which the helper sends; nothing where it made none.
fn passed_on(socket: &OwnedFd) -> Option<OwnedFd> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut parts = [io::IoSliceMut::new(&mut byte)];
    while let Err(Errno::INTR) = recvmsg(socket, &mut parts, &mut message, RecvFlags::CMSG_CLOEXEC)
    {
    }
    let mut sent = message.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut sent) => sent.next(),
        _ => None,
    });
    sent.next()
}

/// Answers calls until all processes are gone. Where that fails, what still waits fails at once, and nothing hangs.
fn serve(seen: &Mutex<MonitorState>, calls: &OwnedFd, looker: &CallInspector) {
    if let Err(error) = answer_all(seen, calls, looker) {
        let mut seen = locked(seen);
        seen.failed = Some(error);
        seen.calls = None;
    }
}

fn answer_all(
    seen: &Mutex<MonitorState>,
    calls: &OwnedFd,
    looker: &CallInspector,
) -> Result<(), Errno> {
    loop {
        let mut fds = [PollFd::new(calls, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        let [ready] = fds;
        if ready.revents().contains(PollFlags::IN) {
            match answer_one(seen, calls, looker) {
                // Its process was ended, or interrupted, before it was answered.
                Ok(()) | Err(Errno::NOENT | Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        } else if !ready.revents().is_empty() {
            return Ok(());
        }
    }
}

/// Answers one call. Its number alone, which no other thread of the command can change, says how.
fn answer_one(
    seen: &Mutex<MonitorState>,
    calls: &OwnedFd,
    looker: &CallInspector,
) -> Result<(), Errno> {
    let call = receive(calls)?;
    let (look, becomes) = if let Some(does) = does(i64::from(call.data.nr)) {
        (looker.look(&call, does), NotifyResponse::GoesOn)
    } else {
        let family = low(call.data.args[0]);
        let refused = Ok(Some(AccessAttempt::Socket(family)));
        (refused, NotifyResponse::IsRefused)
    };
    match look {
        Ok(Some(what)) => locked(seen).refused.note(what),
        Err(Errno::FAULT | Errno::LOOP) => locked(seen).refused.unseen += 1,
        Ok(None) | Err(_) => {}
    }
    answer(calls, call.id, becomes)
}

fn is_elsewhere(address: IpAddr) -> bool {
    !address.to_canonical().is_loopback() && !address.is_unspecified()
}

/// Returns the lower half of an argument: all that the kernel reads of a number.
fn low(argument: u64) -> u32 {
    u32::try_from(argument & u64::from(u32::MAX)).unwrap_or_default()
}

/// Returns the path under which a descriptor of this process can be opened again.
fn link(at: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", at.as_raw_fd())
}

/// Reads an address of the internet protocols as the kernel has it in memory.
fn address(bytes: &[u8]) -> Option<SocketAddr> {
    let (family, rest) = bytes.split_first_chunk()?;
    let (port, rest) = rest.split_first_chunk()?;
    let ip: IpAddr = match i32::from(u16::from_ne_bytes(*family)) {
        libc::AF_INET => IpAddr::from(*rest.first_chunk::<4>()?),
        // Behind the port stands what only routers read.
        libc::AF_INET6 => IpAddr::from(*rest.get(4..)?.first_chunk::<16>()?),
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_be_bytes(*port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_the_kernel_has_it_and_everything_else_is_none() {
        let family = |family: i32| u16::try_from(family).unwrap().to_ne_bytes();
        let mut four = family(libc::AF_INET).to_vec();
        four.extend([1, 187, 93, 184, 216, 34]);
        assert_eq!(address(&four), Some("93.184.216.34:443".parse().unwrap()));
        let mut six = family(libc::AF_INET6).to_vec();
        six.extend([0, 80, 0, 0, 0, 0]);
        six.extend(
            "2001:db8::1"
                .parse::<std::net::Ipv6Addr>()
                .unwrap()
                .octets(),
        );
        assert_eq!(address(&six), Some("[2001:db8::1]:80".parse().unwrap()));
        assert_eq!(address(&six[..20]), None);
        assert_eq!(address(&family(libc::AF_UNIX)), None);
        let is_elsewhere = |ip: &str| is_elsewhere(ip.parse().unwrap());
        assert!(is_elsewhere("93.184.216.34") && is_elsewhere("2001:db8::1"));
        assert!(
            !["127.0.0.9", "::1", "::ffff:127.0.0.1", "0.0.0.0"]
                .map(is_elsewhere)
                .contains(&true)
        );
    }
}
