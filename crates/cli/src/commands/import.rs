//! `anyhook log import`: adds the calls in the agents' transcripts to the record, each once.

use std::io::IsTerminal as _;

use anyhook::transcripts::{ImportSummary, bring, hosts};
use anyhook::world::World;

use super::log;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui;

/// So many places of bad lines are shown.
const SHOWN: usize = 20;

/// Adds the calls of the agents that are named, or of all.
pub(super) fn run(hosts: &[&str], form: JsonFlag) -> Result<Exit, CliError> {
    let asked = hosts.iter();
    let hosts: Result<Vec<String>, CliError> = asked
        .map(|name| error::host(name).map(|host| host.id().to_owned()))
        .collect();
    let world = World::real();
    let store = log::kept(&world)?;
    let home = &error::places(&world)?.home;
    std::fs::read_dir(home).map_err(|error| CliError::unreadable(home, error))?;
    let shows = std::io::stderr().is_terminal();
    let mut progress = |done: u64, total: u64| {
        if shows {
            let percent = done.saturating_mul(100) / total.max(1);
            ui::err(&format!("\r\u{1b}[2K{percent:3} %"));
        }
    };
    let came = bring(home, &store, &hosts?, &mut progress).map_err(log::unreadable)?;
    if shows && came.files > 0 {
        ui::err("\n");
    }
    form.say(&came, page)
}

fn page(came: &ImportSummary) -> String {
    let ImportSummary {
        files,
        added,
        known,
        ..
    } = came;
    let mut text = format!(
        "{added} calls of {files} transcripts became records; {known} were records already\n"
    );
    if *files == 0 {
        text.push_str(&format!(
            "no transcript of {} was found\n",
            hosts().collect::<Vec<_>>().join(", ")
        ));
    }
    for (places, what) in [
        (&came.bad, "lines could not be read"),
        (&came.strange, "calls could not be understood"),
    ] {
        if places.is_empty() {
            continue;
        }
        text.push_str(&format!("{} {what} and were left out:\n", places.len()));
        for (file, line) in places.iter().take(SHOWN) {
            text.push_str(&format!("  {}:{line}\n", ui::path(file)));
        }
        if places.len() > SHOWN {
            text.push_str(&format!("  … {} more: --json\n", places.len() - SHOWN));
        }
    }
    for why in &came.unreadable {
        text.push_str(&format!("{}\n", ui::line(why)));
    }
    text
}
