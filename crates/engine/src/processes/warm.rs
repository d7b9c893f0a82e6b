//! A process that is ready for a job: a keeper hands it over at a socket, and the job runs there as if it had been started.
//!
//! What is said on the socket: the keeper sends [`Hello`], beside it the ends of three pipes; the caller sends one [`Request`];
//! the keeper sends [`Ended`]. Nothing has run before the request was sent, so up to there a job can still be started cold.
//! From then on it is never started again: a keeper that goes away or says something else is the failure of the job.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read as _, Seek as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, Mode, OFlags, fstat, memfd_create, open};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, SocketAddrUnix, SocketFlags,
    SocketType, connect, recvmsg, sendmsg, shutdown, socket_with,
};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::pipes::Feed;
use super::{Job, MARK, start};

/// The version of what is said on the socket.
pub(crate) const VERSION: u32 = 1;

/// How long a keeper may take to hand over a process. It is well below what a cold start of an interpreter takes.
const PATIENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// The longest line that a keeper says.
const LONGEST: usize = 4096;

/// Where a job may find a process that is ready for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warm {
    /// The script and its arguments.
    pub args: Vec<OsString>,
    /// The private folder of the sockets.
    pub folder: PathBuf,
    /// The name of the socket, which says everything that such a process depends on.
    pub key: String,
    /// The program that keeps such processes, and its words.
    pub keeper: Vec<PathBuf>,
    /// What a keeper is told at its start.
    pub order: Vec<u8>,
}

/// What a keeper says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hello {
    /// A process is ready: the pipes come beside this.
    Given,
    /// None is; the job has to be started cold.
    Cold(String),
}

/// What a caller says: what the process is to be.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request<'j> {
    pub(crate) version: u32,
    /// How long it may run, in milliseconds.
    pub(crate) millis: u64,
    /// The mark of the job.
    #[serde(borrow)]
    pub(crate) mark: Cow<'j, str>,
    pub(crate) cwd: Cow<'j, str>,
    /// The script and its arguments.
    pub(crate) args: Vec<Cow<'j, str>>,
    pub(crate) env: Vec<(Cow<'j, str>, Cow<'j, str>)>,
}

/// What a keeper says last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ended {
    Code(u8),
    Signal(u8),
}

/// A job that runs in a process of a keeper.
#[derive(Debug)]
pub(super) struct Worker {
    socket: File,
    heard: Vec<u8>,
}

/// A process that was handed over: what it is to be goes out by `request`, and its pipes are those of any job.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) worker: Worker,
    pub(super) request: Feed,
    pub(super) pipes: [OwnedFd; 3],
}

impl Worker {
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Asks for its end.
    pub(super) fn end(&self) {
        // It fails when the keeper is gone, and what it kept with it.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// Tells how the job ended, once the keeper has said so, without waiting for it.
    pub(super) fn exit(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut piece = [0; 256];
        while !self.heard.contains(&b'\n') && self.heard.len() < LONGEST {
            match self.socket.read(&mut piece) {
                Ok(0) => return Some(Err(gone())),
                Ok(count) => self.heard.extend(piece.iter().take(count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(_) => return Some(Err(gone())),
            }
        }
        let line = self.heard.strip_suffix(b"\n").unwrap_or_default();
        Some(match serde_json::from_slice(line) {
            Ok(Ended::Code(code)) => Ok(ExitStatus::from_raw(i32::from(code) << 8)),
            Ok(Ended::Signal(signal)) => Ok(ExitStatus::from_raw(i32::from(signal))),
            Err(_) => Err(io::Error::other("its warm worker said something unknown")),
        })
    }
}

fn gone() -> io::Error {
    io::Error::other("its warm worker ended while the hook ran; the hook is not run twice")
}

/// Asks for a process that is ready for this job; without one the words say why it is started cold. Where there is no keeper
/// one is started, for the next job.
pub(super) fn ask(warm: &Warm, job: &Job, mark: &str) -> Result<Given, String> {
    let bytes = request(warm, job, mark).ok_or("a variable or an argument is no text")?;
    let Ok(socket) = reach(&warm.folder, &warm.key) else {
        keep(warm).map_err(|error| error.to_string())?;
        return Err("its keeper is just being started".to_owned());
    };
    let (hello, pipes) = hello(&socket).map_err(|error| error.to_string())?;
    if let Hello::Cold(why) = hello {
        return Err(why);
    }
    let pipes = pipes.try_into().map_err(|_| "no three pipes")?;
    let socket = File::from(socket);
    let feed = socket.try_clone().map_err(|error| error.to_string())?;
    let request = Feed {
        pipe: Some(feed),
        bytes: bytes.into(),
        fed: 0,
    };
    let worker = Worker {
        socket,
        heard: Vec::new(),
    };
    Ok(Given {
        worker,
        request,
        pipes,
    })
}

/// Writes what the process is to be; nothing where a part of it is no text, which only a cold start hands on unchanged.
fn request(warm: &Warm, job: &Job, mark: &str) -> Option<Vec<u8>> {
    let text = |text: &'_ OsStr| Some(Cow::Owned(text.to_str()?.to_owned()));
    // As for a process that is started: in the order of names, and of equal names the last.
    let env = job.env.iter();
    let env = env.map(|(name, value)| Some((text(name)?, text(value)?)));
    let marked = [Some((MARK.into(), mark.into()))];
    let env: Option<BTreeMap<Cow<'_, str>, Cow<'_, str>>> = env.chain(marked).collect();
    let args = warm.args.iter().map(|arg| text(arg));
    let mut bytes = serde_json::to_vec(&Request {
        version: VERSION,
        millis: u64::try_from(job.deadline.as_millis()).unwrap_or(u64::MAX),
        mark: mark.into(),
        cwd: text(job.cwd.as_os_str())?,
        args: args.collect::<Option<_>>()?,
        env: env?.into_iter().collect(),
    })
    .ok()?;
    bytes.push(b'\n');
    Some(bytes)
}

/// Opens the private folder: one that is not this user's alone is none.
pub(crate) fn private(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let held = open(folder, flags, Mode::empty())?;
    let meta = fstat(&held)?;
    if meta.st_uid != geteuid().as_raw() || meta.st_mode & 0o077 != 0 {
        return Err(Errno::PERM.into());
    }
    Ok(held)
}

/// The address of a socket in such a folder, which may lie deeper than an address is long.
pub(crate) fn address(folder: &OwnedFd, key: &str) -> io::Result<SocketAddrUnix> {
    let path = format!("/proc/self/fd/{}/{key}", folder.as_raw_fd());
    Ok(SocketAddrUnix::new(path)?)
}

/// Connects without waiting. A socket of another user is none.
fn reach(folder: &Path, key: &str) -> io::Result<OwnedFd> {
    let folder = private(folder)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &address(&folder, key)?)?;
    is_ours(&socket)?;
    Ok(socket)
}

/// Fails where another user is at the other end.
pub(crate) fn is_ours(socket: impl AsFd) -> io::Result<()> {
    if socket_peercred(socket)?.uid == geteuid() {
        return Ok(());
    }
    Err(Errno::PERM.into())
}

/// Hears the first line, and takes the pipes that come beside it.
fn hello(socket: &OwnedFd) -> io::Result<(Hello, Vec<OwnedFd>)> {
    let mut fds = [PollFd::new(socket, PollFlags::IN)];
    if poll(&mut fds, Some(&PATIENCE))? == 0 {
        return Err(io::Error::other("its keeper is busy"));
    }
    let mut line = vec![0; LONGEST];
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut beside = RecvAncillaryBuffer::new(&mut room);
    let heard = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut line)],
        &mut beside,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let mut pipes = Vec::with_capacity(3);
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(files) = message {
            pipes.extend(files);
        }
    }
    for pipe in &pipes {
        ioctl_fionbio(pipe, true)?;
    }
    let line = line.get(..heard.bytes).unwrap_or_default();
    let whole = line.strip_suffix(b"\n").unwrap_or_default();
    if heard.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::Error::other("its keeper handed over too much"));
    }
    Ok((serde_json::from_slice(whole)?, pipes))
}

/// Says a line, with files beside it.
pub(crate) fn say(
    socket: impl AsFd,
    line: &impl Serialize,
    files: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    send(socket, &bytes, files)
}

/// Sends bytes that are few enough to go at once, with at most four files beside them.
pub(crate) fn send(socket: impl AsFd, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut beside = SendAncillaryBuffer::new(&mut room);
    if !files.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(Errno::TOOBIG.into());
    }
    let sent = sendmsg(
        socket,
        &[IoSlice::new(bytes)],
        &mut beside,
        SendFlags::NOSIGNAL,
    )?;
    if sent == bytes.len() {
        return Ok(());
    }
    Err(io::ErrorKind::WriteZero.into())
}

/// Starts a keeper, which stands on its own at once: it is told by a file that it does not have to wait for.
fn keep(warm: &Warm) -> io::Result<()> {
    let mut order = File::from(memfd_create("anyhook-warm", MemfdFlags::CLOEXEC)?);
    order.write_all(&warm.order)?;
    order.rewind()?;
    let mut words = warm.keeper.iter();
    let program = words.next().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    // It needs nothing of ours, and stays when we are gone.
    command.args(words).current_dir("/").env_clear();
    // Its group is not ours: what ends ours does not end it.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .stdin(order)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    start(&mut command).map(drop)
}

/// The longest that a hook of a keeper may run beyond what its caller allows, who ends it before.
pub(crate) const BEYOND: Duration = Duration::from_secs(5);
