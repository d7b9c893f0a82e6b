//! `anyhook backtest`: shows what a change of the hooks would have changed.

use anyhook_testing::replay::{CHANGES, Change, Title, json, text};
use clap::{Args, ValueEnum};

use super::Row;
use super::history::{self, Side, Sides, Taken};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("backtest", BacktestArgs, run);

/// Show what a change of your hooks would have changed
#[derive(Args)]
#[command(after_help = include_str!("help/backtest.txt"))]
struct BacktestArgs {
    #[command(flatten)]
    sides: Sides,
    #[command(flatten)]
    taken: Taken,
    /// Exit with 1 if there is such a change: newly-allowed, newly-refused, newly-asked, other-rewrite, other-text, new-fault
    #[arg(long, value_name = "CHANGES", value_delimiter = ',', value_parser = change)]
    fail_on: Vec<Change>,
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

fn change(text: &str) -> Result<Change, String> {
    let known = || CHANGES.iter().map(|change| change.as_str());
    Change::named(text).ok_or_else(|| format!("one of: {}", known().collect::<Vec<_>>().join(", ")))
}

fn run(args: &BacktestArgs) -> Result<Exit, Problem> {
    let [before, after] = Side::both(&args.sides)?;
    let reading = history::reading(&args.taken)?;
    let compared = history::compared([before.as_ref(), after.as_ref()], &reading)?;
    let title = Title {
        before: before.map_or("what the record says".to_owned(), |side| side.name),
        after: after.map_or("the hooks that hold now".to_owned(), |side| side.name),
        fails: args.fail_on.clone(),
    };
    match args.format {
        Format::Json => ui::raw(&format!("{}\n", json(&title, &compared)))?,
        Format::Text => ui::out(&text(&title, &compared))?,
    }
    if title.is_failed(&compared) {
        return Ok(Exit::Negative);
    }
    if !title.fails.is_empty() {
        history::is_whole(&compared, &reading)?;
    }
    Ok(Exit::Done)
}
