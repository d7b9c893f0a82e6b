//! The commands: one file and one row each.

mod agent;
mod approvals;
mod approve;
mod ask_model;
mod background;
mod check;
mod completions;
mod config;
mod convert;
mod demo;
mod doctor;
mod events;
mod explain;
mod get;
mod help;
mod hosts;
mod init;
mod install;
mod list;
mod log;
mod module;
mod platform;
mod run;
mod say;
mod schema;
mod test;
mod trust;
mod uninstall;
mod verify;
mod why;

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// One command.
pub(crate) struct Row {
    /// Its name.
    pub name: &'static str,
    /// Describes it to clap, for help and completions.
    pub describe: fn(Command) -> Command,
    /// How it is carried out.
    pub run: Run,
}

/// How a command is carried out.
pub(crate) enum Run {
    /// From what clap read.
    Parsed(fn(&ArgMatches) -> Result<Exit, Problem>),
    /// From the bare arguments: for verbs that run at every event.
    Hot(Hot),
}

/// A command that reads its own arguments.
pub(crate) type Hot = fn(Vec<OsString>) -> Exit;

/// Every command, in the order of the help.
pub(crate) static COMMANDS: &[Row] = &[
    demo::ROW,
    install::ROW,
    uninstall::ROW,
    doctor::ROW,
    verify::ROW,
    run::ROW,
    explain::ROW,
    why::ROW,
    log::ROW,
    list::ROW,
    config::ROW,
    check::ROW,
    init::ROW,
    schema::ROW,
    module::ROW,
    events::ROW,
    hosts::ROW,
    platform::ROW,
    test::ROW,
    agent::ROW,
    trust::ROW,
    approve::ROW,
    approvals::ROW,
    get::ROW,
    say::ROW,
    convert::ROW,
    completions::ROW,
    ask_model::ROW,
    background::ROW,
    help::ROW,
];

/// Returns the hot command that is asked for, and its arguments. A call for help is none.
pub(crate) fn hot(args: &[OsString]) -> Option<(Hot, Vec<OsString>)> {
    let (name, rest) = args.split_first()?;
    let Run::Hot(run) = COMMANDS.iter().find(|row| *name == *row.name)?.run else {
        return None;
    };
    // Only the first argument may ask for help: later ones can be anybody's text.
    let help = rest
        .first()
        .is_some_and(|first| first == "--help" || first == "-h");
    (!help).then(|| (run, rest.to_vec()))
}

/// Describes a flag that is on or off.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// Describes the whole command line.
pub(crate) fn app() -> Command {
    COMMANDS.iter().fold(bare(), with)
}

fn with(app: Command, row: &Row) -> Command {
    app.subcommand((row.describe)(Command::new(row.name)))
}

/// Describes as much of the command line as these arguments need: a command that is named first is the only one.
fn app_for(args: &[OsString]) -> Command {
    let named = args.first();
    let named = named.and_then(|name| COMMANDS.iter().find(|row| *name == *row.name));
    named.map_or_else(app, |row| with(bare(), row))
}

fn bare() -> Command {
    Command::new("anyhook")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Lifecycle hooks for AI agents: guard, rewrite, approve, inform, audit")
        .long_about(
            "Lifecycle hooks for AI agents: guard, rewrite, approve, inform, audit.\n\n\
             An agent calls `anyhook run` at fixed points of its life and does what the answer says. \
             Your hooks are commands in a hooks.json; this program asks them, folds what they say, and answers the agent \
             in its own words.",
        )
        .after_help(
            "Start here:\n  anyhook demo                 watch a recorded session go through a package of guards\n  \
             anyhook install --host all   let the agents on this machine ask your hooks\n  \
             anyhook doctor               find out whether they really do\n  \
             anyhook events               the points at which a hook can be asked\n  \
             anyhook run --explain < payload.json\n\n\
             Topics: anyhook help exit-codes",
        )
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Parses the command line and carries it out.
pub(crate) fn main(args: Vec<OsString>) -> Exit {
    let app = app_for(&args);
    let line = std::iter::once(OsString::from("anyhook")).chain(args);
    let matches = match app.try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return told(&error),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return Exit::Usage;
    };
    match COMMANDS
        .iter()
        .find(|row| row.name == name)
        .map(|row| &row.run)
    {
        Some(Run::Parsed(run)) => run(matches).unwrap_or_else(|problem| ui::problem(&problem)),
        Some(Run::Hot(_)) | None => Exit::Software,
    }
}

/// Lets clap speak: help goes to standard output and is no failure.
fn told(error: &clap::Error) -> Exit {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        ui::err(&text);
        return Exit::Usage;
    }
    ui::out(&text).map_or_else(|problem| ui::problem(&problem), |()| Exit::Done)
}
