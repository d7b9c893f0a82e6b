//! `anyhook help`: the help of a command, or a topic.

use clap::Args;

use super::{CommandSpec, rows};
use crate::addons;
use crate::error::CliError;
use crate::exit::Exit;
use crate::old;
use crate::ui;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("help", HelpArgs, run);

const TOPICS: [&str; 2] = ["all", "exit-codes"];

/// Explain a command or a topic
#[derive(Args)]
struct HelpArgs {
    /// A command, or: all, exit-codes
    #[arg(value_name = "topic")]
    topic: Option<String>,
}

fn run(args: &HelpArgs) -> Result<Exit, CliError> {
    let mut app = super::app();
    let Some(name) = &args.topic else {
        return ui::done(&app.render_long_help().ansi().to_string());
    };
    let topic = match &**name {
        "all" => Some(super::listed(true) + "\n\n" + &ui::wrapped("", &others())),
        "exit-codes" => Some(exit_codes()),
        _ => None,
    };
    if let Some(topic) = topic {
        return ui::done(&topic);
    }
    app.build();
    // An alias means a command, and an add-on says its own help.
    let meant = old::meant(vec![name.into()]);
    let command = meant
        .first()
        .and_then(|first| app.find_subcommand_mut(first));
    let Some(command) = command else {
        if let Some(problem) = addons::start(name, ["--help".into()]) {
            return Err(problem);
        }
        let known = rows().map(|row| row.name);
        let known = known.chain(TOPICS);
        return Err(CliError::unknown("command", name, known)
            .or_help("all commands: anyhook help all".to_owned()));
    };
    ui::done(&(old::explained(name) + &command.render_help().ansi().to_string()))
}

/// Names what else a command line may begin with.
fn others() -> String {
    let addons: Vec<&str> = addons::OWN.iter().map(|(name, _)| *name).collect();
    format!("{}\nAdd-ons: {}", old::listed(), addons.join(", "))
}

fn exit_codes() -> String {
    let mut text = String::from(
        "Under `run --host` the exit code is part of the answer, as that host reads it.\n\
         Everywhere else:\n\n",
    );
    for (exit, meaning) in Exit::TABLE {
        text.push_str(&ui::beside(&format!("  {:>3}  ", exit.code()), 7, meaning));
    }
    text.push_str(
        "\n`anyhook test` ends with 0, 1, 2 or 4, as test runners do: anyhook help test\n\
         `anyhook confine` ends as its command, or with 125 to 127: anyhook help confine\n\
         Nothing else ends with 2: to most agents it blocks the action.\n",
    );
    text
}
