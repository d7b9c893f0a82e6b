//! One process, run to its end.

use std::time::Duration;

use anyhook::core::transcript::{Capture, End, Transcript};
use anyhook::processes::{self, Job};

/// Runs a process to its end, and ends what it leaves behind.
pub(crate) fn run(job: Job) -> Transcript {
    let ended = processes::run([(0, job)]).pop();
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
