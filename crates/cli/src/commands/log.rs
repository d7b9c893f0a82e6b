//! `anyhook log`: shows what agents tried and what the hooks answered, one line each.

mod keeping;
mod row;
mod wanted;

use std::path::{Path, PathBuf};

use anyhook::core::ports::StoreError;
use anyhook::core::report::Report;
use anyhook::stores::{Filter, Jsonl, Keep, Place};
use anyhook::world::World;
use clap::{Args, ValueEnum};

use super::{Mode, Row, export, import, stats};
use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::ui;

pub(crate) use row::row;
pub(crate) use wanted::{Part, moment};

/// The row.
pub(crate) const ROW: Row = verb!("log", LogArgs, run, MODES);

/// What a person reads where no report is stored.
pub(super) const NOTHING: &str = "no event is recorded yet\n\
                                  help: anyhook install lets agents ask your hooks; anyhook doctor says whether they do\n";

const MODES: &[Mode] = &[
    Mode {
        word: "stats",
        flags: &["since", "host", "project", "json"],
    },
    Mode {
        word: "verify",
        flags: &["json"],
    },
    Mode {
        word: "purge",
        flags: &["until", "session", "project", "json"],
    },
    Mode {
        word: "import",
        flags: &["home", "json"],
    },
    Mode {
        word: "export",
        flags: &[
            "since", "until", "said", "hook", "host", "project", "tool", "session", "to",
        ],
    },
    Mode {
        word: "",
        flags: &[
            "since", "until", "said", "hook", "host", "project", "tool", "session", "lines",
            "follow", "format", "json",
        ],
    },
];

/// List what agents tried, and what the hooks answered
#[derive(Args)]
#[command(
    after_help = "  anyhook log stats            count refusals, questions and faults, and time the hooks\n  \
             anyhook log verify [HEADS]   check each record against the chain, and the heads in a file\n  \
             anyhook log purge            remove the records that fit --until, --session and --project\n  \
             anyhook log import [AGENT]   add the calls of agents' transcripts, each once\n  \
             anyhook log export [TEXT]    write records as JSON lines, with the head of the chain\n  \
             anyhook log export otlp      send what is new to a receiver (OTLP over HTTP)\n\n\
             Examples:\n  anyhook log --said deny --since 2h\n  anyhook log --tool Bash 'git push'\n  \
             anyhook log --follow\n  anyhook log purge --until 90d"
)]
struct LogArgs {
    /// Texts that a record must have; or stats, verify, purge, import or export
    #[arg(value_name = "TEXT")]
    words: Vec<String>,
    /// How many of the newest records to show
    #[arg(short = 'n', value_name = "N", value_parser = many, default_value = "20")]
    lines: usize,
    #[command(flatten)]
    part: Part,
    /// Keep running, and show events as they happen
    #[arg(long)]
    follow: bool,
    /// With export: the file to write, or the address of the receiver
    #[arg(long, value_name = "FILE or URL")]
    to: Option<String>,
    /// With import: the home folder with the agents' folders [default: your own]
    #[arg(long, value_name = "FOLDER")]
    home: Option<PathBuf>,
    /// text, json (a line each) or csv
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        hide_possible_values = true
    )]
    format: As,
}

/// How records are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum As {
    Text,
    Json,
    Csv,
}

fn many(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "a whole number such as 50 is needed".to_owned())
}

/// Opens the store of this machine.
pub(crate) fn store() -> Result<Jsonl, Problem> {
    let places = World::real().places;
    let places = places.map_or_else(store_without_home, Ok)?;
    Ok(Jsonl::new(places.reports(), Keep::Verdicts))
}

/// Opens the store of this machine as it is configured, to add to it.
pub(crate) fn kept(world: &World) -> Result<Jsonl, Problem> {
    let record = world.config().record.clone().map_err(|error| {
        Problem::new(Exit::Config, "the settings of the record cannot be used").because(error)
    })?;
    let store = record.store(world).filter(|_| world.places.is_some());
    store.map_or_else(store_without_home, Ok)
}

pub(super) fn store_without_home<T>() -> Result<T, Problem> {
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

fn run(args: &LogArgs) -> Result<Exit, Problem> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    let form = Form::of(args.format == As::Json);
    match &*words {
        ["stats"] => return stats::run(&args.part, form),
        ["verify"] => return keeping::verify(None, form),
        ["verify", heads] => return keeping::verify(Some(Path::new(heads)), form),
        ["purge"] => return keeping::purge(&args.part, form),
        ["import", hosts @ ..] => return import::run(hosts, args.home.as_deref(), form),
        ["export", "otlp", texts @ ..] => {
            return export::otlp(filter(args, texts)?, args.to.as_deref());
        }
        ["export", "jsonl", texts @ ..] | ["export", texts @ ..] => {
            return export::jsonl(filter(args, texts)?, args.to.as_deref());
        }
        [verb @ ("stats" | "verify" | "purge"), ..] => {
            let what = format!(
                "`anyhook log {verb}` does not take `{}`",
                words.get(1).unwrap_or(&"")
            );
            return Err(
                Problem::new(Exit::Usage, what).help("anyhook log --help shows what it takes")
            );
        }
        _ => {}
    }
    let store = store()?;
    let filter = filter(args, &words)?;
    let (follows, format) = (args.follow, args.format);
    let end = store.end();
    let found = store.search(&filter, args.lines).map_err(unreadable)?;
    if format == As::Csv {
        ui::raw(row::COLUMNS)?;
    }
    let lines: Vec<String> = found
        .reports
        .iter()
        .map(|report| line(report, format))
        .collect();
    match format {
        As::Text => ui::out(&lines.concat())?,
        As::Json | As::Csv => ui::raw(&lines.concat())?,
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
fn filter(args: &LogArgs, texts: &[&str]) -> Result<Filter, Problem> {
    let texts = texts.iter().map(|text| (*text).to_owned()).collect();
    Ok(Filter {
        texts,
        ..args.part.filter()?
    })
}

/// What a person reads where records are stored, and none is wanted.
const NONE_FITS: &str = "no record fits all of this\nhelp: anyhook log lists the newest of all\n";

fn line(report: &Report, format: As) -> String {
    match format {
        As::Json => {
            // Every report can be written: it was read.
            let text = serde_json::to_string(report).unwrap_or_default();
            format!("{text}\n")
        }
        As::Csv => row::csv(report),
        As::Text => row(report) + "\n",
    }
}

/// Follows the store until the reader goes away.
fn follow(store: &Jsonl, filter: &Filter, format: As, mut place: Place) -> Result<Exit, Problem> {
    while !reader_is_gone() {
        let news = store.news(&mut place, filter).map_err(unreadable)?;
        let lines: String = news
            .reports
            .iter()
            .map(|report| line(report, format))
            .collect();
        if format == As::Text {
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
