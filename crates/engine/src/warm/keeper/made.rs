//! Making a warm process: its interpreter has started, and it waits for its job.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;

use super::super::{Kind, Making, Order};
use crate::files::{self, Durable};
use crate::processes::Pool;
use crate::processes::warm::send;

/// How long an interpreter may take to be ready.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that waits for an event.
pub(super) struct Ready {
    pub(super) key: usize,
    /// Where it is told what it is to be.
    pub(super) order: UnixStream,
    /// Our ends of its pipes.
    pub(super) pipes: [OwnedFd; 3],
}

/// What is being made.
enum Made {
    Nothing,
    /// The interpreter starts, which is ready itself when it says a word.
    Started(Ready, Instant),
    /// The interpreter starts that copies itself.
    Parent(Instant),
    /// It copies itself, for the process of these.
    Copy(Ready, Instant),
}

/// Makes processes.
pub(super) struct Maker<'o> {
    order: &'o Order,
    pub(super) kind: &'static Kind,
    next: usize,
    made: Made,
    /// The process that copies itself.
    parent: Option<Parent>,
}

struct Parent {
    key: usize,
    socket: UnixStream,
    /// Its standard input and output stay open, as those of any process; errors say why it failed.
    _open: [OwnedFd; 2],
    errors: File,
}

impl<'o> Maker<'o> {
    pub(super) fn new(order: &'o Order, kind: &'static Kind) -> Self {
        Self {
            order,
            kind,
            next: 0,
            made: Made::Nothing,
            parent: None,
        }
    }

    /// Tells whether nothing is being made.
    pub(super) fn is_still(&self) -> bool {
        matches!(self.made, Made::Nothing)
    }

    /// The file that says something when what is being made is ready.
    pub(super) fn watched(&self) -> Option<BorrowedFd<'_>> {
        match &self.made {
            Made::Nothing => None,
            Made::Started(ready, _) => Some(ready.order.as_fd()),
            Made::Parent(_) | Made::Copy(..) => {
                self.parent.as_ref().map(|parent| parent.socket.as_fd())
            }
        }
    }

    /// When it has to be ready.
    pub(super) fn due(&self) -> Option<Instant> {
        match &self.made {
            Made::Nothing => None,
            Made::Started(_, due) | Made::Parent(due) | Made::Copy(_, due) => Some(*due),
        }
    }

    /// Begins to make a process.
    pub(super) fn begin(&mut self, pool: &mut Pool) -> Result<(), String> {
        let due = Instant::now() + PATIENCE;
        match (self.kind.making, &self.parent) {
            (Making::Start, _) => {
                let (key, order, pipes) = self.start(pool)?;
                self.made = Made::Started(Ready { key, order, pipes }, due);
            }
            (Making::Fork, None) => {
                let (key, socket, [stdin, stdout, errors]) = self.start(pool)?;
                ioctl_fionbio(&errors, true).map_err(|error| error.to_string())?;
                self.parent = Some(Parent {
                    key,
                    socket,
                    _open: [stdin, stdout],
                    errors: errors.into(),
                });
                self.made = Made::Parent(due);
            }
            (Making::Fork, Some(parent)) => {
                self.next += 1;
                self.made = Made::Copy(copy(parent, self.next)?, due);
            }
        }
        Ok(())
    }

    /// Starts the interpreter.
    fn start(&mut self, pool: &mut Pool) -> Result<(usize, UnixStream, [OwnedFd; 3]), String> {
        let (own, other) = UnixStream::pair().map_err(|error| error.to_string())?;
        fcntl_setfd(&other, FdFlags::empty()).map_err(|error| error.to_string())?;
        if let Some((name, text)) = self.kind.file {
            let file = self.order.folder.join(name);
            files::replace(&file, text.as_bytes(), Durable::No)
                .map_err(|error| files::with_causes(&error))?;
        }
        let job = (self.kind.job)(self.order, other.as_raw_fd());
        self.next += 1;
        let pipes = pool.start_idle(self.next, &job)?;
        Ok((self.next, own, pipes))
    }

    /// Hears what the interpreter says, and returns the process that is ready by it.
    pub(super) fn go_on(&mut self, pool: &mut Pool) -> Result<Option<Ready>, String> {
        let made = std::mem::replace(&mut self.made, Made::Nothing);
        let mut word = [0; 32];
        let heard = match (&made, &self.parent) {
            (Made::Nothing, _) => return Ok(None),
            (Made::Started(ready, due), _) => heard(&ready.order, *due, &mut word),
            (Made::Parent(due) | Made::Copy(_, due), Some(parent)) => {
                heard(&parent.socket, *due, &mut word)
            }
            (Made::Parent(_) | Made::Copy(..), None) => None,
        };
        let Some(word) = heard else {
            return Err(self.failed());
        };
        match made {
            Made::Started(ready, _) => Ok(Some(ready)),
            Made::Copy(ready, _) => {
                let pid = word.trim_ascii_end().parse().ok().and_then(Pid::from_raw);
                pool.adopt_idle(ready.key, pid.ok_or_else(|| self.failed())?)?;
                Ok(Some(ready))
            }
            Made::Parent(_) | Made::Nothing => Ok(None),
        }
    }

    /// Hears that a process ended which no event has; where that was one to make others with, says what went wrong.
    pub(super) fn lost(&mut self, key: usize) -> Option<String> {
        let is_parent = self.parent.as_ref().is_some_and(|parent| parent.key == key);
        let is_started = matches!(&self.made, Made::Started(ready, _) if ready.key == key);
        (is_parent || is_started).then(|| self.failed())
    }

    /// Says why nothing can be made: in the last words of the interpreter, where it had some.
    fn failed(&mut self) -> String {
        self.made = Made::Nothing;
        let mut said = Vec::new();
        if let Some(parent) = &self.parent {
            // What there is; it never waits.
            let _ = (&parent.errors).take(8192).read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        match last {
            Some(last) => format!("its interpreter failed: {}", crate::text::plain(last)),
            None => "its interpreter failed".to_owned(),
        }
    }
}

/// Has the interpreter copy itself, with pipes of its own.
fn copy(parent: &Parent, key: usize) -> Result<Ready, String> {
    let words = |error: rustix::io::Errno| error.to_string();
    let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(words);
    let (stdin, stdout, stderr) = (pipe()?, pipe()?, pipe()?);
    let (own, other) = UnixStream::pair().map_err(|error| error.to_string())?;
    let theirs = [
        stdin.0.as_fd(),
        stdout.1.as_fd(),
        stderr.1.as_fd(),
        other.as_fd(),
    ];
    send(&parent.socket, b"m", &theirs).map_err(|error| error.to_string())?;
    Ok(Ready {
        key,
        order: own,
        pipes: [stdin.1, stdout.0, stderr.0],
    })
}

/// Reads the line that is there, which is short enough to come at once.
fn heard<'w>(mut socket: &UnixStream, due: Instant, word: &'w mut [u8; 32]) -> Option<&'w str> {
    if Instant::now() >= due {
        return None;
    }
    let count = socket.read(word).ok().filter(|count| *count > 0)?;
    str::from_utf8(word.get(..count)?).ok()
}
