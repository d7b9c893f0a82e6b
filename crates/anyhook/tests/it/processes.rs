//! What a pool does to real processes. How long it takes is the business of `tests/time`.

mod starting;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhook::processes::{Job, Pool, PoolLimits, find_program};
use anyhook_core::transcript::{Capture, End, Transcript};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

/// A deadline that no test reaches unless something is broken.
const NEVER: Duration = Duration::from_mins(1);

/// Short times, so that a test that has to wait waits little.
const LIMITS: PoolLimits = PoolLimits {
    keep: 1 << 20,
    grace: Duration::from_millis(100),
    linger: Duration::from_millis(50),
};

/// A job that runs this script, with nothing but a `PATH`.
fn sh(script: &str) -> Job {
    Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
        cwd: "/".into(),
        stdin: Arc::default(),
        deadline: NEVER,
        confined: None,
    }
}

/// A job that runs this file.
fn file(program: impl Into<PathBuf>) -> Job {
    Job {
        program: program.into(),
        args: Vec::new(),
        ..sh("")
    }
}

/// The one job that ends next.
fn next(pool: &mut Pool) -> (usize, Transcript) {
    let mut ended = pool.turn(None);
    assert_eq!(ended.len(), 1, "{ended:?}");
    ended.remove(0)
}

/// Runs one job to its end.
fn run_in(pool: &mut Pool, job: Job) -> Transcript {
    pool.start(7, job);
    let (key, transcript) = next(pool);
    assert_eq!(key, 7);
    transcript
}

fn run(job: Job) -> Transcript {
    run_in(&mut Pool::new(LIMITS), job)
}

fn kept(bytes: impl AsRef<[u8]>) -> Capture {
    Capture {
        kept: bytes.as_ref().to_vec(),
        dropped: 0,
    }
}

/// What a job wrote and how it ended, without the time.
fn said(transcript: Transcript) -> (Capture, Capture, End) {
    (transcript.stdout, transcript.stderr, transcript.end)
}

fn not_started(transcript: Transcript) -> String {
    let End::NotStarted(why) = transcript.end else {
        panic!("{transcript:?}")
    };
    assert_eq!((transcript.stdout, transcript.stderr), (kept(""), kept("")));
    why
}

/// Writes a file through another process: one that we hold open for writing could not be executed by a sibling test.
fn write_program(path: &Path, text: &str, mode: &str) {
    let script = "printf %s \"$1\" > \"$2\" && chmod \"$3\" \"$2\"";
    let status = Command::new("/bin/sh")
        .args(["-c", script, "sh", text])
        .arg(path)
        .arg(mode)
        .status();
    assert!(status.unwrap().success());
}

/// The process ids that a script wrote into files of this directory.
fn pids(directory: &TempDir) -> Vec<Pid> {
    let files = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().path());
    // A file may be there before its line is.
    let pids = files.filter_map(|file| fs::read_to_string(file).unwrap().trim().parse().ok());
    pids.map(|pid| Pid::from_raw(pid).unwrap()).collect()
}

/// Turns the pool until the scripts have written this many process ids.
fn pids_once(count: usize, directory: &TempDir, pool: &mut Pool) -> Vec<Pid> {
    while pids(directory).len() < count {
        let soon = Instant::now() + Duration::from_millis(10);
        assert_eq!(pool.turn(Some(soon)), []);
    }
    pids(directory)
}

fn alive(pids: &[Pid]) -> Vec<Pid> {
    pids.iter()
        .copied()
        .filter(|pid| test_kill_process(*pid).is_ok())
        .collect()
}

#[test]
fn a_hook_reads_its_payload_and_then_the_end_of_the_file() {
    for size in [0, 1, 464, 65_536, 300_000] {
        let payload: Vec<u8> = (0..size)
            .map(|index| u8::try_from(index % 251).unwrap())
            .collect();
        let job = Job {
            stdin: payload.clone().into(),
            ..sh("cat")
        };
        assert_eq!(said(run(job)), (kept(payload), kept(""), End::Code(0)));
    }
}

#[test]
fn a_hook_need_not_read_its_payload() {
    for script in ["echo done", "exec <&-; sleep 0.05; echo done"] {
        let job = Job {
            stdin: vec![b'x'; 1 << 20].into(),
            ..sh(script)
        };
        assert_eq!(said(run(job)), (kept("done\n"), kept(""), End::Code(0)));
    }
}

#[test]
fn what_never_stops_talking_is_cut_and_ends_by_its_deadline() {
    let job = Job {
        deadline: Duration::from_millis(100),
        ..sh("exec yes")
    };
    let transcript = run(job);
    let head = "y\n".repeat(1 << 19).into_bytes();
    assert!(transcript.stdout.kept == head && transcript.stdout.dropped > 0);
    assert_eq!(transcript.end, End::TimedOut);
}

#[test]
fn a_hook_ends_with_its_leader_and_not_with_its_output() {
    let mut pool = Pool::new(LIMITS);
    let directory = TempDir::new().unwrap();
    let script = format!(
        "sleep 60 & echo $! > {}/pid; echo hi",
        directory.path().display()
    );
    let hi = said(run_in(&mut pool, sh(&script)));
    assert_eq!(hi, (kept("hi\n"), kept(""), End::Code(0)));
    // The answer is there before the leftover is ended.
    let left = pids(&directory);
    assert_eq!(alive(&left), left);
    pool.settle();
    assert_eq!(alive(&left), []);
}

#[test]
fn what_a_hook_leaves_behind_may_finish_within_the_linger() {
    let mut pool = Pool::new(PoolLimits {
        linger: NEVER,
        ..LIMITS
    });
    let directory = TempDir::new().unwrap();
    let mark = directory.path().join("mark");
    let script = format!(
        "(sleep 0.1; echo late; echo done > {}) & exit 0",
        mark.display()
    );
    assert_eq!(run_in(&mut pool, sh(&script)).end, End::Code(0));
    pool.settle();
    assert_eq!(fs::read_to_string(mark).unwrap(), "done\n");
}

#[test]
fn what_ignores_term_is_killed_with_its_children() {
    let mut pool = Pool::new(LIMITS);
    let directory = TempDir::new().unwrap();
    let script = format!(
        "cd {}; trap '' TERM; (echo x; exec sleep 60) & echo $! > child; echo $$ > leader; while :; do sleep 60; done",
        directory.path().display()
    );
    pool.start(7, sh(&script));
    let pids = pids_once(2, &directory, &mut pool);
    pool.end_all();
    assert_eq!(next(&mut pool).1.end, End::TimedOut);
    pool.settle();
    assert_eq!(alive(&pids), []);
}

/// Runs a script that says when it is ready, then ends it with all the time in the world to hear TERM.
fn end_once_ready(script: &str) -> Transcript {
    let directory = TempDir::new().unwrap();
    let mut pool = Pool::new(PoolLimits {
        grace: NEVER,
        ..LIMITS
    });
    let ready = format!("echo $$ > {}/pid", directory.path().display());
    pool.start(7, sh(&script.replace("READY", &ready)));
    pids_once(1, &directory, &mut pool);
    pool.end_all();
    next(&mut pool).1
}

#[test]
fn a_hook_that_leaves_at_term_is_timed_out_whatever_its_code() {
    let ended = end_once_ready("trap 'echo bye; exit 0' TERM; echo hi; READY; sleep 60 & wait");
    assert_eq!(said(ended), (kept("hi\nbye\n"), kept(""), End::TimedOut));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_hook_hears_term() {
    // Ready once it is stopped: what goes on before it stops would stay so.
    let script = "trap 'echo bye; exit 0' TERM; \
         (until grep -q '^State:.T' /proc/$$/status; do :; done; READY) & kill -STOP $$; sleep 60";
    let ended = end_once_ready(script);
    assert_eq!(said(ended), (kept("bye\n"), kept(""), End::TimedOut));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pool_that_is_dropped_leaves_nothing_behind_in_its_group() {
    let directory = TempDir::new().unwrap();
    let mut pool = Pool::new(LIMITS);
    let script =
        "cd DIR; sh -c 'echo $$ > a; exec sleep 60' & echo $$ > b; while :; do sleep 60; done";
    let script = script.replace("DIR", directory.path().to_str().unwrap());
    pool.start(7, sh(&script));
    let pids = pids_once(2, &directory, &mut pool);
    drop(pool);
    assert_eq!(alive(&pids), []);
}

#[test]
fn the_children_of_the_program_around_are_left_alone() {
    let mut mine = Command::new("/bin/sh")
        .args(["-c", "read line; exit 5"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut ended = Command::new("/bin/sh")
        .args(["-c", "exit 6"])
        .spawn()
        .unwrap();
    let mut pool = Pool::new(LIMITS);
    let job = Job {
        deadline: Duration::from_millis(50),
        ..sh("sleep 60")
    };
    assert_eq!(run_in(&mut pool, job).end, End::TimedOut);
    pool.settle();
    drop(pool);
    drop(mine.stdin.take());
    let codes = [&mut mine, &mut ended].map(|child| child.wait().unwrap().code());
    assert_eq!(codes, [Some(5), Some(6)]);
}

#[test]
fn a_turn_does_not_wait_past_its_instant() {
    let mut pool = Pool::new(LIMITS);
    assert_eq!(pool.turn(None), []);
    // It does not end by itself: dropping the pool ends it.
    pool.start(1, sh("exec sleep 30"));
    assert_eq!(pool.turn(Some(Instant::now())), []);
    assert!(!pool.is_idle());
}

#[test]
fn a_hook_ends_with_its_code_or_its_signal() {
    for (script, end) in [
        ("exit 3", End::Code(3)),
        ("exit 255", End::Code(255)),
        ("kill -9 $$", End::Signal(9)),
        ("kill -TERM $$", End::Signal(15)),
        ("exec >&-; exit 3", End::Code(3)),
    ] {
        assert_eq!(run(sh(script)).end, end, "{script}");
    }
}
