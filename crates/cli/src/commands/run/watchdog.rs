//! The watchdog of one event: at its time it answers in the place of a process that has not, and ends it.
//!
//! Everything that the line does has bounds of its own. This is for what has none: a disk that does not answer, a file that
//! takes long to understand, a mistake of ours. There is one, for all of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder};
use std::time::Instant;

use anyhook::event::EventTime;

/// The stack of the watchdog's thread: it writes one answer.
const STACK: usize = 512 * 1024;

/// Whether one of the two has taken the turn to answer: the line in time, or the watchdog.
#[derive(Debug, Clone, Default)]
pub(super) struct Watchdog(Arc<AtomicBool>);

impl Watchdog {
    /// Sets it. Where no thread can be had there is none, and the bounds of the line are all.
    pub(super) fn set(times: EventTime, answer: impl FnOnce() -> u8 + Send + 'static) -> Self {
        let own = Self::default();
        let its = own.clone();
        let watch = move || {
            thread::sleep(times.last().saturating_duration_since(Instant::now()));
            if its.takes_turn() {
                std::process::exit(i32::from(answer()));
            }
        };
        let _ = Builder::new().stack_size(STACK).spawn(watch);
        own
    }

    /// Takes the turn to answer, once. Where the watchdog has it this does not return: the process ends with its answer.
    pub(super) fn call_off(self) {
        while !self.takes_turn() {
            thread::park();
        }
    }

    fn takes_turn(&self) -> bool {
        !self.0.swap(true, Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_two_answers_and_the_other_cannot_any_more() {
        let watchdog = Watchdog::default();
        watchdog.clone().call_off();
        assert!(!watchdog.takes_turn(), "also at the last moment");
    }
}
