//! What the record costs: an append beside a start of `/bin/true`, the lock that it holds, and reading a large record.
//!
//! `ANYHOOK_RECORDS=1000000 cargo bench -p anyhook-benches --bench record`; without the variable it reads 50,000 records.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a bench without its files has nothing to measure"
)]

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhook::core::ports::{Query, Store as _};
use anyhook::core::report::Report;
use anyhook::record::{Wanted, count};
use anyhook::stores::{Filter, Jsonl, Keep, Retention};
use anyhook::transcripts::bring;
use anyhook_benches::{Claim, claims, percentile, spent};
use serde_json::{Value, json};

/// A report of five hooks about a file that is written, 2.9 KB long.
fn report(number: u64) -> Report {
    let hooks = (0..5).map(|at| {
        json!({"name": format!("guard-{at}"), "source": {"file": "/home/dev/.config/anyhook/hooks.json", "line": 10 + at},
               "priority": 0, "guard": true, "shadow": false, "matcher": "Bash|Write"})
    });
    let steps = (0..5)
        .map(|at| json!({"hook": at, "became": {"not_asked": "condition"}, "took_us": 13 + at}));
    let text = (0..26).map(|line| format!("line {line}: let value = \"quoted\" + {number};\n"));
    let value = json!({
        "version": 1, "id": format!("r{number}"), "at": 1_790_000_000_000_u64 + number * 1000,
        "event": {"name": "tool:pre", "host": "claude-code", "native": "PreToolUse", "session": format!("s{}", number / 200), "subject": "Write"},
        "result": {"verdict": "continue"}, "said": {"verdict": "continue"}, "took_us": 1200,
        "hooks": hooks.collect::<Value>(), "steps": steps.collect::<Value>(),
        "action": {
            "project": "/home/dev/shop", "person": "dev (1000)", "policy": "0123456789abcdef",
            "data": {"session_id": format!("s{}", number / 200), "cwd": "/home/dev/shop", "permission_mode": "default", "tool_name": "Write",
                "tool_use_id": format!("toolu_{number}"),
                "tool_input": {"file_path": "/home/dev/shop/a.rs", "content": text.collect::<String>()}},
        },
    });
    Report::from_json(value).unwrap()
}

/// What so many goes at something take each, the best of three rounds: processor time, and time.
fn each(many: u32, mut once: impl FnMut(u32)) -> [f64; 2] {
    let rounds = (0..3).map(|_| {
        let (began, [before, _]) = (Instant::now(), spent());
        (0..many).for_each(&mut once);
        let [after, _] = spent();
        [after - before, began.elapsed().as_secs_f64()].map(|all| all / f64::from(many))
    });
    rounds.fold([f64::INFINITY; 2], |best, round| {
        [best[0].min(round[0]), best[1].min(round[1])]
    })
}

/// How much of its time an append holds the lock: another one looks at it again and again, and holds it for no time.
fn held(folder: &Path, store: &Jsonl) -> f64 {
    let (head, over) = (
        File::open(folder.join("head")).unwrap(),
        AtomicBool::new(false),
    );
    let began = Instant::now();
    let (busy, looks) = thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let (mut busy, mut looks) = (0_u32, 0_u32);
            while !over.load(Ordering::Relaxed) {
                looks += 1;
                match head.try_lock_shared() {
                    Ok(()) => head.unlock().unwrap(),
                    Err(_) => busy += 1,
                }
                let next = Instant::now() + Duration::from_micros(20);
                while Instant::now() < next {
                    std::hint::spin_loop();
                }
            }
            (busy, looks)
        });
        (0..APPENDS).for_each(|number| store.append(&report(number.into())).unwrap());
        over.store(true, Ordering::Relaxed);
        looking.join().unwrap()
    });
    began.elapsed().as_secs_f64() / f64::from(APPENDS) * f64::from(busy) / f64::from(looks)
}

const APPENDS: u32 = 4000;

/// Measures adding: an append, and the lock that it holds, to a start of `/bin/true`.
fn adding(folder: &Path) -> [f64; 2] {
    let small = Jsonl::new(folder, Keep::Payload);
    let reports: Vec<Report> = (0..64).map(report).collect();
    let [append, _] = each(APPENDS, |at| {
        small.append(&reports[at as usize % 64]).unwrap();
    });
    let [nothing, elapsed] = each(300, |_| {
        assert!(Command::new("/bin/true").status().unwrap().success());
    });
    let lock = held(folder, &small);
    println!(
        "an append takes {:.0} us of processor time and holds the lock for {:.0} us of time; /bin/true takes {:.0} us and {:.0} us of time",
        append * 1e6,
        lock * 1e6,
        nothing * 1e6,
        elapsed * 1e6
    );
    [append / nothing, lock / elapsed]
}

/// Measures an import of transcripts to raw appends of the same records, which make the same chain.
fn importing(folder: &Path, calls: u64) -> f64 {
    let project = folder.join(".claude/projects/shop");
    fs::create_dir_all(&project).unwrap();
    let line = |number: u64| {
        let record = serde_json::to_value(report(number)).unwrap();
        let data = &record["action"]["data"];
        json!({
            "sessionId": data["session_id"], "cwd": "/home/dev/shop", "timestamp": "2026-11-22T20:08:17Z", "version": "2.1.330",
            "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": data["tool_use_id"], "name": "Write", "input": data["tool_input"]},
            ]},
        })
    };
    for session in 0..calls / 200 {
        let lines =
            (session * 200..(session + 1) * 200).map(|number| line(number).to_string() + "\n");
        fs::write(
            project.join(format!("s{session}.jsonl")),
            lines.collect::<String>(),
        )
        .unwrap();
    }
    let round = |at: u32| {
        let imported = Jsonl::new(folder.join(format!("imported-{at}")), Keep::Payload);
        let [before, _] = spent();
        let came = bring(folder, &imported, &[], &mut |_, _| {}).unwrap();
        let [between, _] = spent();
        assert_eq!(came.added, calls);
        let reports = imported.read(&Query::default()).unwrap().reports;
        let raw = Jsonl::new(folder.join(format!("raw-{at}")), Keep::Payload);
        let [again, _] = spent();
        for some in reports.chunks(256) {
            raw.append_all(some).unwrap();
        }
        let [after, _] = spent();
        (between - before) / (after - again)
    };
    let rounds: Vec<f64> = (0..5).map(round).collect();
    percentile(&rounds, 50)
}

fn main() {
    let many: u64 = std::env::var("ANYHOOK_RECORDS")
        .ok()
        .and_then(|many| many.parse().ok())
        .unwrap_or(50_000);
    let place = tempfile::tempdir().unwrap();
    let [append, lock] = adding(&place.path().join("small"));

    let large = Jsonl::new(place.path().join("large"), Keep::Payload).retaining(Retention {
        total: u64::MAX,
        ..Retention::default()
    });
    for from in (0..many).step_by(256) {
        let some: Vec<Report> = (from..many.min(from + 256)).map(report).collect();
        large.append_all(&some).unwrap();
    }
    let counted = || count(&large, &Wanted::default()).unwrap();
    let [first, _] = each(1, |_| {
        for segment in large.segments() {
            let _ = fs::remove_file(segment.with_extension("counts"));
        }
        assert_eq!(counted().events, many);
    });
    let [again, _] = each(1, |_| assert_eq!(counted().events, many));
    let rare = Filter {
        texts: vec!["no record holds this".to_owned()],
        ..Filter::default()
    };
    let [search, _] = each(1, |_| {
        assert_eq!(large.search(&rare, 20).unwrap().reports, []);
    });
    let million = 1e6 / many as f64;
    println!(
        "{many} records; seconds of processor time for a million: stats the first time {:.2}, again {:.2}, a search of all {:.2}",
        first * million,
        again * million,
        search * million
    );
    let import = importing(&place.path().join("home"), many.min(4_000) / 200 * 200);
    println!(
        "{}",
        claims(&[
            Claim::at_most("an append, to /bin/true", append, 0.1),
            Claim::at_most("an import, to raw appends of the same records", import, 3.0),
            Claim::at_most(
                "the time for which it holds the lock, to that of /bin/true",
                lock,
                0.1
            ),
            Claim::at_most("stats again, to the first time", again / first, 0.1),
            Claim::at_most(
                "a search of all, to stats the first time",
                search / first,
                0.5
            ),
        ])
    );
}
