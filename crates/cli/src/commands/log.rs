//! `anyhook log`: the newest events, a line each.

use std::path::PathBuf;

use anyhook::core::ports::{Query, Store as _, StoreError};
use anyhook::core::report::Report;
use anyhook::stores::{Jsonl, Keep};
use anyhook::world::World;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint, short};
use crate::{fates, timeline, view};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "log",
    describe,
    run: Run::Parsed(run),
};

/// What a person reads where no report is stored.
pub(super) const NOTHING: &str = "no event is recorded yet\n\
                                  help: anyhook install lets agents ask your hooks; anyhook doctor says whether they do\n";

/// More events than this in one moment are not followed.
const NEWEST: usize = 1000;

fn describe(command: Command) -> Command {
    command
        .about("List the newest events")
        .arg(
            Arg::new("lines")
                .short('n')
                .value_name("N")
                .value_parser(many)
                .default_value("20")
                .help("How many"),
        )
        .arg(
            Arg::new("session")
                .long("session")
                .value_name("ID")
                .help("Only those of one session"),
        )
        .arg(
            Arg::new("tail")
                .long("tail")
                .action(ArgAction::SetTrue)
                .help("Go on as events happen"),
        )
        .arg(format_arg())
        .after_help("Example:\n  anyhook log --tail")
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
    let places = places.ok_or_else(|| {
        Problem::new(
            Exit::Config,
            "there is no home folder, so nothing was stored",
        )
        .help("set HOME")
    })?;
    Ok(Jsonl::new(places.reports(), Keep::Verdicts))
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
    let store = store()?;
    let last = args.get_one::<usize>("lines").copied();
    let query = Query {
        id: None,
        session: args.get_one::<String>("session").cloned(),
        last,
    };
    let found = store.find(&query).map_err(unreadable)?;
    let json = is_json(args);
    if json || args.get_flag("tail") {
        for report in &found {
            print(report, json)?;
        }
    } else {
        ui::page(
            &found
                .iter()
                .map(|report| row(report) + "\n")
                .collect::<String>(),
        )?;
    }
    if args.get_flag("tail") {
        let shown = found.into_iter().next_back().map(|report| report.id);
        return follow(&store, &query, json, shown);
    }
    if found.is_empty() {
        ui::err(NOTHING);
    }
    Ok(Exit::Done)
}

fn print(report: &Report, json: bool) -> Result<(), Problem> {
    if json {
        let text = serde_json::to_string(report).map_err(|error| {
            Problem::new(Exit::Software, "cannot write the report").because(error)
        })?;
        return ui::raw(&format!("{text}\n"));
    }
    ui::out(&format!("{}\n", row(report)))
}

/// Follows the store until the reader goes away. What was shown last tells what is new.
fn follow(
    store: &Jsonl,
    query: &Query,
    json: bool,
    mut shown: Option<Box<str>>,
) -> Result<Exit, Problem> {
    let newest = Query {
        last: Some(NEWEST),
        ..query.clone()
    };
    while !reader_is_gone() {
        let found = store.find(&newest).map_err(unreadable)?;
        let old = found
            .iter()
            .rposition(|report| Some(&report.id) == shown.as_ref());
        for report in found.iter().skip(old.map_or(0, |old| old + 1)) {
            print(report, json)?;
        }
        shown = found
            .into_iter()
            .next_back()
            .map(|report| report.id)
            .or(shown);
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

/// So wide is what stands before the event: the time, the id and the verdict.
const BEFORE: usize = 38;

/// Writes one report as one line.
pub(crate) fn row(report: &Report) -> String {
    let said = report.said.as_ref().unwrap_or(&report.result);
    let kind = said.verdict.kind();
    let time = report
        .at
        .and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    let time = time.map(|time| {
        time.to_zoned(jiff::tz::TimeZone::system())
            .strftime("%m-%d %H:%M:%S")
            .to_string()
    });
    let hook = report
        .decided_by()
        .and_then(|id| report.hook(id))
        .map(|hook| hook.name.to_string());
    let word = paint(
        view::style(kind),
        &format!("{} {:8}", view::mark(kind), kind.as_str()),
    );
    let subject = report.event.subject.as_deref().unwrap_or_default();
    let what = format!("{} {subject}", report.event.name);
    // What hooks said is told first; of an event about which none said anything it is told what went wrong.
    let mut short_of_it = fates::in_short(report);
    if short_of_it.is_empty() {
        short_of_it = timeline::trouble(report).join("; ");
    }
    let why = [hook.unwrap_or_default(), short_of_it];
    let why = why
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(": ");
    let event = if ui::width() < 100 { 20 } else { 28 };
    // Behind a pipe there is room for all that a search may look for.
    let room = match ui::columns() {
        Some(_) => ui::width().saturating_sub(BEFORE + event + 2).max(10),
        None => 300,
    };
    let line = format!(
        "{}  {}  {word}  {:event$}  {}",
        paint(ui::DIM, &time.unwrap_or_default()),
        paint(ui::DIM, &report.id),
        short(&what, event),
        short(&why, room),
    );
    line.trim_end().to_owned()
}
