//! Approvals: a person lets one exact action through that a hook asked about (D8, D19).
//!
//! Where the host cannot ask, an Ask becomes a Deny and leaves an *open question* in the [`Book`], with a one-time code
//! for the person. `anyhook approve CODE` answers it, once, for the session or always; [`settle`] finds that answer when
//! the very same action comes again. An approval is bound to the exact final action ([`Exact`]), to the definition of the
//! hook that asks, and to its question: if one of them is different, it is another question. It settles that question and
//! nothing else: a Deny stands, and the host still decides for itself.
//!
//! What it refuses to promise: a code is no secret that protects. Whoever can read our files can read it; only a person on
//! a terminal, with no agent above, may use one (D28).

use std::time::Duration;

use anyhook_core::question::{Grants, Remember};
use serde::{Deserialize, Serialize};

mod book;
mod error;
mod exact;
mod known;
mod open;
mod settle;
mod shelf;

pub use book::{Answered, Book, Which};
pub use error::BookError;
pub use exact::Exact;
pub use known::Known;
pub use open::{About, Open, Put};
pub use settle::{Settled, Settling, put_all, settle};

/// The version of the files' JSON.
pub const VERSION: u32 = 1;
/// How long an open question waits for an answer, counted from the last time that it was asked.
pub const OPEN: Duration = Duration::from_hours(1);
/// How long an approval for once waits for its action.
pub const ONCE: Duration = Duration::from_mins(15);
/// How long an approval that was used serves for the same call, told twice (D25).
pub const SAME: Duration = Duration::from_secs(2);

/// One question that a person answered with yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// What it is bound to.
    pub key: String,
    /// What it is about.
    pub about: About,
    /// The hook that asked.
    pub hook: String,
    /// The hook's file and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What it gives.
    pub grants: Grants,
    /// How long it holds.
    pub lasts: Remember,
    /// When it was given: milliseconds since 1970.
    pub at: i64,
    /// The call that used it up, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Used>,
}

/// The call that used up an approval for once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Names the call: two processes that are told the same call share it.
    pub call: String,
    /// When: milliseconds since 1970.
    pub at: i64,
}

impl Approval {
    /// Makes the approval of one question.
    pub fn new(about: &About, put: &Put, answer: Answered, at: i64) -> Self {
        Self {
            key: put.key.clone(),
            about: about.clone(),
            hook: put.hook.clone(),
            place: put.place.clone(),
            grants: answer.grants,
            lasts: answer.lasts,
            at,
            used: None,
        }
    }

    /// Returns the short name under which it is listed and taken back.
    pub fn id(&self) -> &str {
        self.key.get(..8).unwrap_or(&self.key)
    }
}

/// Tells whether a moment lies at most so long before `now`. One that lies after it is of a clock that was set, and does
/// not count.
fn within(at: i64, limit: Duration, now: i64) -> bool {
    let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
    now.checked_sub(at)
        .is_some_and(|ago| (0..=limit).contains(&ago))
}

/// Orders how long answers hold.
fn rank(lasts: Remember) -> u8 {
    match lasts {
        Remember::Once => 0,
        Remember::Session => 1,
        Remember::Always => 2,
    }
}

/// Tells whether an answer may hold as long as wanted.
fn may_last(wanted: Remember, longest: Remember) -> bool {
    rank(wanted) <= rank(longest)
}

#[cfg(test)]
mod tests;
