//! `anyhook help`: the help of a command, or a topic.

use clap::{Arg, ArgMatches, Command};

use super::{COMMANDS, Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "help",
    describe,
    run: Run::Parsed(run),
};

/// One topic that is no command.
struct Topic {
    name: &'static str,
    text: fn() -> String,
}

const TOPICS: &[Topic] = &[Topic {
    name: "exit-codes",
    text: exit_codes,
}];

fn describe(command: Command) -> Command {
    command
        .about("Explain a command or a topic")
        .arg(Arg::new("topic").help("A command, or: exit-codes"))
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let mut app = super::app();
    let Some(name) = args.get_one::<String>("topic") else {
        ui::out(&app.render_long_help().ansi().to_string())?;
        return Ok(Exit::Done);
    };
    if let Some(topic) = TOPICS.iter().find(|topic| topic.name == name) {
        ui::out(&(topic.text)())?;
        return Ok(Exit::Done);
    }
    app.build();
    let Some(command) = app.find_subcommand_mut(name) else {
        let known = COMMANDS
            .iter()
            .map(|row| row.name)
            .chain(TOPICS.iter().map(|topic| topic.name));
        return Err(Problem::unknown("command or topic", name, known));
    };
    ui::out(&command.render_long_help().ansi().to_string())?;
    Ok(Exit::Done)
}

fn exit_codes() -> String {
    let mut text = String::from(
        "Under `run --host` the exit code belongs to the answer, in that host's own rules.\n\
         Everywhere else:\n\n",
    );
    for (exit, meaning) in Exit::TABLE {
        text.push_str(&format!("  {:>3}  {meaning}\n", exit.code()));
    }
    text.push_str("\n2 is never used outside an answer: to most agents it means a refusal.\n");
    text
}
