//! The clock of the machine.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhook_core::ports::Clock;

/// The clock of the machine; its stop-watch starts when it is made.
///
/// ```
/// use anyhook_registry::core::ports::Clock;
/// use anyhook_registry::SystemClock;
///
/// assert!(SystemClock::default().now() > 1_700_000_000_000);
/// ```
#[derive(Debug)]
pub struct SystemClock {
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            began: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        millis_of(SystemTime::now())
    }

    fn since(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Returns the milliseconds from 1970 to a time; 0 for one before.
pub fn millis_of(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).ok();
    since
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .unwrap_or_default()
}
