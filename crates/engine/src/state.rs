//! Session state: once-marks, counters, texts that were delivered, the outbox.
//!
//! Each event is a process of its own, so this is the only memory that a session has. A [`State`] keeps one
//! [`SessionState`] for each [`SessionKey`]; [`State::update`] is one locked change, [`State::flight`] lets the second of
//! two processes with the same event wait for the first one's answer. Nothing here reads a clock: times are given.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_engine::state::{
//!     FLIGHT, FileState, KEPT, PriorState, OnceMark, SessionKey, State, StateError, VERSION,
//! };
//!
//! let place = tempfile::tempdir().unwrap();
//! let state = FileState::new(place.path().join("sessions"));
//! let key = SessionKey::new("claude-code", "../../etc/passwd");
//! assert_eq!(key.file_name().len(), 64, "an id may hold anything, and its file's name does not");
//!
//! // What one process keeps, the next one finds.
//! let mut seen = Vec::new();
//! for _ in 0..2 {
//!     let loaded = state.update(&key, &mut |session| seen.push(session.count("refusals")))?;
//!     assert_ne!(loaded, PriorState::WasUnreadable(String::new()));
//! }
//! assert_eq!(seen, [1, 2]);
//!
//! // The second of two processes with one event waits, or goes on by itself.
//! let first = state.flight(&key, "tool call 7", Duration::ZERO)?;
//! let second = state.flight(&key, "tool call 7", Duration::ZERO);
//! assert!(matches!(second, Err(StateError::InFlight(_))));
//! drop(first);
//! assert!(state.flight(&key, "tool call 7", FLIGHT).is_ok());
//!
//! // It was not used for longer than a week.
//! let in_a_month = i64::try_from(KEPT.as_millis()).unwrap() * 400_000;
//! state.sweep(in_a_month);
//! assert_eq!(
//!     state.update(&key, &mut |session| assert_eq!(session.version.0, VERSION))?,
//!     PriorState::Fresh
//! );
//! # Ok::<(), StateError>(())
//! ```
//!
//! # One session
//!
//! ```
//! use anyhook_engine::core::effects::{Injection, Notice};
//! use anyhook_engine::core::fit::UndeliveredText;
//! use anyhook_engine::core::result::HookResult;
//! use anyhook_engine::core::taxonomy::Class;
//! use anyhook_engine::state::{Approvals, Asker, FlightAnswer, OnceMark, SessionState};
//!
//! let mut session = SessionState::default();
//! assert_eq!(session.approvals, Approvals::default());
//!
//! // Once in a session, and counted.
//! assert!(session.first(OnceMark::Once("greeting"), 10));
//! assert!(!session.first(OnceMark::Once("greeting"), 20));
//! assert!(session.first(OnceMark::Said("greeting"), 20), "what is said is another matter");
//! assert_eq!((session.count("refusals"), session.count("refusals")), (1, 2));
//! session.reset("refusals");
//! assert_eq!(session.count("refusals"), 1);
//!
//! // The very same event, a moment ago.
//! let asker = Asker { host: "claude-code".into(), payload: "5f2a".into(), call: None };
//! let flight = FlightAnswer {
//!     key: "call 7".into(),
//!     at: 1000,
//!     asker: asker.clone(),
//!     taken: Vec::new(),
//!     result: HookResult::deny("frozen"),
//! };
//! session.remember(flight);
//! let mut answer =
//!     |now| session.answer_for("call 7", &asker, Class::Gate, now);
//! assert_eq!(answer(1500), Some(HookResult::deny("frozen")));
//! assert_eq!(answer(9000), None);
//!
//! // What could not be said waits for an event that can say it.
//! session.post(UndeliveredText::Injection(Injection::new("two files changed"))).unwrap();
//! session.post(UndeliveredText::Notice(Notice::new("one was formatted"))).unwrap();
//! let notices = session.collect_outbox(|text| matches!(text, UndeliveredText::Notice(_)));
//! assert_eq!((notices.len(), session.outbox.len()), (1, 1));
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::files::{self, FileError, FileLock};

mod approval;
mod file;
mod memory;
mod models;
mod secrets;
mod session;
mod tally;
mod turn;

pub use approval::{Approval, ApprovalChannel, ApprovalSubject, ApprovalUse};
pub use file::FileState;
pub use memory::MemoryState;
pub use models::{BudgetError, CALLS, ModelUsage, TOKENS};
pub(crate) use session::GuardFiles;
pub use session::{Approvals, Asker, FlightAnswer, OnceMark, SessionState};
pub use tally::Tally;
pub(crate) use turn::{HaltDuration, HostPrompt, INJECTED, PendingHalt};

/// The version of the state's JSON.
pub const VERSION: u32 = 1;

/// The version of what is kept of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
pub struct StateVersion(pub u32);

impl Default for StateVersion {
    fn default() -> Self {
        Self(VERSION)
    }
}

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
/// use anyhook_engine::state::{OnceMark, MemoryState, SessionKey, State};
/// let state = MemoryState::default();
/// let key = SessionKey::new("claude-code", "abc");
/// let mut first = Vec::new();
/// for now in [1, 2] {
///     state.update(&key, &mut |session| first.push(session.first(OnceMark::Once("lint"), now)))?;
/// }
/// assert_eq!(first, [true, false]);
/// # Ok::<(), anyhook_engine::state::StateError>(())
/// ```
pub trait State: Send + Sync {
    /// Reads a session's state, lets `change` change it, and keeps it: one step, which no other process sees half done.
    fn update(
        &self,
        key: &SessionKey,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<PriorState, StateError>;

    /// Returns what is kept of a session, and keeps nothing; nothing where it cannot be read, which the next update tells.
    fn look(&self, key: &SessionKey) -> Option<SessionState>;

    /// Waits until no other process is answering the very same event of this session, at most for `patience`. Where there is no
    /// other process, there is nothing to wait for.
    fn flight(
        &self,
        key: &SessionKey,
        event: &str,
        patience: Duration,
    ) -> Result<FlightGuard, StateError>;

    /// Forgets the sessions that were not used for seven days.
    fn sweep(&self, now: i64);
}

/// What an update began with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "what could not be read has to be told"]
pub enum PriorState {
    /// Nothing was kept of this session yet.
    Fresh,
    /// What was kept.
    Found,
    /// Nothing, because what was kept could not be read; it was put aside, and this says why.
    WasUnreadable(String),
}

/// The right to answer one event; dropping it lets the next process go on.
///
/// ```
/// use anyhook_engine::state::FlightGuard;
/// drop(FlightGuard::default());
/// ```
#[derive(Debug, Default)]
#[must_use = "the next process goes on when this is dropped"]
pub struct FlightGuard(Option<FileLock>);

impl Drop for FlightGuard {
    fn drop(&mut self) {
        let _ = self.0.take().map(FileLock::remove);
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
    /// Another process answers the same event, and did not end in time.
    #[error("another process still answers the same event after {} ms", .0.as_millis())]
    InFlight(Duration),
}
