//! Watches from outside what a confined command tries: a thread sees each call before the kernel carries it out.
//!
//! It records and never guards. A call that names a file always goes on, and Landlock alone refuses it; a socket that the
//! filter refuses is refused whatever is seen of it. Where this thread is gone, these calls fail.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use libc::seccomp_notif;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType,
    recvmsg, socketpair,
};

use super::notify::{Answer, answer, receive};
use super::told::{Does, does};
use crate::refused::{Refused, Tried};
use crate::spec::Spec;

mod look;

use look::{Look, Looker, destination};

/// Hears what one confined command opens, until all of its processes are gone.
#[derive(Debug)]
pub struct Watch(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Where the calls arrive, once the helper has said so.
    calls: Option<Arc<OwnedFd>>,
    refused: Refused,
    /// The processes and threads that made a call. What starts them is not told: a shell gives up where a signal interrupts its
    /// call while that waits for an answer.
    callers: HashSet<u32>,
    /// Files that it opened to write.
    written: Vec<PathBuf>,
    /// Why calls are not answered any more, while there may be some.
    failed: Option<Errno>,
    most_started: Option<u32>,
    most_written: Option<anyhook_core::sandbox::Memory>,
}

/// How many files are kept that were written.
const WRITTEN: usize = 32;
/// How many callers are counted.
const CALLERS: usize = 10_000;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// Begins to watch what the helper at this path will start, and returns the end of a socket that it inherits as its
    /// `--calls`.
    pub fn begin(spec: &Spec, helper: &Path) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let watch = Self::with(spec);
        watch.start(spec, helper, move || passed_on(&ours))?;
        Ok((watch, theirs))
    }

    fn with(spec: &Spec) -> Self {
        let seen = Seen {
            most_started: spec.processes.map(Into::into),
            most_written: spec.file_size,
            ..Seen::default()
        };
        Self(Arc::new(Shared {
            seen: Mutex::new(seen),
        }))
    }

    fn start(
        &self,
        spec: &Spec,
        helper: &Path,
        calls: impl FnOnce() -> Option<OwnedFd> + Send + 'static,
    ) -> io::Result<()> {
        let looker = Looker::new(spec, helper);
        let shared = Arc::clone(&self.0);
        let thread = thread::Builder::new().name("anyhook-watch".to_owned());
        let serve = move || {
            if let Some(calls) = calls() {
                let calls = Arc::new(calls);
                locked(&shared.seen).calls = Some(Arc::clone(&calls));
                shared.serve(&calls, &looker);
            }
        };
        thread.spawn(serve).map(drop)
    }

    /// Returns what was refused so far; nothing where the kernel tells of no call.
    pub fn refused(&self) -> Option<Refused> {
        let seen = locked(&self.0.seen);
        seen.calls.as_ref()?;
        let mut refused = seen.refused.clone();
        let most = seen
            .most_started
            .filter(|most| seen.callers.len() > *most as usize);
        refused.started = most.map(|most| (seen.callers.len(), most));
        if let Some(most) = seen.most_written {
            let is_full = |file: &&PathBuf| {
                file.symlink_metadata()
                    .is_ok_and(|file| file.len() >= most.bytes())
            };
            let full = seen.written.iter().filter(is_full);
            refused.full = full.map(|file| (file.clone(), most)).collect();
        }
        Some(refused)
    }

    /// Returns why calls of the command are not answered any more, where they have to be: each of them fails then.
    pub fn failed(&self) -> Option<io::Error> {
        locked(&self.0.seen).failed.map(io::Error::from)
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

impl Seen {
    fn is_called_by(&mut self, caller: u32) {
        if self.most_started.is_some() && self.callers.len() < CALLERS {
            self.callers.insert(caller);
        }
    }
}

impl Shared {
    fn serve(&self, calls: &OwnedFd, looker: &Looker) {
        loop {
            let mut fds = [PollFd::new(calls, PollFlags::IN)];
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return self.fail(error),
            }
            let [ready] = fds;
            if ready.revents().contains(PollFlags::IN) {
                match self.answer(calls, looker) {
                    // Its process was ended, or interrupted, before it was answered.
                    Ok(()) | Err(Errno::NOENT | Errno::INTR) => {}
                    Err(error) => return self.fail(error),
                }
            } else if !ready.revents().is_empty() {
                // All processes are gone.
                return;
            }
        }
    }

    fn fail(&self, error: Errno) {
        let mut seen = locked(&self.seen);
        seen.failed = Some(error);
        // What still waits fails at once, and nothing hangs.
        seen.calls = None;
    }

    /// Answers one call. Its number alone, which no other thread of the command can change, says how.
    fn answer(&self, calls: &OwnedFd, looker: &Looker) -> Result<(), Errno> {
        let mut fds = [PollFd::new(calls, PollFlags::IN)];
        if poll(&mut fds, Some(&Timespec::default()))? == 0 {
            return Ok(());
        }
        let call = receive(calls)?;
        locked(&self.seen).is_called_by(call.pid);
        let becomes = match does(i64::from(call.data.nr)) {
            Some(Does::Connects) => {
                self.connects(&call);
                Answer::GoesOn
            }
            Some(does) => {
                self.names(looker, &call, does);
                Answer::GoesOn
            }
            None => {
                let family = low(call.data.args[0]);
                locked(&self.seen).refused.note(Tried::Socket(family));
                Answer::IsRefused
            }
        };
        answer(calls, call.id, becomes)
    }

    /// Looks at a call that names files.
    fn names(&self, looker: &Looker, call: &seccomp_notif, does: Does) {
        let look = looker.look(call, does);
        let mut seen = locked(&self.seen);
        match look {
            Look::Passes => {}
            Look::Unseen => seen.refused.unseen += 1,
            Look::Writes(file) => {
                if seen.written.len() < WRITTEN && !seen.written.contains(&file) {
                    seen.written.push(file);
                }
            }
            Look::Refused(what, at) => {
                // One that is kept is asked of the kernel once.
                if seen.refused.note_again(&what) {
                    return;
                }
                let has_room = seen.refused.has_room();
                drop(seen);
                if !has_room || looker.is_refused(&at) {
                    locked(&self.seen).refused.note(what);
                }
            }
        }
    }

    fn connects(&self, call: &seccomp_notif) {
        match destination(call) {
            // In a network of its own there is nothing but its loopback.
            Some(address) if is_elsewhere(address.ip()) => {
                locked(&self.seen).refused.note(Tried::Connect(address));
            }
            Some(_) => {}
            None => locked(&self.seen).refused.unseen += 1,
        }
    }
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
