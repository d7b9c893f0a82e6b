//! A hook in Python and one in Node: started cold, and run in a process that was ready.
//!
//! Needs the release build of the program, which keeps the processes: `cargo build --release -p anyhook-cli`, or its path in
//! `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::processes::{Job, Limits, Pool, find_program};
use anyhook::stores::Keep;
use anyhook::warm;
use anyhook::world::{Places, Supervisor, World};
use anyhook_benches::{Claim, Contender, claims, interleave, program, table};

const PATH: &str = "/usr/bin:/usr/local/bin:/bin";
const EVENT: &[u8] = br#"{"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "permission_mode": "default"}"#;
/// How many events a keeper has to start, which do not count.
const STARTING: usize = 10;

fn main() {
    let Some(program) = program() else {
        println!("warm: no release build of anyhook; run: cargo build --release -p anyhook-cli");
        return;
    };
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_bench { 101 } else { 3 };
    let place = tempfile::tempdir().expect("a folder");
    let world = world(place.path(), program);
    let hooks = [("python3", "hook.py"), ("node", "hook.js")];
    let jobs: Vec<Job> = hooks
        .into_iter()
        .filter_map(|(interpreter, script)| job(place.path(), interpreter, script))
        .collect();
    let kept: Vec<Job> = jobs
        .iter()
        .map(|job| Job {
            warm: warm::of(job, &world).map(Box::new),
            ..job.clone()
        })
        .collect();
    for (cold, warm) in jobs.iter().zip(&kept) {
        // A cold start by turns gives the keeper the time that an agent gives it.
        (0..STARTING).for_each(|_| {
            run(warm);
            run(cold);
        });
    }
    let names = [
        ("Python, cold", "Python, warm"),
        ("Node, cold", "Node, warm"),
    ];
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for ((cold, warm), (name, warm_name)) in jobs.iter().zip(&kept).zip(names) {
        contenders.push(Contender::new(warm_name, move || run(warm)));
        contenders.push(Contender::new(name, move || run(cold)));
    }
    let measured = interleave(rounds, 1, contenders);
    println!(
        "{}",
        table("one hook, from its start to its end", &measured)
    );
    let median = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.median);
    let said = [
        Claim::at_least("Python, cold to warm", median(1) / median(0), 10.0),
        Claim::at_least("Node, cold to warm", median(3) / median(2), 3.0),
    ];
    println!("{}", claims(&said));
}

fn world(place: &Path, program: PathBuf) -> World {
    let [home, config, state] = ["home", "config", "state"].map(|name| place.join(name));
    std::fs::create_dir(&home).expect("a home");
    World {
        places: Some(Places {
            home,
            config,
            state,
        }),
        supervisor: Some(Supervisor {
            program,
            keep: Keep::Verdicts,
        }),
        ..World::real()
    }
}

/// The hooks of the comparison with other programs.
fn job(place: &Path, interpreter: &str, script: &str) -> Option<Job> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("benches/compare")
        .join(script);
    let Some(program) = find_program(interpreter.as_ref(), PATH.as_ref(), place) else {
        println!("warm: there is no `{interpreter}` on this machine");
        return None;
    };
    Some(Job {
        program,
        args: vec![script.into()],
        env: vec![
            ("PATH".into(), PATH.into()),
            ("HOME".into(), place.into()),
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ],
        cwd: place.to_owned(),
        stdin: EVENT.into(),
        deadline: Duration::from_mins(1),
        confined: None,
        warm: None,
    })
}

fn run(job: &Job) -> usize {
    let mut pool = Pool::new(Limits::default());
    pool.start(0, job.clone());
    let ended = pool.turn(None);
    let said = ended.first().expect("it ended").1.stdout.kept.len();
    pool.settle();
    said
}
