//! What needs real time: one test after the other, measured against a control in the same run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on may panic"
)]

mod waiting;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhook::processes::{Job, Pool, PoolLimits};
use anyhook_core::transcript::{End, Transcript};

const ROUNDS: usize = 5;

/// Keeps the tests of this binary from disturbing each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sh(script: &str, deadline: Duration) -> Job {
    Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        cwd: "/".into(),
        stdin: Arc::from(*b"{}\n"),
        deadline,
        confined: None,
    }
}

const NEVER: Duration = Duration::from_mins(1);

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Runs these scripts side by side until all have ended.
fn run(pool: &mut Pool, scripts: &[&str]) -> (Vec<Transcript>, Duration) {
    let started = Instant::now();
    for (key, script) in scripts.iter().enumerate() {
        pool.start(key, sh(script, NEVER));
    }
    let mut transcripts = Vec::new();
    while !pool.is_idle() {
        transcripts.extend(
            pool.turn(None)
                .into_iter()
                .map(|(_, transcript)| transcript),
        );
    }
    (transcripts, started.elapsed())
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "waits for the clock"]
    fn four_hooks_take_the_time_of_one() {
        let _alone = alone();
        let talks = "head -c 307200 /dev/zero; sleep 0.5";
        let mut pool = Pool::new(PoolLimits::default());
        let (mut one, mut four) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            one.push(run(&mut pool, &[talks]).1);
            let (transcripts, took) = run(&mut pool, &[talks; 4]);
            assert!(
                transcripts
                    .iter()
                    .all(|said| said.stdout.kept.len() == 307_200 && said.end == End::Code(0))
            );
            four.push(took);
        }
        let (one, four) = (median(one), median(four));
        // 0.8 s for four sleeps of 0.5 s.
        assert!(four < one * 8 / 5, "one: {one:?}, four: {four:?}");
    }
}
