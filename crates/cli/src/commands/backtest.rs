//! `anyhook backtest`: what a change of the hooks would have changed.

use anyhook_testing::replay::{Title, json, junit, markdown, text};
use clap::{ArgMatches, Command};

use super::history::{self, Side};
use super::{Row, Run, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "backtest",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    let command = command.about("Show what a change of your hooks would have changed");
    let form = log::format_arg()
        .value_parser(["text", "json", "markdown", "junit"])
        .help("text, json, markdown (for a pull request) or junit");
    history::describe(history::sides(command))
        .arg(history::fails_on())
        .arg(form)
        .after_help(
            "Both sides are asked about every event of the history, as by anyhook replay. The guard of what guards is left \
             out, because both sides have it. Twice over the same history the result is the same, byte for byte.\n\n\
             Examples:\n  anyhook backtest\n  anyhook backtest --before git:main --fail-on newly-allowed,newly-refused\n  \
             anyhook backtest --before old/hooks.json --after new/hooks.json --since 30d --format markdown",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let fails = history::failures(args)?;
    let [before, after] = Side::both(args)?;
    let reading = history::reading(args)?;
    let (compared, _) = history::compared([Some(&before), Some(&after)], &reading)?;
    let title = Title {
        before: before.name,
        after: after.name,
        fails,
    };
    let format = args
        .get_one::<String>("format")
        .map_or("text", String::as_str);
    match format {
        "json" => ui::raw(&format!("{}\n", json(&title, &compared)))?,
        "markdown" => ui::raw(&markdown(&title, &compared))?,
        "junit" => ui::raw(&junit(&title, &compared))?,
        _ => ui::out(&text(&title, &compared))?,
    }
    Ok(if title.is_failed(&compared) {
        Exit::Negative
    } else {
        Exit::Done
    })
}
