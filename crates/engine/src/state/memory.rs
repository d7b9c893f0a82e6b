//! Session state in this process: for tests, for a registry, for an agent that is one process.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use super::{FlightGuard, KEPT, PriorState, SessionKey, SessionState, State, StateError, millis};
use crate::lock;

/// Keeps session state as long as it lives.
///
/// A session in which nothing with a time happened is never swept: there is nothing to tell its age by.
///
/// ```
/// use anyhook_engine::state::{PriorState, MemoryState, SessionKey, State};
///
/// let state = MemoryState::default();
/// let key = SessionKey::new("my-agent", "s1");
/// assert_eq!(state.update(&key, &mut |session| session.turn += 1)?, PriorState::Fresh);
/// assert_eq!(state.update(&key, &mut |session| assert_eq!(session.turn, 1))?, PriorState::Found);
/// # Ok::<(), anyhook_engine::state::StateError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryState {
    /// Boxed, so that a table with room for more is no large one.
    sessions: Mutex<HashMap<SessionKey, Box<SessionState>>>,
    /// What each session begins with.
    begins: SessionState,
}

impl MemoryState {
    /// Makes one in which each session begins so.
    ///
    /// ```
    /// use anyhook_engine::state::{MemoryState, SessionKey, SessionState, State};
    ///
    /// let state = MemoryState::beginning(SessionState::marked(["plan"]));
    /// let key = SessionKey::new("my-agent", "s1");
    /// state.update(&key, &mut |session| assert_eq!(session.tally.marks("plan"), 1))?;
    /// # Ok::<(), anyhook_engine::state::StateError>(())
    /// ```
    pub fn beginning(begins: SessionState) -> Self {
        Self {
            begins,
            ..Self::default()
        }
    }
}

impl State for MemoryState {
    fn update(
        &self,
        key: &SessionKey,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<PriorState, StateError> {
        let mut sessions = lock(&self.sessions);
        let before = sessions.get(key);
        // Changed as a copy, so that a change that panics leaves what was.
        let mut after = before
            .cloned()
            .unwrap_or_else(|| Box::new(self.begins.clone()));
        change(&mut after);
        let (loaded, has_changed) = match before {
            Some(before) => (PriorState::Found, after != *before),
            None => (PriorState::Fresh, *after != self.begins),
        };
        if has_changed {
            sessions.insert(key.clone(), after);
        }
        Ok(loaded)
    }

    fn look(&self, key: &SessionKey) -> Option<SessionState> {
        let sessions = lock(&self.sessions);
        let kept = sessions.get(key).map_or(&self.begins, |kept| kept);
        Some(kept.clone())
    }

    fn flight(
        &self,
        _key: &SessionKey,
        _event: &str,
        _patience: Duration,
    ) -> Result<FlightGuard, StateError> {
        Ok(FlightGuard::default())
    }

    fn sweep(&self, now: i64) {
        let earliest = now.saturating_sub(millis(KEPT));
        lock(&self.sessions).retain(|_, session| session.seen == 0 || session.seen >= earliest);
    }
}
