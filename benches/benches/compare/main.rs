//! One event beside what people use in its place, and beside a program that does nothing: one command, one run, in turns.
//!
//! Needs a release build: the command is in `benches/README.md`. `cargo bench` writes `docs/performance.md`; a run
//! as a test measures little and writes nothing.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

mod contenders;
mod page;

use std::path::Path;
use std::time::Instant;

use anyhook_benches::place::{BenchProject, COMMON};
use anyhook_benches::{marked, percentile};
use contenders::{ContenderProgram, contenders};
use nix::sys::resource::{UsageWho, getrusage};

/// What one program took in every round: microseconds of the processor and of the clock.
#[derive(Debug, Default)]
struct ContenderTimes {
    processor: Vec<f64>,
    clock: Vec<f64>,
}

/// What one program came to.
#[derive(Debug)]
struct ContenderRow {
    contender: ContenderProgram,
    took: ContenderTimes,
    /// In user space, where they can be counted.
    instructions: Option<u64>,
}

impl ContenderRow {
    fn processor(&self) -> f64 {
        percentile(&self.took.processor, 50)
    }

    fn clock(&self) -> f64 {
        percentile(&self.took.clock, 50)
    }

    /// How many times as long another took in the same round.
    fn to(&self, other: &ContenderRow, of: fn(&ContenderTimes) -> &Vec<f64>) -> f64 {
        let pairs = of(&self.took).iter().zip(of(&other.took));
        let ratios: Vec<f64> = pairs.map(|(own, other)| own / other).collect();
        percentile(&ratios, 50)
    }
}

fn main() {
    let is_bench = std::env::args().any(|arg| arg == "--bench");
    let place = BenchProject::new(&COMMON).expect("a home");
    let (found, missing) = contenders(place.root());
    for missing in &missing {
        println!("compare: left out: {missing}");
    }
    let rows = measured(&place, found, if is_bench { 201 } else { 3 });
    let page = page::measured(&rows, &missing);
    println!("{page}");
    if is_bench
        && rows
            .iter()
            .any(|row| row.contender.name == contenders::OURS)
    {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
        marked(&docs, "compare", &page).expect("the page is written");
    }
}

/// Asks every program in every round, each round beginning with another one.
fn measured(
    place: &BenchProject,
    found: Vec<ContenderProgram>,
    rounds: usize,
) -> Vec<ContenderRow> {
    let payload = place.payload();
    let mut rows: Vec<ContenderRow> = found
        .into_iter()
        .map(|contender| ContenderRow {
            instructions: None,
            took: ContenderTimes::default(),
            contender,
        })
        .collect();
    let count = rows.len();
    // The first three rounds are not kept: caches are cold.
    for round in 0..rounds + 3 {
        for turn in 0..count {
            let Some(row) = rows.get_mut((round + turn) % count) else {
                continue;
            };
            let (processor, clock) = once(place, &row.contender, &payload);
            if round >= 3 {
                row.took.processor.push(processor);
                row.took.clock.push(clock);
            }
        }
    }
    // Counted last: the first events of a place find out what the later ones know.
    for row in &mut rows {
        row.instructions = contenders::instructions(place, &row.contender, &payload);
    }
    rows
}

fn once(place: &BenchProject, contender: &ContenderProgram, payload: &str) -> (f64, f64) {
    let (before, began) = (of_children(), Instant::now());
    let left = place
        .ask(&contender.program, &contender.args, payload)
        .expect("the program starts");
    let took = (of_children() - before, began.elapsed().as_secs_f64() * 1e6);
    // No rule of any of them holds: one that decides measures something else.
    assert!(
        left.status.success() && left.stdout.is_empty(),
        "{}: {left:?}",
        contender.name
    );
    took
}

/// The processor time of all programs that ended, in microseconds.
fn of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts");
    let micros = |time: nix::sys::time::TimeVal| {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run")]
        let (seconds, rest) = (time.tv_sec() as f64, time.tv_usec() as f64);
        seconds * 1e6 + rest
    };
    micros(usage.user_time()) + micros(usage.system_time())
}
