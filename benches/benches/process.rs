//! The program: `anyhook run` on an event for which no hook is there, beside `/bin/true`, interleaved.
//!
//! Needs the release build of the program: `cargo build --release -p anyhook-cli`, or its path in `ANYHOOK_BIN`.

#![allow(clippy::print_stdout, reason = "a bench prints its table")]
#![allow(missing_docs, reason = "a bench has no public items")]
#![allow(
    clippy::expect_used,
    reason = "a bench that cannot start a process has nothing to measure"
)]

use std::cell::Cell;
use std::path::Path;

use anyhook_benches::place::{COMMON, Place};
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
    let places = [&[][..], &COMMON, &LISTS].map(|rules| Place::new(rules).expect("a home"));
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
    side_by_side(&program, rounds / 4 + 1);
}

/// Hooks of ten milliseconds: four of them beside one.
fn side_by_side(program: &Path, rounds: usize) {
    let places = [1, 4].map(|hooks| {
        let place = Place::new(&[]).expect("a home");
        // Hooks that are the same run once.
        let commands = (0..hooks).map(|hook| format!("exec sleep 0.01{hook:03}"));
        let commands: Vec<String> = commands.collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        place.commands_of_the_person(&commands).expect("a file");
        place
    });
    let calls = Cell::new(0);
    let ask = |place: &Place| {
        // The same call twice is answered once.
        calls.set(calls.get() + 1);
        let id = format!("toolu_{}", calls.get());
        let payload = place.payload().replace("toolu_01", &id);
        let args = ["run", "--host", "claude-code"].map(str::to_owned);
        let left = place.ask(program, &args, &payload);
        assert!(
            left.as_ref().is_ok_and(|left| left.status.success()),
            "{left:?}"
        );
    };
    let [one, four] = &places;
    let contenders = vec![
        Contender::new("one hook of 10 ms", || ask(one)),
        Contender::new("four hooks of 10 ms", || ask(four)),
    ];
    let measured = interleave(rounds, 1, contenders);
    println!("{}", table("hooks side by side", &measured));
    let seconds = |row: usize| measured.get(row).map_or(f64::NAN, |row| row.median);
    let further = (seconds(1) - seconds(0) * 1.15).max(0.0) * 1e3 / 3.0;
    let text = "milliseconds for each further hook, over 1.15 of one";
    println!("{}", claims(&[Claim::at_most(text, further, 0.3)]));
}

const LISTS: [&str; 5] = [
    "tool_input.command.matches('rm +-rf')",
    "['push', 'pull'].exists(verb, tool_input.command.contains(verb))",
    "tool_input.command.matches('^ *(sudo|doas) ')",
    "['.env', '.pem'].all(ending, tool_input.command.endsWith(ending))",
    "size(tool_input.command) > 4000 || 'file_path' in tool_input",
];
