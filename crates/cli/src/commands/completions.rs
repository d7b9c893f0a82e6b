//! `anyhook completions`: what a shell needs to complete our command line.

use anyhook::core::taxonomy::EVENTS;
use anyhook::wires::hosts::HOSTS;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command};
use clap_complete::Shell;

use super::{Row, add, rows};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("completions", CompletionsArgs, run);

/// Print completions for a shell
#[derive(Args)]
#[command(
    after_help = "Example:\n  anyhook completions bash > ~/.local/share/bash-completion/completions/anyhook"
)]
struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "shell")]
    shell: Shell,
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
            ("install", "host") => arg.value_parser(names(hosts().chain(["all"]))),
            (_, "host") => arg.value_parser(names(hosts())),
            (_, "event" | "EVENT") => arg.value_parser(names(events())),
            ("add", "rule") => arg.value_parser(names(add::names())),
            ("help", _) => arg.value_parser(names(rows().map(|row| row.name))),
            _ => arg,
        })
    })
}

fn names(names: impl Iterator<Item = impl Into<PossibleValue>>) -> PossibleValuesParser {
    PossibleValuesParser::new(names.map(Into::into))
}

fn run(args: &CompletionsArgs) -> Result<Exit, Problem> {
    let mut text = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut with_names(super::app()),
        "anyhook",
        &mut text,
    );
    ui::out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
