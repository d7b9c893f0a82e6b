//! `anyhook confine`: a command that the kernel keeps from what it may not touch.

use std::error::Error as _;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use anyhook::core::sandbox::{self, Network, Place, Sandbox};
use anyhook::world::World;
use anyhook_confine::{Failure, PlaceError, Report, Roots, Spec, level, run as become_it};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "confine",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    let project = one(
        "project",
        "FOLDER",
        "The folder that ./ means [default: the one you are in]",
    );
    let program = Arg::new("COMMAND").num_args(1..).last(true);
    let program = program.value_parser(value_parser!(OsString));
    command
        .about("Run a command that the kernel confines: files, network, processes")
        .args(touches())
        .args(limits())
        .arg(flag(
            "required",
            "Run nothing where any of this cannot be had",
        ))
        .arg(project.value_parser(value_parser!(PathBuf)))
        .arg(flag("level", "Say what this kernel can do, and run nothing").exclusive(true))
        .arg(
            program
                .required_unless_present("level")
                .help("The program and its arguments, behind --"),
        )
        .after_help(AFTER)
}

/// The flags that say what it may touch.
fn touches() -> [Arg; 4] {
    let many = |name, value, help| one(name, value, help).action(ArgAction::Append);
    let networks = Network::ALL.iter().map(|network| network.word());
    let networks = PossibleValuesParser::new(networks);
    [
        many(
            "read",
            "PLACE",
            "What it may read beside the system [default: ./**]; '' for nothing",
        ),
        many(
            "write",
            "PLACE",
            "What it may change, and read [default: nothing]",
        ),
        one(
            "network",
            "NETWORK",
            "none, loopback (what it starts itself) or any [default: none]",
        )
        .value_parser(networks)
        .hide_possible_values(true),
        many(
            "env",
            "NAME",
            "The variables that pass, a name may end in * [default: all]",
        ),
    ]
}

/// The flags that say how much it may use.
fn limits() -> [Arg; 3] {
    [
        one("memory", "SIZE", "Memory of each process, such as 512MB"),
        one("processes", "COUNT", "Processes and threads at a time"),
        one("cpu", "SECONDS", "Time of a processor for each process"),
    ]
}

fn one(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// What stands below the flags.
const AFTER: &str = "A PLACE is a folder with all that is in it (./src/**, ~/.cache/**) or one file\n\
             (./notes.txt).\n\n\
             Examples:\n  anyhook confine -- ./strange-script.sh\n  \
             anyhook confine --write './**' -- npm test\n  \
             anyhook confine --write './**' --write '/tmp/**' --network any -- make\n  \
             anyhook confine --memory 1GB --processes 64 --cpu 60 -- python3 tool.py\n\n\
             It ends with the exit code of the command. 125: it could not be confined, 126: it\n\
             could not be started, 127: there is no such program.";

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    if args.get_flag("level") {
        ui::out(&format!("{}\n", level()))?;
        return Ok(Exit::Done);
    }
    let mut words = args.get_many::<OsString>("COMMAND").into_iter().flatten();
    let Some(program) = words.next() else {
        return Ok(Exit::Usage);
    };
    let rest: Vec<OsString> = words.cloned().collect();
    let world = World::real();
    let project = args.get_one::<PathBuf>("project").unwrap_or(&world.cwd);
    let home = world.places.as_ref().map(|places| places.home.as_path());
    let roots = Roots::new(project, home).map_err(|error| Problem::unreadable(project, error))?;
    let sandbox = sandbox(args)?;
    let spec = Spec::of(&sandbox, &roots).map_err(|error| nowhere(&error))?;
    if opens_home(&sandbox, &roots) {
        ui::err(
            "note: the project is your home or a folder around it, so all of your home is open\n",
        );
    }
    let is_required = spec.required;
    Err(failed(&become_it(&spec, program, &rest, None, |report| {
        // Where all of it is required, the failure says what cannot be had.
        if !is_required {
            told(report);
        }
    })))
}

/// Says whether the whole home is open because the project is one with it.
fn opens_home(sandbox: &Sandbox, roots: &Roots) -> bool {
    let mut places = sandbox.read.iter().chain(&sandbox.write).flatten();
    let is_open = sandbox.read.is_none() || places.any(|place| *place == Place::project());
    roots.project_holds_home() && is_open
}

/// Says what is less, or more, than was asked for; a command that is confined as asked starts without a word.
fn told(report: &Report) {
    for lack in &report.lacks {
        ui::err(&format!(
            "not confined here: {}\n",
            ui::visible(&lack.to_string())
        ));
    }
    for note in &report.notes {
        ui::err(&format!("note: {}\n", ui::visible(note)));
    }
}

fn failed(failure: &Failure) -> Problem {
    let problem =
        Problem::new(Exit::Answer(failure.code()), failure.to_string()).help(failure.help());
    match failure.source() {
        Some(cause) => problem.because(std::io::Error::other(cause.to_string())),
        None => problem,
    }
}

fn nowhere(error: &PlaceError) -> Problem {
    Problem::new(Exit::Usage, error.to_string()).help(error.help())
}

fn unsayable(error: &sandbox::PlaceError) -> Problem {
    Problem::new(Exit::Usage, error.to_string()).help(error.help())
}

/// Reads the flags.
fn sandbox(args: &ArgMatches) -> Result<Sandbox, Problem> {
    let texts = |name: &str| {
        let given = args.get_many::<String>(name)?;
        // An empty word says that the list is empty.
        Some(
            given
                .filter(|text| !text.is_empty())
                .cloned()
                .collect::<Vec<_>>(),
        )
    };
    let places = |name: &str| {
        let read = |texts: Vec<String>| {
            texts
                .iter()
                .map(|text| text.parse())
                .collect::<Result<Vec<Place>, _>>()
        };
        texts(name)
            .map(read)
            .transpose()
            .map_err(|error| unsayable(&error))
    };
    let network = args.get_one::<String>("network");
    let network =
        network.and_then(|word| Network::ALL.iter().find(|network| network.word() == word));
    Ok(Sandbox {
        read: places("read")?,
        write: places("write")?,
        network: network.copied(),
        env: texts("env"),
        memory: parsed(args, "memory", "write a size such as 512MB or 2GB")?,
        processes: parsed(args, "processes", "write a number from 1 on")?,
        cpu: parsed(args, "cpu", "write a number of seconds from 1 on")?,
        required: args.get_flag("required"),
    })
}

/// Reads a limit.
fn parsed<T>(args: &ArgMatches, name: &str, help: &str) -> Result<Option<T>, Problem>
where
    T: FromStr<Err: Display>,
{
    let Some(text) = args.get_one::<String>(name) else {
        return Ok(None);
    };
    let refused = |_| Problem::new(Exit::Usage, format!("--{name} cannot be `{text}`")).help(help);
    text.parse().map(Some).map_err(refused)
}
