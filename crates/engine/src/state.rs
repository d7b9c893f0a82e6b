//! What lasts as long as a session: once-marks, counters, what was already said, the outbox (D25).
//!
//! Each event is a process of its own, so this is the only memory that a session has. A [`State`] keeps one
//! [`SessionState`] for each [`SessionKey`]; [`State::update`] is one locked change, [`State::flight`] lets the second of
//! two processes with the same event wait for the first one's answer. Nothing here reads a clock: times are given.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};

mod file;
mod memory;
mod session;

pub use file::FileState;
pub use memory::MemoryState;
pub use session::{Approvals, Asker, Flight, Mark, Remembered, SessionState, StandingFault};

/// The version of the state's JSON.
pub const VERSION: u32 = 1;
/// How long an untouched session is kept.
pub const KEPT: Duration = Duration::from_hours(7 * 24);
/// How long an answer serves for the very same event.
pub const FLIGHT: Duration = Duration::from_secs(2);

/// Which session: a host and its own id for the session. Both may hold anything.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SessionKey {
    /// The host's id.
    pub host: String,
    /// The session's id, as the host gave it.
    pub session: String,
}

impl SessionKey {
    /// Makes a key.
    pub fn new(host: impl Into<String>, session: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            session: session.into(),
        }
    }

    /// Returns the name that stands for it on disk.
    pub fn file_name(&self) -> String {
        files::name_of(&[self.host.as_bytes(), self.session.as_bytes()])
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Keeps what lasts as long as a session.
///
/// The caller may use it from several threads and processes at once. The implementer never panics: a full disk or a
/// directory that cannot be written is a [`StateError`], and what was kept before stays.
///
/// ```
/// use anyhook::state::{Mark, MemoryState, SessionKey, State};
/// let state = MemoryState::default();
/// let key = SessionKey::new("claude-code", "abc");
/// let mut first = Vec::new();
/// for now in [1, 2] {
///     state.update(&key, &mut |session| first.push(session.first(Mark::Once("lint"), now)))?;
/// }
/// assert_eq!(first, [true, false]);
/// # Ok::<(), anyhook::state::StateError>(())
/// ```
pub trait State: Send + Sync {
    /// Reads a session's state, lets `change` change it, and keeps it: one step, which no other process sees half done.
    fn update(
        &self,
        key: &SessionKey,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<Loaded, StateError>;

    /// Waits until nobody else is answering the very same event of this session, at most for `patience`.
    fn flight(
        &self,
        key: &SessionKey,
        event: &str,
        patience: Duration,
    ) -> Result<FlightGuard, StateError>;

    /// Forgets the sessions that nobody touched for seven days.
    fn sweep(&self, now: i64);
}

/// What an update began with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what could not be read has to be told"]
pub enum Loaded {
    /// Nothing was kept of this session yet.
    Fresh,
    /// What was kept.
    Found,
    /// Nothing, because what was kept could not be read; it was put aside, and this says why.
    WasUnreadable(String),
}

/// The right to answer one event; dropping it lets the next process go on.
#[must_use = "the next process goes on when this is dropped"]
pub struct FlightGuard {
    _held: Box<dyn Send>,
}

impl FlightGuard {
    /// Makes a guard from whatever releases itself when dropped.
    pub fn new(held: impl Send + 'static) -> Self {
        Self {
            _held: Box::new(held),
        }
    }
}

impl fmt::Debug for FlightGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlightGuard")
    }
}

/// A session's state that could not be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A file of it could not be used.
    #[error("cannot keep the state of the session")]
    File(#[from] FileError),
    /// It cannot be written as JSON.
    #[error("cannot write the state of the session as JSON")]
    Json(#[from] serde_json::Error),
    /// It grew beyond what is read back.
    #[error("the state of the session would be {0} bytes long")]
    TooLarge(usize),
    /// Somebody else answers the same event, and did not come to an end in time.
    #[error("another process still answers the same event after {} ms", .0.as_millis())]
    InFlight(Duration),
}
