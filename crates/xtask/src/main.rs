//! What CI runs: `cargo xtask ci`, one step of it, or the generators.
//!
//! Everything here is the standard library, so that a machine with git, a C compiler and stable Rust can run all of it.

mod changed;
mod ci;
mod done;
mod generators;
mod lab;
mod say;
mod source;
mod steps;
mod workspace;

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::steps::{STEPS, Step};
use crate::workspace::Workspace;

/// What the command line asked for.
#[derive(Debug)]
enum Wish<'a> {
    Help,
    Lab(Vec<&'a str>),
    FleetSim(Vec<&'a str>),
    All { quick: bool },
    One(&'static Step),
    Generate,
    Bench,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(wish) = understand(&words) else {
        say::error(format!("unknown command `{}`\n", words.join(" ")));
        say::error(help());
        return ExitCode::from(2);
    };
    let done = Workspace::find().and_then(|workspace| match wish {
        Wish::Help => {
            say::line(help());
            Ok(true)
        }
        Wish::All { quick } => Ok(ci::all(&workspace.hurried(quick))),
        Wish::One(step) => Ok(ci::one(&workspace, step)),
        Wish::Generate => generators::write(&workspace, steps::generated::all()).map(|()| true),
        Wish::Bench => bench(&workspace).map(|()| true),
        Wish::Lab(hosts) => lab::run(&workspace, &hosts),
        Wish::FleetSim(options) => steps::fleet_sim::large(&workspace, &options),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            say::error(failure);
            ExitCode::FAILURE
        }
    }
}

/// Its output goes straight to the terminal: it is a table, and it takes a minute.
fn bench(workspace: &Workspace) -> Result<(), done::Failure> {
    let words = [
        "bench",
        "--quiet",
        "-p",
        "anyhook-benches",
        "--bench",
        "kernel",
    ];
    workspace::run(&mut workspace.cargo(&words))
}

fn understand(words: &[String]) -> Option<Wish<'_>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => Some(Wish::Help),
        ["ci"] => Some(Wish::All { quick: false }),
        ["ci", "--quick"] => Some(Wish::All { quick: true }),
        ["generate"] => Some(Wish::Generate),
        ["bench"] => Some(Wish::Bench),
        ["lab", hosts @ ..] => Some(Wish::Lab(hosts.to_vec())),
        ["fleet-sim", options @ ..] if !options.is_empty() => {
            Some(Wish::FleetSim(options.to_vec()))
        }
        [name] => STEPS.iter().find(|step| step.name == *name).map(Wish::One),
        _ => None,
    }
}

fn help() -> String {
    let mut text = String::from(
        "Usage: cargo xtask COMMAND\n\nCommands:\n  \
         ci            Run every step below, in this order, and stop at the first failure\n  \
         ci --quick    The same without the steps marked *; tests those crates that your branch changes\n  \
         generate      Write the generated files\n  \
         bench         Measure the kernel beside its floor, and print the tables\n  \
         lab [HOST…]   Install the pinned agents from npm, ask each one everything, and keep what it did\n  \
         STEP          Run one step; fleet-sim takes --developers N --rate EVENTS_A_SECOND --minutes N\n  \
         help          Print this text\n\nSteps:\n",
    );
    for step in STEPS {
        let mark = if step.heavy { '*' } else { ' ' };
        let _ = writeln!(text, "  {:<13} {mark} {}", step.name, step.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(line: &str) -> Option<&'static str> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        understand(&words).map(|wish| match wish {
            Wish::One(step) => step.name,
            _ => "another wish",
        })
    }

    #[test]
    fn every_step_can_be_asked_for_by_its_name() {
        for step in STEPS {
            assert_eq!(wish(step.name), Some(step.name));
        }
    }

    #[test]
    fn a_word_that_is_no_command_is_refused() {
        assert!(wish("clipy").is_none());
        assert!(wish("ci --slow").is_none());
        assert!(wish("fmt clippy").is_none());
    }

    #[test]
    fn the_help_names_every_step_once() {
        let text = help();
        for step in STEPS {
            let rows = text
                .lines()
                .filter(|row| row.split_whitespace().next() == Some(step.name));
            assert_eq!(rows.count(), 1, "{}", step.name);
        }
    }
}
