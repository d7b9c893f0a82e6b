//! `anyhook replay`: what happened before, through the hooks of now.

use anyhook_testing::replay::{Title, json, text};
use clap::{ArgMatches, Command};

use super::history;
use super::{Row, Run, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "replay",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    history::describe(command.about("Ask the hooks of now about what happened before"))
        .arg(log::format_arg())
        .after_help(
            "Nothing of it happens: no session, record, approval or file of yours is written, no model and no person is asked. \
             Commands run confined, without network, and write into a scratch folder only; where that cannot be had they \
             are passed over and counted. The result is compared with what the record says.\n\n\
             Examples:\n  anyhook replay --since 7d\n  anyhook replay --project shop --most 10000\n  \
             anyhook replay --resume k3f9 other.jsonl",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let reading = history::reading(args)?;
    let (compared, reached) = history::compared([None, None], &reading)?;
    let title = Title {
        before: "what the record says".to_owned(),
        after: "the hooks that hold now".to_owned(),
        fails: Vec::new(),
    };
    if log::is_json(args) {
        let mut page = json(&title, &compared);
        if let Some(page) = page.as_object_mut() {
            page.insert("last".to_owned(), reached.last.into());
        }
        ui::raw(&format!("{page}\n"))?;
    } else {
        ui::out(&text(&title, &compared))?;
    }
    Ok(Exit::Done)
}
