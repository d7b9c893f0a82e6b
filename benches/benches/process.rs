//! The program: `anyhook run` on an event for which no hook is there, beside `/bin/true`, interleaved.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::path::Path;

use anyhook_benches::place::{BenchProject, COMMON};
use anyhook_benches::{Claim, Contender, claims, interleave, program, table};

fn main() {
    let Some(program) = program() else {
        println!("process: no release build of anyhook; run: cargo build --release -p anyhook-cli");
        return;
    };
    let rounds = if std::env::args().any(|arg| arg == "--bench") {
        201
    } else {
        3
    };
    let places = [&[][..], &COMMON, &LISTS].map(|rules| BenchProject::new(rules).expect("a home"));
    let names = [
        "anyhook run, no hook there",
        "anyhook run, five rules of comparisons and commands",
        "anyhook run, five rules with lists and patterns",
    ];
    let run = ["run", "--host", "claude-code"];
    let rows = names.into_iter().zip(&places);
    let mut contenders: Vec<Contender<'_>> = rows
        .map(|(name, place)| Contender::new(name, || place.decides_nothing(&program, &run)))
        .collect();
    let [empty, ..] = &places;
    let beside = [("/bin/true", &[][..]), ("/bin/sh", &["-c", "true"])];
    contenders.extend(
        beside.map(|(path, args)| {
            Contender::new(path, || empty.decides_nothing(Path::new(path), args))
        }),
    );
    let measured = interleave(rounds, 1, contenders);
    println!(
        "{}",
        table("one process per event, payload by pipe", &measured)
    );
    let to = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.ratio[0]);
    let said = [
        Claim::at_most(
            "five rules of comparisons and commands, to no hook",
            to(1),
            1.3,
        ),
        Claim::at_most("five rules with lists and patterns, to no hook", to(2), 1.3),
    ];
    println!("{}", claims(&said));
}

const LISTS: [&str; 5] = [
    "tool_input.command.matches('rm +-rf')",
    "['push', 'pull'].exists(verb, tool_input.command.contains(verb))",
    "tool_input.command.matches('^ *(sudo|doas) ')",
    "['.env', '.pem'].all(ending, tool_input.command.endsWith(ending))",
    "size(tool_input.command) > 4000 || 'file_path' in tool_input",
];
