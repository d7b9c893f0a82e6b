//! What the kernel asks of the world: a clock, approvers, stores, session state. The world answers in the engine.

use crate::event::Event;
use crate::question::{Answer, Question};
use crate::report::Report;

/// A wall clock and a stop-watch; given, so that a test says what time it is.
pub trait Clock: Send + Sync {
    /// Returns milliseconds since 1970.
    fn now(&self) -> i64;
    /// Returns the time since some fixed moment; it never goes back.
    fn since(&self) -> std::time::Duration;
}

/// Puts a question to a person that a host cannot put (D19).
pub trait Approver: Send + Sync {
    /// Answers, or defers to the next approver.
    fn answer(&self, event: &Event, question: &Question) -> Answer;
}

/// Keeps reports (D24).
///
/// A store never changes a verdict: its failure is a notice.
pub trait Store: Send + Sync {
    /// Keeps one report, as one record.
    fn append(&self, report: &Report) -> Result<(), StoreError>;
    /// Finds reports, the newest last.
    fn find(&self, query: &Query) -> Result<Vec<Report>, StoreError>;
}

/// Which reports are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The short id, or its beginning.
    pub id: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// At most so many, counted from the newest.
    pub last: Option<usize>,
}

/// A store that could not keep or find a report.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct StoreError {
    /// What was being done, to what.
    pub what: String,
    /// Why it failed.
    #[source]
    pub source: Option<std::io::Error>,
}
