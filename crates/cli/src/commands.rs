//! The commands: one file and one row each.

/// Makes the row of a command: its name, the type that clap describes and reads, and the function that takes it.
macro_rules! verb {
    ($name:expr, $args:ty, $run:path) => {
        $crate::commands::Row {
            name: $name,
            describe: <$args as clap::Args>::augment_args,
            run: $crate::commands::Run::Parsed(|matches| $run(&$crate::commands::typed(matches)?)),
        }
    };
}

mod add;
mod agent;
mod approvals;
mod approve;
mod ask_model;
mod ask_server;
mod attack;
mod attacked;
mod background;
mod backtest;
mod bench;
mod call_tool;
mod check;
mod completions;
mod config;
mod confine;
mod confined;
mod convert;
mod demo;
mod disable;
mod doctor;
mod enable;
mod events;
mod explain;
mod export;
mod fleet;
mod get;
mod help;
mod history;
mod hosts;
mod import;
mod init;
mod install;
mod list;
pub(crate) mod log;
mod man;
mod module;
mod next;
mod platform;
mod policy;
mod remove;
mod replay;
pub(crate) mod run;
mod say;
mod schema;
mod serve;
mod ship;
mod stats;
mod test;
mod trust;
mod undo;
mod uninstall;
mod update;
mod verify;
mod why;

use std::ffi::OsString;

use clap::builder::ArgPredicate;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

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

/// Commands that belong together in the help.
pub(crate) struct Group {
    /// What they are for; nothing for those that only `anyhook help all` lists.
    pub heading: Option<&'static str>,
    /// The commands.
    pub rows: &'static [Row],
}

/// Every command, in the order of the help. A new command joins the group of those who look for it: what brings hooks to a
/// person belongs to `Start`, statistics to `Watch`, and what only programs call to the last group.
pub(crate) static COMMANDS: &[Group] = &[
    Group {
        heading: Some("Start"),
        rows: &[
            demo::ROW,
            init::ROW,
            add::ROW,
            install::ROW,
            uninstall::ROW,
            doctor::ROW,
        ],
    },
    Group {
        heading: Some("Write"),
        rows: &[check::ROW, test::ROW, explain::ROW],
    },
    Group {
        heading: Some("Watch"),
        rows: &[log::ROW, why::ROW, stats::ROW],
    },
    Group {
        heading: Some("Decide"),
        rows: &[trust::ROW, approve::ROW, approvals::ROW, undo::ROW],
    },
    Group {
        heading: Some("Look up"),
        rows: &[list::ROW, events::ROW, hosts::ROW],
    },
    Group {
        heading: None,
        rows: &[
            run::ROW,
            get::ROW,
            say::ROW,
            agent::ROW,
            attack::ROW,
            backtest::ROW,
            bench::ROW,
            config::ROW,
            confine::ROW,
            convert::ROW,
            disable::ROW,
            enable::ROW,
            export::ROW,
            fleet::ROW,
            import::ROW,
            module::ROW,
            platform::ROW,
            policy::ROW,
            remove::ROW,
            replay::ROW,
            schema::ROW,
            serve::ROW,
            ship::ROW,
            update::ROW,
            verify::ROW,
            completions::ROW,
            man::ROW,
            help::ROW,
            ask_model::ROW,
            ask_server::ROW,
            attacked::ROW,
            background::ROW,
            call_tool::ROW,
            confined::ROW,
        ],
    },
];

/// Returns every command.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    COMMANDS.iter().flat_map(|group| group.rows)
}

/// Returns the hot command that is asked for, and its arguments. A call for help is none.
pub(crate) fn hot(args: &[OsString]) -> Option<(Hot, Vec<OsString>)> {
    let (name, rest) = args.split_first()?;
    let Run::Hot(run) = rows().find(|row| *name == *row.name)?.run else {
        return None;
    };
    // Only the first argument may ask for help: later ones can be any text.
    let help = rest
        .first()
        .is_some_and(|first| first == "--help" || first == "-h");
    (!help).then(|| (run, rest.to_vec()))
}

/// Reads the arguments of a command from what clap found, which is what the same type described.
pub(crate) fn typed<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, Problem> {
    A::from_arg_matches(matches).map_err(|error| {
        Problem::new(Exit::Software, "the arguments cannot be read").because(error)
    })
}

/// Describes a flag that is on or off.
pub(crate) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

/// Describes an option with a value.
pub(crate) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// Describes the whole command line.
pub(crate) fn app() -> Command {
    rows().fold(bare(), with)
}

fn with(app: Command, row: &Row) -> Command {
    let command = (row.describe)(Command::new(row.name));
    app.subcommand(match row.run {
        Run::Parsed(_) => common(command),
        Run::Hot(_) => command,
    })
}

/// Adds `--json` where there is a JSON form: it is short for `--format json`.
pub(crate) fn with_json(command: Command) -> Command {
    let has_json = |arg: &Arg| {
        let forms = arg.get_possible_values();
        arg.get_id() == "format" && forms.iter().any(|form| form.matches("json", false))
    };
    if !command.get_arguments().any(has_json) {
        return command;
    }
    let json = flag("json", "Write JSON: the same as --format json").conflicts_with("format");
    let form = |arg: Arg| arg.default_value_if("json", ArgPredicate::IsPresent, "json");
    command.mut_arg("format", form).arg(json)
}

/// Adds what every command understands that clap reads: `--color`, and `--json` where there is a JSON form.
fn common(command: Command) -> Command {
    let mut command = with_json(command);
    let within: Vec<String> = command
        .get_subcommands()
        .map(|inner| inner.get_name().to_owned())
        .collect();
    command = within.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, common)
    });
    command.arg(color().hide_short_help(true))
}

fn color() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .value_parser(["auto", "always", "never"])
        .help("When to write in colour [default: auto]")
        .hide_possible_values(true)
}

/// Does what `--color` says, wherever it stands.
fn obey_color(matches: &ArgMatches) {
    let mut level = Some(matches);
    while let Some(matches) = level {
        let when = matches.try_get_one::<String>("color").ok().flatten();
        if let Some(when) = when {
            ui::color(when);
        }
        level = matches.subcommand().map(|(_, inner)| inner);
    }
}

/// Describes as much of the command line as these arguments need: a command that is named first is the only one.
fn app_for(args: &[OsString]) -> Command {
    let named = args.first();
    let named = named.and_then(|name| rows().find(|row| *name == *row.name));
    named.map_or_else(app, |row| with(bare(), row))
}

const ABOUT: &str = "Lifecycle hooks for AI agents: guard, rewrite, approve, inform, audit";

fn bare() -> Command {
    Command::new("anyhook")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(format!(
            "{ABOUT}.\n\n\
             An agent calls `anyhook run` at fixed points of its life. Anyhook asks your hooks, puts their answers together, \
             and answers the agent in the agent's own words: block, ask, allow, change, or add a text.",
        ))
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n{}:\n{{options}}{{after-help}}",
            listed(false),
            heading("Options"),
        ))
        .after_help("anyhook help all         every command, also those for scripts and hooks\n\
                     anyhook help COMMAND     one command, with examples\n\
                     anyhook help exit-codes  what the number means with which a command ends")
        .arg(color())
        .disable_help_subcommand(true)
        .subcommand_required(true)
}

fn heading(text: &str) -> String {
    let style = clap::builder::Styles::styled();
    let style = style.get_header();
    format!("{style}{text}{style:#}")
}

/// Lists the commands under their headings; with `all` also those that have none.
pub(crate) fn listed(all: bool) -> String {
    let mut text = String::new();
    for group in COMMANDS {
        let title = match group.heading {
            Some(title) => title,
            None if all => "For scripts, hooks and special cases",
            None => continue,
        };
        text.push_str(&format!("{}:\n", heading(title)));
        for row in group.rows {
            let command = (row.describe)(Command::new(row.name));
            if command.is_hide_set() {
                continue;
            }
            let about = command.get_about().map(ToString::to_string);
            let name = ui::paint(ui::BOLD, &format!("{:11}", row.name));
            text.push_str(&format!("  {name}  {}\n", about.unwrap_or_default()));
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Parses the command line and carries it out.
pub(crate) fn main(args: Vec<OsString>) -> Exit {
    let done = match args.first().map(|first| first.to_string_lossy()) {
        None => next::alone(),
        Some(first) if first == "version" => {
            ui::out(concat!("anyhook ", env!("CARGO_PKG_VERSION"), "\n")).map(|()| Exit::Done)
        }
        Some(first) if !first.starts_with('-') && rows().all(|row| *first != *row.name) => {
            Err(no_command(&first))
        }
        Some(_) => parsed(args),
    };
    done.unwrap_or_else(|problem| ui::problem(&problem))
}

/// No command is called so.
pub(crate) fn no_command(name: &str) -> Problem {
    let shown = rows().filter(|row| !(row.describe)(Command::new(row.name)).is_hide_set());
    let problem = Problem::unknown(
        "command",
        name,
        shown.map(|row| row.name).chain(["version"]),
    );
    match problem.help {
        Some(_) => problem,
        None => problem.help("all commands: anyhook help all"),
    }
}

fn parsed(args: Vec<OsString>) -> Result<Exit, Problem> {
    let app = app_for(&args);
    let named = args.first().map(|name| name.to_string_lossy().into_owned());
    let line = std::iter::once(OsString::from("anyhook")).chain(args);
    let matches = match app.try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return Ok(told(&error, named.as_deref())),
    };
    obey_color(&matches);
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(Exit::Usage);
    };
    match rows().find(|row| row.name == name).map(|row| &row.run) {
        Some(Run::Parsed(run)) => run(matches),
        Some(Run::Hot(_)) | None => Ok(Exit::Software),
    }
}

/// Lets clap speak: help goes to standard output and is no failure. A mistake ends with a line of help, like every other.
fn told(error: &clap::Error, command: Option<&str>) -> Exit {
    let mut text = error.render().ansi().to_string();
    if error.use_stderr() {
        text.truncate(text.find("For more information").unwrap_or(text.len()));
        let known = command.filter(|name| rows().any(|row| row.name == *name));
        let command = known.map_or_else(String::new, |name| format!(" {name}"));
        ui::err(&format!(
            "{}\nhelp: anyhook{command} --help shows what it takes\n",
            text.trim_end()
        ));
        return Exit::Usage;
    }
    ui::out(&text).map_or_else(|problem| ui::problem(&problem), |()| Exit::Done)
}
