//! `anyhook schema`: what an editor reads to complete and explain a hooks.json.

use anyhook::core::manifest;
use anyhook_agent::provider::scripted::Scripted;
use clap::Args;

use super::Row;
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("schema", SchemaArgs, run);

/// Print the JSON Schema of a hooks.json
#[derive(Args)]
#[command(
    after_help = "An editor uses it to complete and explain fields. Write it to a file, and name that file in the manifest:\n\n  \
             anyhook schema > hooks/hooks.schema.json\n  {\"$schema\": \"./hooks.schema.json\", \"version\": 1, …}"
)]
struct SchemaArgs {
    /// Print the schema of a script for `anyhook agent --provider scripted:FILE`
    #[arg(long, conflicts_with = "closed")]
    script: bool,
    /// Print the schema of the closed form: the ten universal events, and no extension
    #[arg(long)]
    closed: bool,
}

fn run(args: &SchemaArgs) -> Result<Exit, Problem> {
    if args.script {
        ui::raw(Scripted::SCHEMA)?;
        return Ok(Exit::Done);
    }
    let schema = if args.closed {
        manifest::closed_schema()
    } else {
        manifest::schema()
    };
    let schema = serde_json::to_string_pretty(&schema).unwrap_or_default();
    ui::raw(&format!("{schema}\n"))?;
    Ok(Exit::Done)
}
