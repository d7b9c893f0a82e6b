//! What needs real time: one test after the other, measured against a control in the same run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on may panic"
)]

mod waiting;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhook::processes::{Job, Limits, Pool};
use anyhook_core::transcript::{End, Transcript};
use rustix::event::{Timespec, poll};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

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

/// How much later than asked for a bare `poll` wakes up.
fn lateness_of_poll(patience: Duration) -> Duration {
    let started = Instant::now();
    poll(&mut [], Some(&Timespec::try_from(patience).unwrap())).unwrap();
    started.elapsed().saturating_sub(patience)
}

/// The process ids in the files of a directory.
fn pids(directory: &Path) -> Vec<Pid> {
    let files = std::fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().path());
    let pids = files.filter_map(|file| std::fs::read_to_string(file).unwrap().trim().parse().ok());
    pids.filter_map(Pid::from_raw).collect()
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "waits for the clock"]
    fn a_background_process_delays_no_answer_and_an_empty_pool_settles_at_once() {
        let _alone = alone();
        let (mut plain, mut forked, mut settled, mut cleared) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let limits = Limits::default();
        for _ in 0..ROUNDS {
            let mut pool = Pool::new(limits);
            plain.push(run(&mut pool, &["sleep 0.05; echo hi"]).1);
            let started = Instant::now();
            pool.settle();
            settled.push(started.elapsed());
            forked.push(run(&mut pool, &["sleep 30 & sleep 0.05; echo hi"]).1);
            let started = Instant::now();
            pool.settle();
            cleared.push(started.elapsed());
        }
        let [plain, forked, settled, cleared] = [plain, forked, settled, cleared].map(median);
        assert!(
            forked < plain * 2,
            "plain: {plain:?}, with a background process: {forked:?}"
        );
        assert!(
            settled < plain / 5,
            "plain: {plain:?}, settled: {settled:?}"
        );
        assert!(
            cleared < limits.linger + plain,
            "plain: {plain:?}, cleared: {cleared:?}"
        );
    }

    #[test]
    #[ignore = "waits for the clock"]
    fn four_hooks_take_the_time_of_one() {
        let _alone = alone();
        let talks = "head -c 307200 /dev/zero; sleep 0.5";
        let mut pool = Pool::new(Limits::default());
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

    #[test]
    #[ignore = "waits for the clock"]
    fn four_that_hang_end_each_at_its_own_deadline() {
        let _alone = alone();
        let deadlines = [200, 400, 600, 800].map(Duration::from_millis);
        let mut late = [const { Vec::new() }; 4];
        let mut control = Vec::new();
        for _ in 0..ROUNDS {
            let mut pool = Pool::new(Limits::default());
            let started = Instant::now();
            for (key, deadline) in deadlines.into_iter().enumerate() {
                pool.start(key, sh("sleep 60", deadline));
            }
            while !pool.is_idle() {
                for (key, transcript) in pool.turn(None) {
                    assert_eq!(transcript.end, End::TimedOut);
                    late[key].push(started.elapsed().saturating_sub(deadlines[key]));
                }
            }
            control.push(lateness_of_poll(deadlines[0]));
        }
        let (late, control) = (late.map(median), median(control));
        let bound = Duration::from_millis(60) + control;
        assert!(
            late.iter().all(|late| *late < bound),
            "late: {late:?}, control: {control:?}"
        );
    }

    #[test]
    #[ignore = "waits for the clock"]
    fn what_ignores_term_is_gone_with_its_children_two_seconds_after_its_deadline() {
        let _alone = alone();
        let directory = TempDir::new().unwrap();
        let loops = "trap \"\" TERM; while :; do sleep 60; done";
        let script = format!(
            "cd {}; sh -c 'echo $$ > a; {loops}' & nohup sh -c 'echo $$ > b; {loops}' > /dev/null & echo $$ > c; {loops}",
            directory.path().display()
        );
        let limits = Limits::default();
        let deadline = Duration::from_millis(500);
        let mut pool = Pool::new(limits);
        let started = Instant::now();
        pool.start(0, sh(&script, deadline));
        let ends: Vec<_> = pool
            .turn(None)
            .into_iter()
            .map(|(_, transcript)| transcript.end)
            .collect();
        let answered = started.elapsed();
        pool.settle();
        let gone = started.elapsed();
        let pids = pids(directory.path());
        let alive: Vec<_> = pids
            .iter()
            .filter(|pid| test_kill_process(**pid).is_ok())
            .collect();
        assert_eq!((ends, pids.len(), alive), (vec![End::TimedOut], 3, vec![]));
        assert!(
            answered >= deadline + limits.grace,
            "KILL came before the grace was over: {answered:?}"
        );
        assert!(gone < deadline + 2 * limits.grace, "{gone:?}");
    }
}
