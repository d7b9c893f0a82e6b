//! What a pool does to real processes. How long it takes is the business of `tests/time`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhook::processes::{Job, Leftovers, Limits, MARK, Pool, find_program};
use anyhook_core::transcript::{Capture, End, Transcript};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

/// A deadline that no test reaches unless something is broken.
const NEVER: Duration = Duration::from_mins(1);

/// Short times, so that a test that has to wait waits little.
const LIMITS: Limits = Limits {
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
        assert_eq!(
            pool.turn(Some(Instant::now() + Duration::from_millis(10))),
            []
        );
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
    let payload: Arc<[u8]> = vec![b'x'; 1 << 20].into();
    let ignores = Job {
        stdin: Arc::clone(&payload),
        ..sh("echo done")
    };
    assert_eq!(said(run(ignores)), (kept("done\n"), kept(""), End::Code(0)));
    let closes = Job {
        stdin: payload,
        ..sh("exec <&-; sleep 0.05; echo done")
    };
    assert_eq!(said(run(closes)), (kept("done\n"), kept(""), End::Code(0)));
}

#[test]
fn each_stream_keeps_its_head_and_counts_the_rest() {
    let mut pool = Pool::new(Limits {
        keep: 100_000,
        ..LIMITS
    });
    let script = "head -c 300000 /dev/zero; head -c 250000 /dev/zero >&2";
    let expected = |dropped| Capture {
        kept: vec![0; 100_000],
        dropped,
    };
    assert_eq!(
        said(run_in(&mut pool, sh(script))),
        (expected(200_000), expected(150_000), End::Code(0))
    );
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
    assert_eq!(
        said(run_in(&mut pool, sh(&script))),
        (kept("hi\n"), kept(""), End::Code(0))
    );
    let left = pids(&directory);
    assert_eq!(
        alive(&left),
        left,
        "the answer is there before the leftover is ended"
    );
    pool.settle();
    assert_eq!(alive(&left), []);
}

#[test]
fn what_a_hook_leaves_behind_may_finish_within_the_linger() {
    let mut pool = Pool::new(Limits {
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
    let mut pool = Pool::new(Limits {
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

#[test]
fn a_stopped_hook_hears_term() {
    let ended = end_once_ready("trap 'echo bye; exit 0' TERM; READY; kill -STOP $$; sleep 60");
    assert_eq!(said(ended), (kept("bye\n"), kept(""), End::TimedOut));
}

/// Two that left the group: one whose parent is gone and that ignores TERM, one with a fresh environment.
#[cfg(target_os = "linux")]
fn strays(directory: &TempDir) -> String {
    let script = "cd DIR
        setsid -f sh -c 'trap \"\" TERM; sleep 60 & echo $! > a; echo $$ > b; while :; do sleep 60; done' > /dev/null 2>&1
        env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > c; exec sleep 60' > /dev/null 2>&1 &
        while ! [ -s a ] || ! [ -s b ] || ! [ -s c ]; do sleep 0.01; done\n";
    script.replace("DIR", directory.path().to_str().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn what_leaves_its_group_is_found_when_the_time_is_up() {
    let mut pool = Pool::new(LIMITS);
    let directory = TempDir::new().unwrap();
    pool.start(
        7,
        sh(&format!(
            "{}trap '' TERM; echo $$ > d; while :; do sleep 60; done",
            strays(&directory)
        )),
    );
    let pids = pids_once(4, &directory, &mut pool);
    pool.end_all();
    assert_eq!(next(&mut pool).1.end, End::TimedOut);
    pool.settle();
    assert_eq!(alive(&pids), []);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_of_a_hook_that_succeeded_does_not_outlive_the_event() {
    let directory = TempDir::new().unwrap();
    let script = "cd DIR; setsid -f sh -c 'trap \"\" TERM; echo $$ > a; while :; do sleep 60; done' > /dev/null 2>&1
        while ! [ -s a ]; do sleep 0.01; done";
    let script = script.replace("DIR", directory.path().to_str().unwrap());
    let mut pool = Pool::new(LIMITS);
    assert_eq!(run_in(&mut pool, sh(&script)).end, End::Code(0));
    let daemon = pids(&directory);
    assert_eq!(alive(&daemon), daemon);
    pool.settle();
    assert_eq!(alive(&daemon), []);
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_is_found_beside_the_running_jobs_of_other_pools_and_those_are_left_alone() {
    let directory = TempDir::new().unwrap();
    let running = |pool: &mut Pool| {
        pool.start(7, sh("exec sleep 60"));
        pool.turn(Some(Instant::now()))
    };
    let (mut other, mut own) = (Pool::new(LIMITS), Pool::new(LIMITS));
    assert_eq!(running(&mut other), []);
    assert_eq!(run_in(&mut own, sh("exit 0")).end, End::Code(0));
    assert_eq!(own.settle(), Leftovers::Gone);
    let script =
        "cd DIR; setsid -f sh -c 'echo $$ > a; while :; do sleep 60; done' > /dev/null 2>&1
        while ! [ -s a ]; do sleep 0.01; done";
    let script = script.replace("DIR", directory.path().to_str().unwrap());
    // In a thread of its own: the leader is a child of that one, and the daemon comes to the first.
    let left = std::thread::scope(|scope| {
        let own = scope.spawn(|| {
            assert_eq!(run_in(&mut own, sh(&script)).end, End::Code(0));
            own.settle()
        });
        own.join().unwrap()
    });
    assert_eq!((left, alive(&pids(&directory))), (Leftovers::Ended, vec![]));
    other.end_all();
    assert_eq!(next(&mut other).1.end, End::TimedOut);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pool_that_is_dropped_leaves_nothing_behind() {
    let directory = TempDir::new().unwrap();
    let mut pool = Pool::new(LIMITS);
    pool.start(
        7,
        sh(&format!(
            "{}echo $$ > d; while :; do sleep 60; done",
            strays(&directory)
        )),
    );
    let pids = pids_once(4, &directory, &mut pool);
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
fn when_the_event_is_over_all_that_runs_is_timed_out() {
    let mut pool = Pool::new(LIMITS);
    pool.start(1, sh("echo a; sleep 60"));
    pool.start(2, sh("trap '' TERM; echo b; while :; do sleep 60; done"));
    pool.start(3, sh("exit 4"));
    let (key, first) = next(&mut pool);
    assert_eq!((key, first.end), (3, End::Code(4)));
    pool.end_all();
    let mut ends = Vec::new();
    while !pool.is_idle() {
        ends.extend(
            pool.turn(None)
                .into_iter()
                .map(|(key, transcript)| (key, transcript.end)),
        );
    }
    assert_eq!(ends, [(1, End::TimedOut), (2, End::TimedOut)]);
}

#[test]
fn a_turn_does_not_wait_past_its_instant() {
    let mut pool = Pool::new(LIMITS);
    assert_eq!(pool.turn(None), []);
    // It does not end by itself: dropping the pool ends it.
    pool.start(1, sh("exec sleep 30"));
    assert_eq!(
        (pool.turn(Some(Instant::now())).len(), pool.is_idle()),
        (0, false)
    );
}

#[test]
fn a_hook_ends_with_its_code_or_its_signal() {
    let ends = [
        "exit 3",
        "exit 255",
        "kill -9 $$",
        "kill -TERM $$",
        "exec >&-; exit 3",
    ]
    .map(|script| run(sh(script)).end);
    assert_eq!(
        ends,
        [
            End::Code(3),
            End::Code(255),
            End::Signal(9),
            End::Signal(15),
            End::Code(3)
        ]
    );
}

#[test]
fn output_is_bytes() {
    let transcript = run(sh(r"printf '\377\376\0x'; printf '\200' >&2"));
    assert_eq!(
        said(transcript),
        (kept(b"\xff\xfe\0x"), kept(b"\x80"), End::Code(0))
    );
}

#[test]
fn the_environment_is_what_was_given_and_the_mark() {
    let env = [
        ("B", "two words"),
        ("A", "1\n2"),
        ("PATH", "/nowhere"),
        ("A", "last"),
    ];
    let job = Job {
        env: env.map(|(name, value)| (name.into(), value.into())).into(),
        ..file(
            find_program(
                OsStr::new("env"),
                &std::env::var_os("PATH").unwrap(),
                Path::new("/"),
            )
            .unwrap(),
        )
    };
    let output = run(job).stdout.text().into_owned();
    let (marks, others): (Vec<_>, Vec<_>) = output.lines().partition(|line| line.starts_with(MARK));
    assert_eq!(
        (marks.len(), others),
        (1, vec!["A=last", "B=two words", "PATH=/nowhere"])
    );
}

#[test]
fn a_job_inside_a_job_carries_both_marks() {
    let job = Job {
        env: vec![(MARK.into(), "1.1".into())],
        ..sh("echo $ANYHOOK_JOB")
    };
    let own = run(job)
        .stdout
        .text()
        .trim()
        .strip_prefix("1.1/")
        .map(str::to_owned);
    assert!(own.is_some_and(|own| own.starts_with(&format!("{}.", std::process::id()))));
}

#[test]
fn a_relative_program_counts_from_the_directory_of_the_job() {
    let directory = TempDir::new().unwrap();
    let cwd = directory.path().canonicalize().unwrap();
    write_program(
        &cwd.join("hook"),
        "#!/bin/sh\npwd; echo \"$0\" \"$1\"",
        "755",
    );
    let job = Job {
        cwd: cwd.clone(),
        args: vec!["a b".into()],
        ..file("hook")
    };
    let expected = format!("{0}\n{0}/hook a b\n", cwd.display());
    assert_eq!(said(run(job)), (kept(expected), kept(""), End::Code(0)));
}

#[test]
fn a_script_without_an_interpreter_line_is_one_for_sh() {
    let directory = TempDir::new().unwrap();
    let script = directory.path().join("hook");
    write_program(&script, "echo \"$1\"; exit 2", "755");
    let job = Job {
        args: vec!["a b".into()],
        ..file(script)
    };
    assert_eq!(said(run(job)), (kept("a b\n"), kept(""), End::Code(2)));
}

#[test]
fn what_cannot_start_says_why() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    write_program(&path("plain"), "#!/bin/sh\n", "644");
    write_program(&path("lost"), "#!/no/such/interpreter\n", "755");
    write_program(&path("empty"), "", "755");
    let binary = "printf '\\001\\000\\002' > \"$0\" && chmod 755 \"$0\"";
    assert!(
        Command::new("/bin/sh")
            .args(["-c", binary])
            .arg(path("binary"))
            .status()
            .unwrap()
            .success()
    );
    fs::create_dir(path("folder")).unwrap();
    let jobs = [
        file(path("none")),
        file(path("plain")),
        file(path("lost")),
        file(path("folder")),
        file(path("binary")),
        Job {
            cwd: path("gone"),
            ..sh("")
        },
        Job {
            cwd: path("plain"),
            ..sh("")
        },
        file("/bin/a\0b"),
        Job {
            args: vec!["a\0b".into()],
            ..sh("")
        },
        Job {
            env: vec![("A".into(), "a\0b".into())],
            ..sh("")
        },
        Job {
            args: vec!["x".repeat(40 << 20).into()],
            ..sh("")
        },
        file("/bin/\u{1b}[2J"),
    ];
    let here = directory.path().display().to_string();
    let reasons = jobs.map(|job| not_started(run(job)).replace(&here, "HERE"));
    let expected = [
        "cannot start `HERE/none`: no such file",
        "cannot start `HERE/plain`: it is not executable",
        "cannot start `HERE/lost`: the interpreter that it names does not exist",
        "cannot start `HERE/folder`: it is a directory",
        "cannot start `HERE/binary`: it is neither a program of this system nor a script",
        "cannot start `/bin/sh`: the working directory `HERE/gone` does not exist",
        "cannot start `/bin/sh`: the working directory `HERE/plain` does not exist",
        "cannot start `/bin/a\\u{0}b`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its path, an argument, a variable or the working directory holds a NUL byte",
        "cannot start `/bin/sh`: its arguments and variables are too long for the system",
        "cannot start `/bin/\\u{1b}[2J`: no such file",
    ];
    assert_eq!(reasons, expected);
    assert_eq!(run(file(path("empty"))).end, End::Code(0));
}

#[test]
fn a_failed_start_does_not_hold_up_its_siblings() {
    let mut pool = Pool::new(LIMITS);
    pool.start(1, sh("echo a"));
    pool.start(2, file("/no/such/program"));
    let first: Vec<_> = pool.turn(None).into_iter().map(|(key, _)| key).collect();
    assert!(first.contains(&2));
    let rest = if first.len() == 2 {
        Vec::new()
    } else {
        pool.turn(None)
    };
    assert_eq!((first.len() + rest.len(), pool.is_idle()), (2, true));
}

#[test]
fn a_program_is_found_without_a_shell() {
    let directory = TempDir::new().unwrap();
    let here = directory.path();
    for folder in ["a", "b", "c/tool"] {
        fs::create_dir_all(here.join(folder)).unwrap();
    }
    write_program(&here.join("tool"), "", "755");
    write_program(&here.join("a/tool"), "", "644");
    write_program(&here.join("b/tool"), "", "755");
    let full = format!("{0}/c:{0}/a:{0}/b", here.display());
    let find = |name: &str, path: &str| {
        let found = find_program(OsStr::new(name), OsStr::new(path), here)?;
        Some(found.strip_prefix(here).unwrap().display().to_string())
    };
    let absolute = here.join("b/tool");
    let found = [
        find("tool", &full),
        find("tool", ""),
        find("tool", ":.:b:"),
        find("./tool", ""),
        find("b/tool", ""),
        find("a/tool", &full),
        find("c/tool", &full),
        find(absolute.to_str().unwrap(), ""),
        find("", &full),
        find("none", &full),
    ];
    let expected = [
        Some("b/tool"),
        None,
        None,
        Some("tool"),
        Some("b/tool"),
        None,
        None,
        Some("b/tool"),
        None,
        None,
    ];
    assert_eq!(found, expected.map(|path| path.map(str::to_owned)));
}
