//! `anyhook completions`: what a shell needs to complete our command line.

use anyhook::core::taxonomy::EVENTS;
use anyhook::wires::hosts::HOSTS;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;

use super::{Row, Run, add, rows};
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

/// Tells the shell the names that stand for hosts, events and rules.
fn with_names(app: Command) -> Command {
    let hosts = || HOSTS.iter().map(|host| host.id());
    let events = || {
        let events = EVENTS.iter();
        events.map(|event| event.universal.unwrap_or(event.name))
    };
    app.mut_subcommands(|command| {
        let of = command.get_name().to_owned();
        command.mut_args(|arg| match (&*of, arg.get_id().as_str()) {
            ("install" | "uninstall", "host") => arg.value_parser(names(hosts().chain(["all"]))),
            ("hosts", "NAME") | (_, "host") => arg.value_parser(names(hosts())),
            ("events", "NAME") | (_, "event" | "EVENT") => arg.value_parser(names(events())),
            ("add", "RULE") => arg.value_parser(names(add::known().iter().map(|rule| &*rule.name))),
            ("help", _) => arg.value_parser(names(rows().map(|row| row.name))),
            _ => arg,
        })
    })
}

fn names(names: impl Iterator<Item = impl Into<PossibleValue>>) -> PossibleValuesParser {
    PossibleValuesParser::new(names.map(Into::into))
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let Some(shell) = args.get_one::<Shell>("shell") else {
        return Ok(Exit::Usage);
    };
    let mut text = Vec::new();
    clap_complete::generate(*shell, &mut with_names(super::app()), "anyhook", &mut text);
    ui::out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
