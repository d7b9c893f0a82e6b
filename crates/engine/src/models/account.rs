//! The account of one session: each request is counted before it is made, in the state that all processes share.

use std::time::Duration;

use crate::state::{BudgetError, Loaded, SessionKey, State};

/// How many bytes are taken for a token, before the server says how many there were.
const BYTES_A_TOKEN: u64 = 4;

/// The account of one session.
pub(crate) struct Account<'s> {
    state: &'s dyn State,
    key: SessionKey,
    now: i64,
}

impl<'s> Account<'s> {
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

    /// Gives back what a call did not need, or takes what it needed more. Where that cannot be kept, what was taken
    /// stands: an answer that is there already is worth more than an exact account.
    pub(crate) fn settle(&self, taken: u64, used: u64) {
        let _ = self.state.update(&self.key, &mut |session| {
            session.models.settle(taken, used);
        });
    }
}
