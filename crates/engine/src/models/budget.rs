//! What a session may ask of a model (D25, D43): counted before each request, in the state that all its processes share.

use std::time::Duration;

use crate::state::{Loaded, SessionKey, State, StateError};

/// How many requests a session may make.
pub const CALLS: u64 = 50;

/// How many tokens its requests and their answers may have together.
pub const TOKENS: u64 = 100_000;

/// How many bytes are taken for a token, before the server says how many there were.
const BYTES_A_TOKEN: u64 = 4;

/// Why a request may not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// All calls are used up.
    #[error(
        "the hooks of this session have asked a model {CALLS} times already, which is all that a session may"
    )]
    Calls,
    /// The request is larger than what is left.
    #[error("it would take about {wanted} tokens, and this session has {left} of {TOKENS} left")]
    Tokens {
        /// What the request and its answer may take.
        wanted: u64,
        /// What is left.
        left: u64,
    },
    /// Nobody can count: then nobody asks.
    #[error("the calls of this session cannot be counted")]
    State(#[from] StateError),
}

/// The account of one session.
pub(crate) struct Budget<'s> {
    state: &'s dyn State,
    key: SessionKey,
    now: i64,
}

impl<'s> Budget<'s> {
    /// Opens the account of a session. An event without one is counted by the day.
    pub(crate) fn of(state: &'s dyn State, session: Option<&SessionKey>, now: i64) -> Self {
        let day = now / i64::try_from(Duration::from_hours(24).as_millis()).unwrap_or(i64::MAX);
        let of_day = || SessionKey::new("anyhook", format!("events without a session, day {day}"));
        Self {
            state,
            key: session.cloned().unwrap_or_else(of_day),
            now,
        }
    }

    /// Takes a call, and the tokens that it may need at most. Returns the account's claim on what it does not need.
    pub(crate) fn take(&self, bytes: usize, answer: u64) -> Result<u64, BudgetError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let wanted = bytes.div_ceil(BYTES_A_TOKEN).saturating_add(answer);
        let mut taken = Ok(wanted);
        let _found: Loaded = self.state.update(&self.key, &mut |session| {
            session.seen = session.seen.max(self.now);
            taken = session.models.take(wanted);
        })?;
        taken
    }

    /// Gives back what a call did not need, or takes what it needed more.
    pub(crate) fn settle(&self, taken: u64, used: u64) -> Result<(), BudgetError> {
        let _found: Loaded = self.state.update(&self.key, &mut |session| {
            session.models.settle(taken, used);
        })?;
        Ok(())
    }
}
