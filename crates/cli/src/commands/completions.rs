//! `anyhook completions`: what a shell needs to complete our command line.

use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "completions",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Print completions for a shell")
        .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(Shell)).help("The shell"))
        .after_help("Example:\n  anyhook completions bash > ~/.local/share/bash-completion/completions/anyhook")
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let Some(shell) = args.get_one::<Shell>("shell") else {
        return Ok(Exit::Usage);
    };
    let mut text = Vec::new();
    clap_complete::generate(*shell, &mut super::app(), "anyhook", &mut text);
    ui::out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
