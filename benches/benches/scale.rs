//! How the cost of an event grows: with rules, with layers, with the payload, and with agents at the same time.
//!
//! Needs a release build: the command is in `benches/README.md`. `cargo bench` writes its part of `docs/performance.md`; a run as
//! a test measures little and writes nothing.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhook_benches::place::BenchProject;
use anyhook_benches::{marked, percentile, program, spent};
use nix::sys::resource::{UsageWho, getrusage};

/// What is asked of the program.
const ARGS: [&str; 6] = [
    "run",
    "PreToolUse",
    "--host",
    "claude-code",
    "--deadline",
    "600",
];
/// How much more than its size says a point may take: two medians of a shared machine. The page says this number.
const SLACK: f64 = 1.25;

/// One size of one curve, and how its event is asked.
struct Point {
    size: f64,
    place: BenchProject,
    payload: String,
    at_once: usize,
}

struct Curve {
    what: &'static str,
    points: Vec<Point>,
}

fn main() {
    let Some(program) = program() else {
        println!("scale: no release build; the command is in benches/README.md");
        return;
    };
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let curves = curves(is_bench);
    let mut text = "\n| | Size | Processor time of an event | To the size before | Wall time | Most memory so far |\n\
         |---|---|---|---|---|---|\n"
        .to_owned();
    let mut worst = Vec::new();
    for curve in &curves {
        let took = measured(&program, curve, if is_bench { 21 } else { 1 });
        text.push_str(&rows(curve, &took, &mut worst));
    }
    let said = if worst.is_empty() {
        format!("No point takes more than {SLACK} times what its size says.")
    } else {
        format!(
            "**More than {SLACK} times what the size says**: {}.",
            worst.join(", ")
        )
    };
    let _ = writeln!(text, "\n{said}");
    println!("{text}");
    if is_bench {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
        marked(&page, "scale", &text).expect("the page is written");
    }
}

/// What one point took in every round: seconds of the processor and of the clock.
type PointTimes = [Vec<f64>; 2];

/// Asks at every point in every round.
fn measured(program: &Path, curve: &Curve, rounds: usize) -> Vec<PointTimes> {
    let mut took: Vec<PointTimes> = curve.points.iter().map(|_| PointTimes::default()).collect();
    // Two rounds more: in the first ones nothing is planned yet.
    for round in 0..rounds + 2 {
        for (point, [processor, clock]) in curve.points.iter().zip(&mut took) {
            let spent = once(program, point);
            if round >= 2 {
                processor.push(spent[0]);
                clock.push(spent[1]);
            }
        }
    }
    took
}

/// Writes the rows of a curve, and names the points that cost more than their size.
fn rows(curve: &Curve, took: &[PointTimes], worst: &mut Vec<String>) -> String {
    let mut text = String::new();
    let mut before: Option<(f64, f64)> = None;
    for (point, [processor, clock]) in curve.points.iter().zip(took) {
        let (processor, clock) = (percentile(processor, 50), percentile(clock, 50));
        let grown = before.map_or(String::new(), |(size, time)| {
            let (by, times) = (point.size / size, processor / time);
            if times > by * SLACK {
                worst.push(format!("{} at {}", curve.what, point.size));
            }
            format!("{times:.1} times for {by:.1} times as much")
        });
        before = Some((point.size, processor));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} ms | {grown} | {:.2} ms | {} MB |",
            curve.what,
            point.size,
            processor * 1000.0,
            clock * 1000.0,
            most_memory(),
        );
    }
    text
}

fn curves(is_bench: bool) -> Vec<Curve> {
    let sizes = |all: &[usize]| -> Vec<usize> {
        let most = if is_bench { all.len() } else { 2 };
        all.iter().copied().take(most).collect()
    };
    let curve = |what, all: &[usize], point: &dyn Fn(usize) -> Point| Curve {
        what,
        points: sizes(all).into_iter().map(point).collect(),
    };
    vec![
        curve("rules in one manifest", &[10, 1000, 10_000], &rules),
        curve("layers with 25 hooks each", &[1, 12], &layers),
        curve("agents at once in one session", &[1, 64], &agents),
        curve("kB of payload", &[64, 20_480], &payload),
    ]
}

/// Rules none of which holds, each another one.
fn conditions(count: usize) -> Vec<String> {
    (0..count)
        .map(|at| format!("tool_input.command.contains('never {at}')"))
        .collect()
}

fn rules(count: usize) -> Point {
    let rules = conditions(count);
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let place = BenchProject::new(&rules).expect("a home");
    point(count, place)
}

/// The project, and packages of the person.
fn layers(count: usize) -> Point {
    let rules = conditions(25);
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let place = BenchProject::new(&rules).expect("a home");
    for at in 1..count {
        place
            .package(&format!("package-{at}"), &rules)
            .expect("a package");
    }
    point(count, place)
}

fn agents(count: usize) -> Point {
    let place = BenchProject::new(&["tool_input.command.contains('rm -rf')"]).expect("a home");
    Point {
        at_once: count,
        ..point(count, place)
    }
}

fn payload(kilobytes: usize) -> Point {
    let place = BenchProject::new(&["tool_input.command.contains('rm -rf')"]).expect("a home");
    let content = "let a = 1; // a line of a file\n".repeat(kilobytes * 1024 / 31);
    let event = serde_json::json!({
        "session_id": "s", "cwd": place.root().join("home/project"), "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": {"file_path": "src/a.rs", "content": content},
    });
    Point {
        payload: event.to_string(),
        ..point(kilobytes, place)
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes of a curve are small")]
fn point(size: usize, place: BenchProject) -> Point {
    Point {
        size: size as f64,
        payload: place.payload(),
        place,
        at_once: 1,
    }
}

/// Asks once, by all agents of the point at the same time, and returns the seconds of the processor in all and those of the clock.
fn once(program: &Path, point: &Point) -> [f64; 2] {
    let args = ARGS.map(str::to_owned);
    let (before, began) = (spent()[0], Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..point.at_once {
            scope.spawn(|| {
                let left = point
                    .place
                    .ask(program, &args, &point.payload)
                    .expect("it starts");
                assert!(left.status.success() && left.stdout.is_empty(), "{left:?}");
            });
        }
    });
    [spent()[0] - before, began.elapsed().as_secs_f64()]
}

/// The most memory that a child had, in megabytes.
fn most_memory() -> i64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss() / 1024)
}
