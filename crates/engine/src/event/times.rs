//! When an event has to be answered.

use std::time::{Duration, Instant};

/// How long a caller waits that does not say it.
const UNKNOWN: Duration = Duration::from_secs(30);

/// The instants of one event, counted from its start.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use anyhook_engine::event::EventTime;
///
/// let times = EventTime::of(Some(Duration::from_mins(1)));
/// assert!(times.payload() < times.last() && times.left() <= Duration::from_mins(1));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EventTime {
    began: Instant,
    deadline: Duration,
}

impl EventTime {
    /// Starts the time of an event whose caller waits so long.
    pub fn of(deadline: Option<Duration>) -> Self {
        Self {
            began: Instant::now(),
            deadline: deadline.unwrap_or(UNKNOWN),
        }
    }

    /// Returns until when the payload has to be here: hooks need time, too.
    pub fn payload(self) -> Instant {
        self.began + self.deadline / 2
    }

    /// Returns what is left of the caller's time.
    pub fn left(self) -> Duration {
        self.deadline.saturating_sub(self.began.elapsed())
    }

    /// Returns when another answers in the place of a line that has not: after the budget of the line, and before the
    /// caller's time is over.
    pub fn last(self) -> Instant {
        let room = Duration::from_millis(500).min(self.deadline / 6);
        self.began + self.deadline.saturating_sub(room)
    }
}

/// Returns how long hooks may take together: the caller's time, less the smaller of 1.5 s and half of it.
pub(super) fn budget(deadline: Option<Duration>) -> Duration {
    let deadline = deadline.unwrap_or(UNKNOWN);
    deadline.saturating_sub(Duration::from_millis(1500).min(deadline / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_answers_after_the_lines_own_time_and_before_the_end_of_the_callers() {
        for deadline in [1, 4, 30, 600] {
            let deadline = Duration::from_secs(deadline);
            let times = EventTime::of(Some(deadline));
            let own = budget(Some(deadline));
            assert!(times.last() > times.began + own, "{deadline:?}");
            assert!(times.last() < times.began + deadline, "{deadline:?}");
            assert!(times.payload() < times.began + own + Duration::from_millis(1));
        }
    }
}
