//! `anyhook schema`: what an editor reads to complete and explain a hooks.json.

use anyhook::core::manifest;
use clap::{ArgMatches, Command};

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "schema",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command.about("Print the JSON Schema of a hooks.json").after_help(
        "An editor completes and explains by it. Write it to a file and name that file in the manifest:\n\n  \
         anyhook schema > hooks/hooks.schema.json\n  {\"$schema\": \"./hooks.schema.json\", \"version\": 1, …}",
    )
}

fn run(_: &ArgMatches) -> Result<Exit, Problem> {
    let schema = serde_json::to_string_pretty(&manifest::schema()).unwrap_or_default();
    ui::raw(&format!("{schema}\n"))?;
    Ok(Exit::Done)
}
