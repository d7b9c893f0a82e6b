//! `anyhook module`: which modules there are, and whether one does what a module should.

mod list;
mod python;
mod validate;

use clap::{ArgMatches, Command};

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "module",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("List the modules of a mount plan, and validate one")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::describe(Command::new("list")))
        .subcommand(validate::describe(Command::new("validate")))
        .after_help(
            "Examples:\n  anyhook module list\n  anyhook module list --plan plan.yaml\n  \
             anyhook module validate ./my-hook --type hook",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    match args.subcommand() {
        Some(("list", args)) => list::run(args),
        Some(("validate", args)) => validate::run(args),
        Some(_) | None => Ok(Exit::Usage),
    }
}
