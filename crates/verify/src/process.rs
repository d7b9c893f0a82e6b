//! One process, run to its end.

use std::time::Duration;

use anyhook::core::transcript::{Capture, End, Transcript};
use anyhook::processes::{Job, Pool, PoolLimits};

/// Runs a process to its end, and ends what it leaves behind.
pub(crate) fn run(job: Job) -> Transcript {
    let mut pool = Pool::new(PoolLimits {
        linger: Duration::ZERO,
        ..PoolLimits::default()
    });
    pool.start(0, job);
    let ended = pool.turn(None).into_iter().next();
    pool.settle();
    ended.map_or_else(
        || Transcript {
            stdout: Capture::default(),
            stderr: Capture::default(),
            end: End::NotStarted("it never started".to_owned()),
            took: Duration::ZERO,
        },
        |(_, transcript)| transcript,
    )
}
