//! `anyhook help`: the help of a command, or a topic.

use clap::Args;

use super::{Row, rows};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("help", HelpArgs, run);

/// One topic that is no command.
struct Topic {
    name: &'static str,
    text: fn() -> String,
}

const TOPICS: &[Topic] = &[
    Topic {
        name: "all",
        text: all,
    },
    Topic {
        name: "exit-codes",
        text: exit_codes,
    },
];

/// Explain a command or a topic
#[derive(Args)]
struct HelpArgs {
    /// A command, or: all, exit-codes
    #[arg(value_name = "topic")]
    topic: Option<String>,
}

fn run(args: &HelpArgs) -> Result<Exit, Problem> {
    let mut app = super::app();
    let Some(name) = &args.topic else {
        ui::out(&app.render_long_help().ansi().to_string())?;
        return Ok(Exit::Done);
    };
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == name) {
        ui::out(&(topic.text)())?;
        return Ok(Exit::Done);
    }
    app.build();
    let Some(command) = app.find_subcommand_mut(name) else {
        let known = rows().map(|row| row.name);
        let known = known.chain(TOPICS.iter().map(|topic| topic.name));
        let problem = Problem::unknown("command", name, known);
        return Err(match problem.help {
            Some(_) => problem,
            None => problem.help("all commands: anyhook help all"),
        });
    };
    ui::out(&command.render_help().ansi().to_string())?;
    Ok(Exit::Done)
}

fn all() -> String {
    super::listed(true) + "\n"
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
