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
#[command(
    after_help = "The hooks before and the hooks after are asked about every event of the history. It only asks: it writes no session, \
             record, approval or file of yours, and asks no model and no person. Commands run confined, without network, and \
             write into a scratch folder only. If this system cannot confine them, they are skipped and counted. Anyhook's own \
             guard is left out, because both sides have it. The same history always gives the same result, byte for byte.\n\n\
             Examples:\n  anyhook backtest\n  anyhook backtest --before record --since 7d\n  anyhook backtest --before git:main --fail-on newly-allowed,newly-refused\n  \
             anyhook backtest --before old/hooks.json --after new/hooks.json --since 30d"
)]
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
