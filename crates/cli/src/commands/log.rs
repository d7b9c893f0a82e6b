//! `anyhook log`: shows what agents tried and what the hooks answered, one line each.

mod keeping;
mod row;
mod wanted;

use std::path::{Path, PathBuf};

use anyhook::core::ports::StoreError;
use anyhook::core::report::Report;
use anyhook::stores::{Filter, Jsonl, RecordCursor, RecordDetail};
use anyhook::world::World;
use clap::Args;

use super::{CommandMode, CommandSpec, asks, export, import, stats};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui;

pub(crate) use row::row;
pub(crate) use wanted::{LogFilter, moment, project};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("log", LogArgs, run, MODES);

/// What a person reads where no report is stored.
pub(super) const NOTHING: &str = "no event is recorded yet\n\
                                  help: anyhook install lets agents ask your hooks; anyhook doctor says whether they do\n";

const MODES: &[CommandMode] = &[
    asks("stats", &["since", "host", "project", "json"]),
    asks("verify", &["json"]),
    asks("purge", &["until", "session", "project", "json"]),
    asks("import", &["json"]),
    asks(
        "export",
        &[
            "since", "until", "said", "hook", "host", "project", "tool", "session",
        ],
    ),
    asks(
        "",
        &[
            "since", "until", "said", "hook", "host", "project", "tool", "session", "lines",
            "follow", "json",
        ],
    ),
];

/// List what agents tried, and what the hooks answered
#[derive(Args)]
#[command(after_help = include_str!("help/log.txt"))]
struct LogArgs {
    /// Texts that a record must have; or stats, verify, purge, import or export
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// How many of the newest records to show
    #[arg(short = 'n', value_name = "N", value_parser = many, default_value = "20")]
    lines: usize,
    #[command(flatten)]
    part: LogFilter,
    /// Keep running, and show events as they happen
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    form: JsonFlag,
}

fn many(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "a whole number such as 50 is needed".to_owned())
}

/// Opens the store of this machine.
pub(crate) fn store() -> Result<Jsonl, CliError> {
    let world = World::real();
    let reports = error::places(&world)?.reports();
    Ok(Jsonl::new(reports, RecordDetail::Verdicts))
}

/// Opens the store of this machine as it is configured, to add to it.
pub(crate) fn kept(world: &World) -> Result<Jsonl, CliError> {
    let record = world.config().record.clone().map_err(|error| {
        CliError::new(Exit::Config, "the settings of the record cannot be used").because(error)
    })?;
    let store = record.store(world).filter(|_| world.places.is_some());
    store.ok_or_else(error::no_home)
}

/// Returns the folder in which the reports of the last demo are.
pub(super) fn demo_folder() -> Option<PathBuf> {
    World::real().places.map(|places| places.state.join("demo"))
}

/// The stored reports cannot be read.
pub(crate) fn unreadable(error: StoreError) -> CliError {
    CliError::new(Exit::Io, "the stored reports cannot be read").because(error)
}

fn run(args: &LogArgs) -> Result<Exit, CliError> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    let form = args.form;
    match &*words {
        ["stats"] => return stats::run(&args.part, form),
        ["verify"] => return keeping::verify(None, form),
        ["verify", heads] => return keeping::verify(Some(Path::new(heads)), form),
        ["purge"] => return keeping::purge(&args.part, form),
        ["import", hosts @ ..] => return import::run(hosts, form),
        ["export", "otlp", texts @ ..] => {
            let (to, texts) = match texts {
                [to, texts @ ..] if to.contains("://") => (Some(*to), texts),
                texts => (None, texts),
            };
            return export::otlp(&filter(args, texts)?, to);
        }
        ["export"] => return export::jsonl(&filter(args, &[])?),
        ["export", "jsonl", texts @ ..] => return export::jsonl(&filter(args, texts)?),
        ["export", format, ..] => {
            let problem = CliError::unknown("format", format, ["jsonl", "otlp"]);
            let help = "the formats are jsonl, before texts to look for, and otlp";
            return Err(problem.or_help(help.to_owned()));
        }
        [verb @ ("stats" | "verify" | "purge"), ..] => {
            let what = format!(
                "`anyhook log {verb}` does not take `{}`",
                words.get(1).unwrap_or(&"")
            );
            return Err(
                CliError::new(Exit::Usage, what).help("anyhook log --help shows what it takes")
            );
        }
        _ => {}
    }
    let store = store()?;
    let filter = filter(args, &words)?;
    let end = store.end();
    let found = store.search(&filter, args.lines).map_err(unreadable)?;
    written(&found.reports, form)?;
    if found.skipped > 0 {
        ui::err(&format!(
            "{} lines are no records: anyhook log verify\n",
            found.skipped
        ));
    }
    if args.follow {
        return follow(&store, &filter, form, end);
    }
    if found.reports.is_empty() && args.lines > 0 {
        ui::err(if filter == Filter::default() {
            NOTHING
        } else {
            NONE_FITS
        });
    }
    Ok(Exit::Done)
}

/// Returns what the store is asked for; several texts must all be there.
fn filter(args: &LogArgs, texts: &[&str]) -> Result<Filter, CliError> {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    Ok(Filter {
        texts,
        ..args.part.filter()?
    })
}

/// What a person reads where records are stored, and none is wanted.
const NONE_FITS: &str = "no record fits all of this\nhelp: anyhook log lists the newest of all\n";

fn written(reports: &[Report], form: JsonFlag) -> Result<(), CliError> {
    let mut reports = reports.iter();
    reports.try_for_each(|report| form.say_one(report, |report| row(report) + "\n"))
}

/// Follows the store until the reader goes away.
fn follow(
    store: &Jsonl,
    filter: &Filter,
    form: JsonFlag,
    mut place: RecordCursor,
) -> Result<Exit, CliError> {
    while !reader_is_gone() {
        let news = store
            .news(&mut place, filter, usize::MAX)
            .map_err(unreadable)?;
        written(&news.reports, form)?;
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
