//! `anyhook replay`: asks the present hooks about recorded events.

use anyhook_testing::replay::{Title, json, text};
use clap::Args;

use super::history::{self, Taken};
use super::{Row, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("replay", ReplayArgs, run);

/// Ask the present hooks about the events of the record
#[derive(Args)]
#[command(
    after_help = "Replay only asks: it writes no session, record, approval or file of yours, and asks no model and no person. \
             Commands run confined, without network, and write into a scratch folder only. If this system cannot confine them, \
             they are skipped and counted. The result is compared with the record.\n\n\
             Examples:\n  anyhook replay --since 7d\n  anyhook replay --project shop --most 10000\n  \
             anyhook replay --resume k3f9 other.jsonl"
)]
struct ReplayArgs {
    #[command(flatten)]
    taken: Taken,
    #[command(flatten)]
    form: log::Form,
}

fn run(args: &ReplayArgs) -> Result<Exit, Problem> {
    let reading = history::reading(&args.taken)?;
    let (compared, reached) = history::compared([None, None], &reading)?;
    let title = Title {
        before: "what the record says".to_owned(),
        after: "the hooks that hold now".to_owned(),
        fails: Vec::new(),
    };
    if args.form.is_json() {
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
