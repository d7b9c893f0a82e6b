//! `anyhook confine`: runs a command whose access to files, network and processes the kernel limits.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhook::core::sandbox::{Network, Sandbox, SandboxPath};
use anyhook::files::with_causes;
use anyhook::world::World;
use anyhook_confine::{ConfineError, ConfinementReport, Roots, Spec, level, run as become_it};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::CommandSpec;
use crate::error::CliError;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("confine", ConfineArgs, run);

/// Run a command that the kernel confines: files, network, processes
#[derive(Args)]
#[command(after_help = include_str!("help/confine.txt"))]
struct ConfineArgs {
    /// What the command may read besides the system's files [default: ./**]; '' for nothing
    #[arg(long, value_name = "PLACE")]
    read: Option<Vec<String>>,
    /// What the command may change and read [default: nothing]
    #[arg(long, value_name = "PLACE")]
    write: Option<Vec<String>>,
    /// none, loopback (only what the command starts itself) or any [default: none]
    #[arg(long, value_name = "NETWORK", value_parser = networks(), hide_possible_values = true)]
    network: Option<Network>,
    /// The environment variables that the command gets; a name may end in * [default: all]
    #[arg(long, value_name = "NAME")]
    env: Option<Vec<String>>,
    /// The most processes and threads at a time
    #[arg(long, value_name = "COUNT")]
    processes: Option<NonZeroU32>,
    /// Do not run the command if this system cannot confine it in every way asked for
    #[arg(long)]
    required: bool,
    /// All of this as JSON, in the words of a manifest: so a rule writes it
    #[arg(long, value_name = "JSON", value_parser = written, hide = true, conflicts_with_all = ["read", "write", "network", "env", "processes", "required"])]
    sandbox: Option<Sandbox>,
    /// The folder that ./ means [default: the one you are in]
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// The program and its arguments, after -- [default: print what this kernel can confine]
    #[arg(last = true)]
    command: Vec<OsString>,
}

fn written(text: &str) -> Result<Sandbox, serde_json::Error> {
    serde_json::from_str(text)
}

fn networks() -> impl TypedValueParser<Value = Network> {
    let words = PossibleValuesParser::new(Network::ALL.iter().map(|network| network.as_str()));
    words.try_map(|word| {
        let mut all = Network::ALL.iter().copied();
        all.find(|network| network.as_str() == word)
            .ok_or("no network is called so")
    })
}

fn run(args: &ConfineArgs) -> Result<Exit, CliError> {
    let Some((program, rest)) = args.command.split_first() else {
        return ui::out(&format!("{}\n", level())).map(|()| Exit::Done);
    };
    let world = World::real();
    let project = args.project.as_ref().unwrap_or(&world.cwd);
    let home = world.places.as_ref().map(|places| places.home.as_path());
    let roots = Roots::new(project, home).map_err(|error| CliError::unreadable(project, error))?;
    let sandbox = sandbox(args)?;
    let spec = Spec::of(&sandbox, &roots).map_err(|error| nowhere(&error, error.help))?;
    let mut places = sandbox.read.iter().chain(&sandbox.write).flatten();
    let is_open = sandbox.read.is_none() || places.any(|place| *place == SandboxPath::project());
    if roots.project_holds_home() && is_open {
        ui::err(
            "note: the project is your home or a folder around it, so all of your home is open\n",
        );
    }
    let is_required = spec.required;
    Err(failed(&become_it(&spec, program, rest, None, |report| {
        // Where all of it is required, the failure says what cannot be had.
        if !is_required {
            told(report);
        }
    })))
}

/// Says what is less, or more, than was asked for; a command that is confined as asked starts without a word.
fn told(report: &ConfinementReport) {
    for lack in &report.lacks {
        let lack = ui::visible(&lack.to_string());
        ui::err(&format!("not confined here: {lack}\n"));
    }
    for note in &report.notes {
        ui::err(&format!("note: {}\n", ui::visible(note)));
    }
}

fn failed(failure: &ConfineError) -> CliError {
    CliError::new(Exit::Answer(failure.code()), with_causes(failure)).help(failure.help())
}

fn nowhere(error: &impl std::fmt::Display, help: impl Into<String>) -> CliError {
    CliError::new(Exit::Usage, error.to_string()).help(help)
}

/// Reads the flags.
fn sandbox(args: &ConfineArgs) -> Result<Sandbox, CliError> {
    if let Some(sandbox) = &args.sandbox {
        return Ok(sandbox.clone());
    }
    // An empty word says that the list is empty.
    let texts = |given: &Option<Vec<String>>| {
        let mut texts = given.clone()?;
        texts.retain(|text| !text.is_empty());
        Some(texts)
    };
    let places = |given: &Option<Vec<String>>| {
        let read = |texts: Vec<String>| texts.iter().map(|text| text.parse()).collect();
        let read: Option<Result<Vec<SandboxPath>, _>> = texts(given).map(read);
        read.transpose()
            .map_err(|error| nowhere(&error, error.help))
    };
    Ok(Sandbox {
        read: places(&args.read)?,
        write: places(&args.write)?,
        network: args.network,
        env: texts(&args.env),
        processes: args.processes,
        required: args.required,
    })
}
