//! The keeper: holds a process ready for one hook script, hands it over, and ends it with all that it started.
//!
//! It reads nothing that a hook says: the pipes of a process go to the caller. No process runs for two events.

mod caller;
mod made;

use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhook_core::transcript::Transcript;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with,
};

use super::{IDLE, KINDS, Kind, Making, Order, VERSION, WORD};
use crate::background::VERB;
use crate::files;
use crate::processes::warm::{Hello, address, is_ours, private, say};
use crate::processes::{Limits, Pool};
use caller::{Caller, Heard, Is};
use made::{Maker, Ready};

/// How many callers there may be at once; more are told to start cold.
const CALLERS: usize = 64;
/// How often is looked whether there is still something to keep.
const LOOK: Duration = Duration::from_secs(5);
/// So long a keeper that can make nothing tells callers to start cold; then the next event starts another one.
const BROKEN: Duration = Duration::from_mins(1);
/// How long what an event left behind may go on.
const LINGER: Duration = Duration::from_millis(200);
/// The longest order.
const LONGEST: u64 = 1 << 20;
/// The word that stands behind the others when nothing of the caller is open any more.
const ALONE: &str = "alone";

/// A keeper.
struct Keeper<'o> {
    order: &'o Order,
    listener: OwnedFd,
    pool: Pool,
    maker: Maker<'o>,
    ready: Option<Ready>,
    callers: Vec<Caller>,
    /// Why every caller is told to start cold.
    broken: Option<String>,
    begun: Instant,
    used: Instant,
    /// When the last event ended, until what it left was looked for.
    ended: Option<Instant>,
}

pub(super) fn keep_ordered() -> Result<(), String> {
    let words = |error: io::Error| error.to_string();
    if env::args_os().next_back().is_none_or(|word| word != ALONE) {
        let _ = rustix::process::setsid();
        // What the agent left open in its children would stay open as long as this process.
        close_fds::set_fds_cloexec(3, &[]);
        let own = env::current_exe().map_err(words)?;
        return Err(words(Command::new(own).args([VERB, WORD, ALONE]).exec()));
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(LONGEST).read_to_end(&mut bytes);
    read.map_err(words)?;
    let order: Order = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let kind = KINDS.iter().find(|kind| kind.name == order.kind);
    let kind = kind.filter(|_| order.version == VERSION);
    let kind = kind.ok_or("the order is one of another version")?;
    let Some(listener) = listener(&order)? else {
        return Ok(());
    };
    let idle = Duration::from_millis(order.idle_millis).min(IDLE);
    Keeper::new(&order, kind, listener).keep(idle);
    Ok(())
}

/// Opens the socket of an order, unless another keeper has it.
fn listener(order: &Order) -> Result<Option<OwnedFd>, String> {
    let words = |error: Errno| error.to_string();
    files::private_dir(&order.folder).map_err(|error| files::with_causes(&error))?;
    let folder = private(&order.folder).map_err(|error| error.to_string())?;
    let address = address(&folder, &order.key).map_err(|error| error.to_string())?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = || socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None);
    let own = socket().map_err(words)?;
    let bound = match bind(&own, &address) {
        Err(Errno::ADDRINUSE) => {
            let other = socket().map_err(words)?;
            if connect(&other, &address) != Err(Errno::CONNREFUSED) {
                return Ok(None);
            }
            // A keeper that was killed left its socket behind.
            let _ = fs::remove_file(order.folder.join(&order.key));
            bind(&own, &address)
        }
        bound => bound,
    };
    bound.map_err(words)?;
    listen(&own, 16).map_err(words)?;
    Ok(Some(own))
}

/// Which file stands at a path.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let meta = fs::symlink_metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

impl<'o> Keeper<'o> {
    fn new(order: &'o Order, kind: &'static Kind, listener: OwnedFd) -> Self {
        Self {
            order,
            listener,
            pool: Pool::new(Limits {
                linger: LINGER,
                ..Limits::default()
            }),
            maker: Maker::new(order, kind),
            ready: None,
            callers: Vec::new(),
            broken: None,
            begun: Instant::now(),
            used: Instant::now(),
            ended: None,
        }
    }

    /// Keeps processes ready until no event came for so long, or the socket is not the keeper's any more.
    fn keep(mut self, idle: Duration) {
        let socket = self.order.folder.join(&self.order.key);
        let own = identity(&socket);
        loop {
            self.serve();
            let is_unused = self.callers.is_empty() && self.used.elapsed() >= idle;
            let is_broken = self.broken.is_some() && self.begun.elapsed() >= BROKEN;
            if is_unused || is_broken || own.is_none() || identity(&socket) != own {
                break;
            }
            self.turn(idle);
        }
        // First the name, so that no caller comes any more; then those that came meanwhile are told.
        if own.is_some() && identity(&socket) == own {
            let _ = fs::remove_file(&socket);
        }
        self.broken = Some("its keeper is ending".to_owned());
        self.accept();
        self.serve();
    }

    fn turn(&mut self, idle: Duration) {
        let until = self.until(idle);
        let mut beside: Vec<BorrowedFd<'_>> = vec![self.listener.as_fd()];
        beside.extend(self.maker.watched());
        let first = beside.len();
        let heard: Vec<usize> = (0..self.callers.len())
            .filter(|at| self.callers.get(*at).is_some_and(Caller::is_heard))
            .collect();
        let sockets = heard.iter().filter_map(|at| self.callers.get(*at));
        beside.extend(sockets.map(Caller::fd));
        let (ended, readable) = self.pool.turn_beside(until, &beside);
        let is_readable = |at: usize| readable.get(at).copied().unwrap_or_default();
        for (place, at) in heard.into_iter().enumerate() {
            if is_readable(first + place) {
                self.hear(at);
            }
        }
        for (key, transcript) in ended {
            self.over(key, &transcript);
        }
        let now = Instant::now();
        if (first > 1 && is_readable(1)) || self.maker.due().is_some_and(|due| due <= now) {
            self.made();
        }
        if is_readable(0) {
            self.accept();
        }
        self.callers.retain(|caller| !caller.is_over());
        self.sweep(now);
    }

    /// The next instant at which something is due.
    fn until(&self, idle: Duration) -> Instant {
        let now = Instant::now();
        let look = now + LOOK.min(idle.saturating_sub(self.used.elapsed()));
        let sweep = self.ended.map(|ended| ended + LINGER);
        let sweep = sweep.filter(|_| !self.callers.iter().any(Caller::is_running));
        [Some(look), sweep, self.maker.due()]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(look)
    }

    /// Ends what no look at groups and marks finds, when no event runs.
    fn sweep(&mut self, now: Instant) {
        let is_due = self.ended.is_some_and(|ended| ended + LINGER <= now);
        let is_still = self.maker.is_still() && !self.callers.iter().any(Caller::is_running);
        if is_due && is_still && self.pool.kill_strays() {
            self.ended = None;
        }
    }

    fn accept(&mut self) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        while let Ok(socket) = accept_with(&self.listener, flags) {
            self.used = Instant::now();
            let allowed = is_ours(&socket).map_err(|error| error.to_string());
            let allowed = allowed.and_then(|()| caller::is_like_us(&socket));
            let full =
                (self.callers.len() >= CALLERS).then(|| "too many events at once".to_owned());
            match allowed.err().or(full) {
                // Who does not hear it starts cold as well.
                Some(why) => drop(say(&socket, &Hello::Cold(why), &[])),
                None => self.callers.push(Caller::new(UnixStream::from(socket))),
            }
        }
    }

    /// Gives the callers that wait what is ready, tells those that would wait too long, and has the next process made.
    fn serve(&mut self) {
        let slow = self.maker.kind.making == Making::Start;
        let mut wanted = false;
        for caller in &mut self.callers {
            if !matches!(caller.is, Is::Waiting) {
                continue;
            }
            if let Some(why) = &self.broken {
                caller.cold(why);
            } else if let Some(ready) = self.ready.take() {
                self.ready = caller.give(ready);
            } else {
                wanted = true;
                if slow {
                    caller.cold("no process is ready yet");
                }
            }
        }
        // While an event runs, the next process waits for its turn: the event needs the processor.
        let is_due = wanted || !self.callers.iter().any(Caller::is_served);
        if is_due && self.broken.is_none() && self.ready.is_none() && self.maker.is_still() {
            self.broken = self.maker.begin(&mut self.pool).err();
        }
    }

    /// Hears that something was made, or that it took too long.
    fn made(&mut self) {
        match self.maker.go_on(&mut self.pool) {
            Ok(ready) => self.ready = ready.or(self.ready.take()),
            Err(why) => self.broken = Some(why),
        }
    }

    fn hear(&mut self, at: usize) {
        let Some(caller) = self.callers.get_mut(at) else {
            return;
        };
        match caller.hear() {
            Heard::Nothing => {}
            Heard::Job { key, mark, time } => self.pool.set_off(key, &mark, time),
            Heard::End(key) => self.pool.end(key),
        }
    }

    /// Tells how a process ended.
    fn over(&mut self, key: usize, transcript: &Transcript) {
        if let Some(caller) = self.callers.iter_mut().find(|caller| caller.has(key)) {
            self.ended = Some(Instant::now());
            self.used = Instant::now();
            caller.tell(&transcript.end);
        } else if self.ready.as_ref().is_some_and(|ready| ready.key == key) {
            self.ready = None;
        } else if let Some(why) = self.maker.lost(key) {
            self.broken = Some(why);
        }
    }
}
