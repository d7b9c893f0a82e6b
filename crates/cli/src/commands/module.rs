//! `anyhook module`: which modules there are, and whether one does what a module should.

mod list;
mod python;
mod validate;

use clap::{Args, Subcommand};

use super::Row;
use crate::error::Problem;
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = verb!("module", ModuleArgs, run);

/// List the modules of a mount plan, and validate one
#[derive(Args)]
#[command(
    after_help = "Examples:\n  anyhook module list\n  anyhook module list --plan plan.yaml\n  \
             anyhook module validate ./my-hook --type hook"
)]
struct ModuleArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    List(list::List),
    Validate(validate::Validate),
}

fn run(args: &ModuleArgs) -> Result<Exit, Problem> {
    match &args.verb {
        Verb::List(args) => list::run(args),
        Verb::Validate(args) => validate::run(args),
    }
}
