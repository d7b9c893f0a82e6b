//! The errors of the book of approvals.

use std::path::PathBuf;

use crate::files::FileError;
use crate::state::StateError;

/// A question that could not be kept, answered or taken back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// A file could not be used.
    #[error("cannot keep approvals")]
    File(#[from] FileError),
    /// A file cannot be understood.
    #[error("`{}` cannot be understood: {why}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It cannot be written as JSON.
    #[error("cannot write approvals as JSON")]
    Json(#[from] serde_json::Error),
    /// The system has no randomness for a code.
    #[error("the system gives no random numbers for a code")]
    Random(#[source] getrandom::Error),
    /// It is more than a person can be shown.
    #[error("the action and its questions are {0} bytes long, more than a person can be shown")]
    TooLong(usize),
    /// There are as many as are kept.
    #[error("{0} approvals are kept already")]
    Full(usize),
    /// The code is not, or no longer, that of an open question.
    #[error("no open question has this code")]
    NoSuchCode,
    /// Another answer came first.
    #[error("the question was answered already: {0}")]
    Answered(String),
    /// The note of a no is more than a model should read.
    #[error("the note is longer than {0} characters")]
    LongNote(usize),
    /// It is not the question any more that the person was shown.
    #[error("the question changed while you looked at it")]
    Changed,
    /// An answer is to hold longer than it may.
    #[error("the question of `{0}` cannot be answered for that long")]
    TooLasting(String),
    /// There is no session to remember it for.
    #[error("nothing is remembered of this session")]
    NoSession,
    /// The session's state could not be kept.
    #[error("cannot keep the approval in the session")]
    State(#[from] StateError),
}
