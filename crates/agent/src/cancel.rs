//! Cancelling a run, and the points at which the run looks for it.
//!
//! | Where the run is | What a cancellation does |
//! |---|---|
//! | between two steps, before a call runs | the run ends; the call does not run |
//! | the model is asked, or a busy server waited for | its answer is not waited for any more |
//! | a person is asked, by the loop or for a hook | the question counts as refused |
//! | hooks are asked | they are waited for, each no longer than its deadline; then the run ends |
//! | a command of the model runs | it is ended with all that it started |
//!
//! Every call that the model made is answered all the same, and `cancel:completed`, `stop-failure` and `session:end` tell
//! of the end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a waiting thread looks whether the run was cancelled.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Ends an agent from outside, and those that it started; clones end the same ones.
///
/// ```
/// use anyhook_agent::cancel::CancelToken;
/// let cancel = CancelToken::default();
/// cancel.clone().now();
/// assert!(cancel.is_now());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Ends it.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was cancelled.
    pub fn is_now(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for what has no other way to look.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Waits so long, unless the run is cancelled.
    pub(crate) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.is_now() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(LOOK));
        }
    }

    /// Does what may take long on a thread of its own, and waits for it; nothing comes back once the run is cancelled. What
    /// is not waited for any more goes on, and what it says is dropped.
    pub(crate) fn unless<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Option<T>> {
        let (say, hear) = channel();
        let run = move || drop(say.send(call()));
        thread::Builder::new().spawn(run)?;
        loop {
            match hear.recv_timeout(LOOK) {
                // An answer that comes with the cancellation comes too late.
                _ if self.is_now() => return Ok(None),
                Ok(said) => return Ok(Some(said)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("it panicked"));
                }
            }
        }
    }
}

impl From<Arc<AtomicBool>> for CancelToken {
    /// Ends it when other code sets this flag, such as the handler of a signal.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
