//! `anyhook log`: what agents tried, and what was said of it, a line each.

mod keeping;
mod row;
mod wanted;

use std::path::PathBuf;

use anyhook::core::ports::StoreError;
use anyhook::core::report::Report;
use anyhook::limits::Recorded;
use anyhook::stores::{Filter, Jsonl, Keep, Place};
use anyhook::world::World;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui;

pub(crate) use row::row;
pub(crate) use wanted::{describe as filtered, filter, flags, moment};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "log",
    describe,
    run: Run::Parsed(run),
};

/// What a person reads where no report is stored.
pub(super) const NOTHING: &str = "no event is recorded yet\n\
                                  help: anyhook install lets agents ask your hooks; anyhook doctor says whether they do\n";

fn describe(command: Command) -> Command {
    let command = command
        .about("List what agents tried, and what was said of it")
        .args_conflicts_with_subcommands(true)
        .subcommand(keeping::verify_command())
        .subcommand(keeping::purge_command())
        .arg(
            Arg::new("lines")
                .short('n')
                .value_name("N")
                .value_parser(many)
                .default_value("20")
                .help("How many, the newest"),
        );
    wanted::describe(command)
        .arg(
            Arg::new("follow")
                .long("follow")
                .visible_alias("tail")
                .action(ArgAction::SetTrue)
                .help("Go on as events happen"),
        )
        .arg(
            format_arg()
                .value_parser(["text", "json", "csv"])
                .help("text, json (a line each) or csv"),
        )
        .after_help(
            "Examples:\n  anyhook log --denied --since 2h\n  anyhook log --tool Bash 'git push'\n  \
             anyhook log --follow\n  anyhook log verify\n  anyhook log purge --before 90d",
        )
}

fn many(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "a whole number such as 50 is needed".to_owned())
}

/// The flag that chooses between words and JSON.
pub(crate) fn format_arg() -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(["text", "json"])
        .default_value("text")
        .help("text or json")
}

/// Tells whether JSON was asked for.
pub(crate) fn is_json(args: &ArgMatches) -> bool {
    args.get_one::<String>("format")
        .is_some_and(|format| format == "json")
}

/// Opens the store of this machine.
pub(crate) fn store() -> Result<Jsonl, Problem> {
    let places = World::real().places;
    let places = places.map_or_else(store_without_home, Ok)?;
    Ok(Jsonl::new(places.reports(), Keep::Verdicts))
}

/// Opens the store of this machine as it is configured, to add to it.
pub(crate) fn kept(world: &World) -> Result<Jsonl, Problem> {
    let recorded = Recorded::of(world).map_err(|error| {
        Problem::new(Exit::Config, "the settings of the record cannot be used").because(error)
    })?;
    let store = recorded.store(world).filter(|_| world.places.is_some());
    store.map_or_else(store_without_home, Ok)
}

fn store_without_home<T>() -> Result<T, Problem> {
    let problem = Problem::new(
        Exit::Config,
        "there is no home folder, so nothing was stored",
    );
    Err(problem.help("set HOME"))
}

/// Returns the folder in which the reports of the last demo are.
pub(super) fn demo_folder() -> Option<PathBuf> {
    World::real().places.map(|places| places.state.join("demo"))
}

/// The stored reports cannot be read.
pub(crate) fn unreadable(error: StoreError) -> Problem {
    Problem::new(Exit::Io, "the stored reports cannot be read").because(error)
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    match args.subcommand() {
        Some(("verify", args)) => return keeping::verify(args),
        Some(("purge", args)) => return keeping::purge(args),
        Some(_) | None => {}
    }
    let store = store()?;
    let last = args.get_one::<usize>("lines").copied().unwrap_or(20);
    let filter = wanted::filter(args)?;
    let follows = args.get_flag("follow");
    let format = args
        .get_one::<String>("format")
        .map_or("text", String::as_str);
    let end = store.end();
    let found = store.search(&filter, last).map_err(unreadable)?;
    if format == "csv" {
        ui::raw(row::COLUMNS)?;
    }
    let lines: Vec<String> = found
        .reports
        .iter()
        .map(|report| line(report, format))
        .collect();
    match format {
        "text" if follows => ui::out(&lines.concat())?,
        "text" => ui::page(&lines.concat())?,
        _ => ui::raw(&lines.concat())?,
    }
    if found.skipped > 0 {
        ui::err(&format!(
            "{} lines are no records: anyhook log verify\n",
            found.skipped
        ));
    }
    if follows {
        return follow(&store, &filter, format, end);
    }
    if found.reports.is_empty() {
        ui::err(if filter == Filter::default() {
            NOTHING
        } else {
            NONE_FITS
        });
    }
    Ok(Exit::Done)
}

/// What a person reads where records are stored, and none is wanted.
const NONE_FITS: &str = "no record fits all of this\nhelp: anyhook log lists the newest of all\n";

fn line(report: &Report, format: &str) -> String {
    match format {
        "json" => {
            // Every report can be written: it was read.
            let text = serde_json::to_string(report).unwrap_or_default();
            format!("{text}\n")
        }
        "csv" => row::csv(report),
        _ => row(report) + "\n",
    }
}

/// Follows the store until the reader goes away.
fn follow(store: &Jsonl, filter: &Filter, format: &str, mut place: Place) -> Result<Exit, Problem> {
    while !reader_is_gone() {
        let news = store.news(&mut place, filter).map_err(unreadable)?;
        let lines: String = news
            .reports
            .iter()
            .map(|report| line(report, format))
            .collect();
        if format == "text" {
            ui::out(&lines)?;
        } else if !lines.is_empty() {
            ui::raw(&lines)?;
        }
    }
    Ok(Exit::Done)
}

/// Waits a moment for news, or for the reader of our output to go away.
fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = std::io::stdout();
    let mut watched = [PollFd::new(&out, PollFlags::empty())];
    let moment = Timespec {
        tv_sec: 0,
        tv_nsec: 200_000_000,
    };
    let _ = poll(&mut watched, Some(&moment));
    watched
        .iter()
        .any(|fd| fd.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}
