//! `anyhook schema`: what an editor reads to complete and explain a hooks.json.

use anyhook::core::manifest;
use anyhook_agent::provider::scripted::Scripted;
use clap::{ArgMatches, Command};

use super::{Row, Run, flag};
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
    command
        .about("Print the JSON Schema of a hooks.json")
        .arg(flag("script", "That of a script for `anyhook agent --provider scripted:FILE`").conflicts_with("closed"))
        .arg(flag("closed", "That of the closed form: the ten universal events, and no extension"))
        .after_help(
            "An editor completes and explains by it. Write it to a file and name that file in the manifest:\n\n  \
             anyhook schema > hooks/hooks.schema.json\n  {\"$schema\": \"./hooks.schema.json\", \"version\": 1, …}",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    if args.get_flag("script") {
        ui::raw(Scripted::SCHEMA)?;
        return Ok(Exit::Done);
    }
    let schema = if args.get_flag("closed") {
        manifest::closed_schema()
    } else {
        manifest::schema()
    };
    let schema = serde_json::to_string_pretty(&schema).unwrap_or_default();
    ui::raw(&format!("{schema}\n"))?;
    Ok(Exit::Done)
}
