//! The caller that asks a keeper for a process.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhook_core::transcript::End;
use rustix::net::sockopt::socket_peercred;

use super::made::Ready;
use crate::processes::warm::{BEYOND, Ended, Hello, Request, VERSION, say};

/// The longest request: more than arguments and variables of a process may be together.
const LONGEST: usize = 8 << 20;

/// A caller.
pub(super) struct Caller {
    socket: UnixStream,
    pub(super) is: Is,
}

/// How far the event of a caller has come.
pub(super) enum Is {
    /// No process is ready for it yet.
    Waiting,
    /// It has the pipes of this process, and has said so much of what it is to be.
    Given(Ready, Vec<u8>),
    /// It runs as this process.
    Running(usize),
    /// This process is being ended.
    Ending(usize),
    /// It is over.
    Over,
}

/// What is to be done for a caller.
pub(super) enum Heard {
    Nothing,
    /// The process has a job from now on.
    Job {
        key: usize,
        mark: String,
        time: Duration,
    },
    /// The process is to be ended.
    End(usize),
}

impl Caller {
    pub(super) fn new(socket: UnixStream) -> Self {
        Self {
            socket,
            is: Is::Waiting,
        }
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Tells whether it can still say something.
    pub(super) fn is_heard(&self) -> bool {
        !matches!(self.is, Is::Ending(_) | Is::Over)
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.is, Is::Running(_) | Is::Ending(_))
    }

    /// Tells whether it has a process.
    pub(super) fn is_served(&self) -> bool {
        !matches!(self.is, Is::Waiting | Is::Over)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.is, Is::Over)
    }

    pub(super) fn has(&self, key: usize) -> bool {
        match &self.is {
            Is::Given(ready, _) => ready.key == key,
            Is::Running(own) | Is::Ending(own) => *own == key,
            Is::Waiting | Is::Over => false,
        }
    }

    /// Tells it to start cold.
    pub(super) fn cold(&mut self, why: &str) {
        let _ = say(&self.socket, &Hello::Cold(why.to_owned()), &[]);
        self.is = Is::Over;
    }

    /// Hands it the pipes of a process; one that has gone leaves them.
    pub(super) fn give(&mut self, ready: Ready) -> Option<Ready> {
        let pipes = ready.pipes.each_ref().map(AsFd::as_fd);
        if say(&self.socket, &Hello::Given, &pipes).is_err() {
            self.is = Is::Over;
            return Some(ready);
        }
        self.is = Is::Given(ready, Vec::new());
        None
    }

    /// Hears what it says. What ends before it said all, or says something else, gets no answer: to the one at the other end
    /// that is a failure of the hook.
    pub(super) fn hear(&mut self) -> Heard {
        match std::mem::replace(&mut self.is, Is::Over) {
            Is::Given(ready, line) => self.told(ready, line),
            // It only can have closed its end: it waits no more, or its time is over.
            Is::Running(key) => {
                self.is = Is::Ending(key);
                Heard::End(key)
            }
            Is::Ending(key) => {
                self.is = Is::Ending(key);
                Heard::Nothing
            }
            Is::Waiting | Is::Over => Heard::Nothing,
        }
    }

    fn told(&mut self, ready: Ready, mut line: Vec<u8>) -> Heard {
        let key = ready.key;
        let mut piece = vec![0; 64 * 1024];
        loop {
            match self.socket.read(&mut piece) {
                Ok(count) if count > 0 && line.len() < LONGEST => {
                    line.extend(piece.iter().take(count));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Ok(_) | Err(_) => return Heard::End(key),
            }
        }
        let Some(whole) = line.strip_suffix(b"\n") else {
            self.is = Is::Given(ready, line);
            return Heard::Nothing;
        };
        let (mark, time) = match serde_json::from_slice::<Request<'_>>(whole) {
            Ok(request) if request.version == VERSION => {
                let time = Duration::from_millis(request.millis).saturating_add(BEYOND);
                (request.mark.into_owned(), time)
            }
            Ok(_) | Err(_) => return Heard::End(key),
        };
        // It waits for nothing else: the shim reads until the end of the line.
        if (&ready.order).write_all(&line).is_err() {
            return Heard::End(key);
        }
        self.is = Is::Running(key);
        Heard::Job { key, mark, time }
    }

    /// Tells it how its process ended.
    pub(super) fn tell(&mut self, end: &End) {
        let byte = |number: &i32| u8::try_from(*number).ok();
        let ended = match (&self.is, end) {
            // It ended before it was told what it is to be, or how is not known.
            (Is::Given(..), _) | (_, End::NotStarted(_)) => None,
            (_, End::Code(code)) => byte(code).map(Ended::Code),
            (_, End::Signal(signal)) => byte(signal).map(Ended::Signal),
            (_, End::TimedOut) => Some(Ended::Signal(9)),
        };
        self.is = Is::Over;
        if let Some(ended) = ended {
            let _ = say(&self.socket, &ended, &[]);
        }
    }
}

/// Fails where a caller is kept from something that this process is not kept from: a hook that ran here for it would be a way
/// out. What Landlock alone holds cannot be seen.
pub(super) fn is_like_us(socket: impl AsFd) -> Result<(), String> {
    let caller = socket_peercred(socket).map_err(|error| error.to_string())?;
    let (caller, own) = (format!("/proc/{}", caller.pid), "/proc/self");
    let spaces = ["mnt", "net", "pid", "user"];
    let same_spaces = spaces.iter().all(|space| {
        let of = |process: &str| fs::read_link(format!("{process}/ns/{space}")).ok();
        of(&caller).is_some_and(|other| of(own) == Some(other))
    });
    let same_calls = held(&caller).is_some_and(|other| held(own) == Some(other));
    if same_spaces && same_calls {
        return Ok(());
    }
    Err("the caller is confined otherwise than its keeper".to_owned())
}

/// Returns what the kernel says of the filters of a process.
fn held(process: &str) -> Option<Vec<String>> {
    let status = fs::read_to_string(format!("{process}/status")).ok()?;
    let is_one = |line: &&str| line.starts_with("NoNewPrivs:") || line.starts_with("Seccomp");
    Some(status.lines().filter(is_one).map(str::to_owned).collect())
}
