//! The watchdog of one event: at its time it answers in the place of a process that has not, and ends it.
//!
//! Everything that the line does has bounds of its own. This is for what has none: a disk that does not answer, a file that
//! takes long to understand, a mistake of ours. There is one, for all of them.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Instant;

use anyhook::event::EventTime;

/// The stack of the watchdog's thread: it writes one answer.
const STACK: usize = 512 * 1024;

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Neither has yet.
    Open,
    /// The line, in time.
    Line,
    /// The watchdog: the process is at its end.
    Watchdog,
}

type Shared = Arc<(Mutex<Turn>, Condvar)>;

/// A watchdog that was set.
#[derive(Debug, Clone)]
pub(super) struct Watchdog(Shared);

impl Watchdog {
    /// Sets it. Where no thread can be had there is none, and the bounds of the line are all.
    pub(super) fn set(times: EventTime, answer: impl FnOnce() -> u8 + Send + 'static) -> Self {
        let shared: Shared = Arc::new((Mutex::new(Turn::Open), Condvar::new()));
        let its = Arc::clone(&shared);
        let watch = move || {
            if is_over(&its, times.last()) {
                std::process::exit(i32::from(answer()));
            }
        };
        let _ = Builder::new().stack_size(STACK).spawn(watch);
        Self(shared)
    }

    /// Takes the turn to answer. Where the watchdog has it this does not return: the process ends with its answer.
    pub(super) fn call_off(&self) {
        let (turn, bell) = &*self.0;
        let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        while *turn == Turn::Watchdog {
            turn = bell.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        *turn = Turn::Line;
        bell.notify_all();
    }
}

/// Waits until the line answers or its time is over, and takes the turn in the second case.
fn is_over(shared: &Shared, last: Instant) -> bool {
    let (turn, bell) = &**shared;
    let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if *turn == Turn::Line {
            return false;
        }
        let left = last.saturating_duration_since(Instant::now());
        if left.is_zero() {
            *turn = Turn::Watchdog;
            return true;
        }
        let waited = bell.wait_timeout(turn, left);
        turn = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn set(turn: Turn) -> Shared {
        Arc::new((Mutex::new(turn), Condvar::new()))
    }

    #[test]
    fn at_its_time_the_watchdog_takes_the_turn_and_the_line_cannot_have_it_any_more() {
        let shared = set(Turn::Open);
        assert!(is_over(&shared, Instant::now()));
        assert!(*shared.0.lock().unwrap() == Turn::Watchdog);
    }

    #[test]
    fn a_line_that_answers_in_time_calls_the_watchdog_off() {
        let shared = set(Turn::Open);
        Watchdog(Arc::clone(&shared)).call_off();
        assert!(!is_over(&shared, Instant::now() + Duration::from_mins(10)));
        assert!(!is_over(&shared, Instant::now()), "also at the last moment");
    }
}
