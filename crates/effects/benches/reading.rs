//! How long a line takes to read: everyday lines, and lines of 4 KiB made of them and of the grammar of the differential
//! test.
//!
//! `cargo bench -p anyhook-effects` prints the table; `cargo bench -p anyhook-effects -- LONG` reads those lines alone, for a
//! profiler.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::too_many_lines,
    unused_crate_dependencies,
    reason = "a bench"
)]

#[path = "../tests/it/grammar.rs"]
mod grammar;

use std::time::{Duration, Instant};

use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell::read;

/// The size of a long line.
const LONG: usize = 4 << 10;

fn everyday() -> Vec<String> {
    let text = include_str!("../../../fixtures/lines/everyday.txt");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// Joins lines to long ones.
fn long(mut next: impl FnMut() -> String, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        let mut line = String::new();
        while line.len() < LONG {
            line.push_str(&next());
            line.push('\n');
        }
        line.truncate(line.floor_char_boundary(LONG + 512));
        all.push(line);
    }
    all
}

fn times(name: &str, lines: &[String]) -> bool {
    let places = Places {
        folder: "/p".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    };
    let mut all: Vec<(Duration, &String, bool)> = Vec::new();
    for line in lines {
        let (mut best, mut readable) = (Duration::MAX, false);
        for _ in 0..3 {
            let begin = Instant::now();
            readable = std::hint::black_box(read(line, &places, &NoFiles)).readable;
            best = best.min(begin.elapsed());
        }
        all.push((best, line, readable));
    }
    all.sort();
    let of = |hundredth: usize| all[(all.len() - 1) * hundredth / 100].0;
    let known = all.iter().filter(|(_, _, readable)| *readable).count();
    println!(
        "{name:24} {:5} lines, {known:5} readable  p50 {:9.1?}  p90 {:9.1?}  p99 {:9.1?}",
        all.len(),
        of(50),
        of(90),
        of(99)
    );
    if std::env::args().any(|arg| arg == "slowest") {
        for (time, line, _) in all.iter().rev().take(3) {
            let done = read(line, &places, &NoFiles);
            println!(
                "{time:?}, {} effects, {} commands\n{line}\n--",
                done.effects.len(),
                done.commands.len()
            );
        }
    }
    true
}

fn main() {
    let everyday = everyday();
    let mut at = 0;
    let of_day = long(
        || {
            at += 1;
            everyday[at * 7 % everyday.len()].clone()
        },
        200,
    );
    let mut dice = grammar::Dice::new(7);
    let made = long(|| grammar::line(&mut dice), 200);
    if std::env::args().any(|arg| arg == "LONG") {
        times("20 long lines", &[&of_day[..10], &made[..10]].concat());
        return;
    }
    times("everyday", &everyday);
    times("4 KiB of everyday", &of_day);
    times("4 KiB of the grammar", &made);
}
