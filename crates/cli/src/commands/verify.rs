//! `anyhook verify`: one harmless command through the live agent, which a hook refuses.

use std::time::Duration;

use anyhook::verify::{VerifyError, verify};
use anyhook::world::World;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::install::{installer, this_program};
use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "verify",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Ask a live agent to do one harmless thing, and see whether a hook can refuse it")
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .required(true)
                .help("The agent"),
        )
        .arg(
            Arg::new("patience")
                .long("patience")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=3600))
                .default_value("180")
                .help("How long the agent may take"),
        )
        .after_help(
            "Starts your own agent once, without a person, in a folder that goes away, and tells it to run `touch` on a \
             file there. A hook refuses that. What counts is what is left: the refusal in `anyhook log`, and no file. The \
             agent asks its model, which may cost something.\n\n\
             Example:\n  anyhook verify --host claude-code",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let Some(host) = super::doctor::named(args)? else {
        return Err(
            Problem::new(Exit::Usage, "no agent is named").help("anyhook verify --host NAME")
        );
    };
    let patience = args.get_one::<u64>("patience").copied().unwrap_or(180);
    let world = World::real();
    let program = this_program()?;
    ui::err(&format!(
        "{} {}: this may take a minute\n",
        paint(ui::DIM, "asking"),
        host.id()
    ));
    let verified = verify(
        &installer(&world, &program),
        host,
        Duration::from_secs(patience),
    )
    .map_err(problem)?;
    ui::out(&format!(
        "{} {} {} {}\n",
        paint(ui::PASS, "HOST VERIFIED"),
        verified.host,
        ui::visible(&verified.version),
        verified.date()
    ))?;
    Ok(Exit::Done)
}

fn problem(error: VerifyError) -> Problem {
    let exit = match &error {
        VerifyError::NoHome => Exit::Config,
        VerifyError::NoQuestion(_) | VerifyError::NoAgent(_) | VerifyError::NotInstalled(_) => {
            Exit::Config
        }
        VerifyError::Folder(_) | VerifyError::Pin(_) | VerifyError::Keep(_) => Exit::CannotCreate,
        _ => Exit::Negative,
    };
    let help = error.help();
    Problem::new(exit, "not verified").help(help).because(error)
}
