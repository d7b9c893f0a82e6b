//! `anyhook test`: the tests of hook packages, by the very line that agents call.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhook::world::World;
use anyhook_testing::{How, Last, Network, Scope, Selection, Stop};
use clap::Args;

use super::run::known_event;
use super::{Mode, Row, attack, bench};
use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::tested::{Page, Running, Todo, Wanted, bless, network};
use crate::thorough::Asked;

/// The row.
pub(crate) const ROW: Row = verb!("test", TestArgs, run, MODES);

/// The forms in which results are written.
const FORMATS: [&str; 4] = ["pretty", "json", "junit", "github"];

/// Run the tests of hook packages
#[derive(Args)]
#[command(
    after_help = "Examples:\n  anyhook test\n  anyhook test examples --tool Bash -j 4\n  \
             anyhook test --case 'secret-*' --report junit=report.xml\n\n\
             Exit code: 0 if all cases passed, 1 if one failed, 2 if a file is wrong (the other files ran), 4 if there was \
             nothing to run."
)]
struct TestArgs {
    /// A package, a folder of packages, or a file of cases [default: .]
    #[arg(default_value = ".", hide_default_value = true)]
    path: Vec<PathBuf>,
    /// Run the tests of hooks, which is the only kind
    #[arg(long, hide = true)]
    hooks: bool,
    /// Run this case: its name, the name of its file without the ending, or a pattern with *
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,
    /// Run the cases of this event, in any spelling
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Run the cases with this tag
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Run the cases about this tool, by any of its names
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// Run the cases that failed last time
    #[arg(long)]
    failed: bool,
    /// Write the real results as expectations, and show each change; never in CI
    #[arg(long, conflicts_with_all = ["list", "coverage", "threshold", "mutate"])]
    bless: bool,
    /// Let hooks use the network
    #[arg(long)]
    net: bool,
    /// List the cases, and run none of them
    #[arg(long)]
    list: bool,
    /// Run this many cases at once [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = count)]
    jobs: Option<NonZeroUsize>,
    /// Stop at the first case that fails
    #[arg(long)]
    fail_fast: bool,
    /// Run each case this often; it fails if its results differ [default: 1]
    #[arg(long, value_name = "N", value_parser = count)]
    repeat: Option<NonZeroUsize>,
    /// Also name the cases that pass
    #[arg(short, long)]
    verbose: bool,
    /// The form of the results: pretty, json, junit or github [default: pretty]
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS, default_value = "pretty", hide_default_value = true, hide_possible_values = true)]
    format: String,
    /// Also write the results into a file, in this form
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<String>,
    /// Show which hooks, outcomes and branches the cases cover
    #[arg(long)]
    coverage: bool,
    /// Fail if the coverage is below this, from 0 to 100
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    threshold: Option<f64>,
    /// Break each hook in turn, and fail if no case notices
    #[arg(long)]
    mutate: bool,
    /// Look for ways round the refusals, and prove each with real bash; fail if there is one
    #[arg(long)]
    attack: bool,
    /// Ask about ordinary command lines, and list those that are refused; fail over 1 % [default: a built-in list]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "", conflicts_with = "attack")]
    ordinary: Option<String>,
    /// Time each hook, without network; --repeat says how often [default: 20]
    #[arg(long)]
    time: bool,
    /// With --attack: how many ways, or how long (1000, 30s); with --time: fail if the p95 of a hook is over this (20ms)
    #[arg(long, value_name = "COUNT or TIME")]
    budget: Option<String>,
    /// With --attack: the seed from which the ways are made [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

const MODES: &[Mode] = &[
    Mode {
        word: "--attack",
        flags: &["path", "budget", "seed", "json"],
    },
    Mode {
        word: "--ordinary",
        flags: &["path", "json"],
    },
    Mode {
        word: "--time",
        flags: &["path", "repeat", "budget", "json"],
    },
    Mode {
        word: "",
        flags: &[
            "path",
            "hooks",
            "case",
            "event",
            "tag",
            "tool",
            "failed",
            "bless",
            "net",
            "list",
            "jobs",
            "fail_fast",
            "repeat",
            "verbose",
            "format",
            "json",
            "report",
            "coverage",
            "threshold",
            "mutate",
        ],
    },
];

/// Reads how often, or how many at once.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "it is a whole number from 1 up".to_owned())
}

fn run(args: &TestArgs) -> Result<Exit, Problem> {
    let form = Form::of(args.format == "json");
    let limit = args.budget.as_deref();
    if args.attack {
        return attack::run(&args.path, limit, args.seed, form);
    }
    if let Some(file) = &args.ordinary {
        return attack::play(&args.path, file.as_ref(), form);
    }
    if args.time {
        return bench::run(&args.path, args.repeat, limit, form);
    }
    let mut wanted = wanted(args)?;
    if wanted.todo == Todo::Bless {
        bless::allowed()?;
    }
    // Before this process has a second thread.
    let network = if args.net || wanted.todo == Todo::List {
        Network::Allowed
    } else {
        network::isolate()
    };
    wanted.how.network = network.clone();
    let world = World::real();
    let places = world.places.as_ref();
    let last = places.map(|places| Last::new(&places.state, &world.cwd));
    let page = Page {
        is_verbose: args.verbose,
        network,
    };
    Running::new(wanted, last, page).go()
}

fn wanted(args: &TestArgs) -> Result<Wanted, Problem> {
    let todo = [(args.list, Todo::List), (args.bless, Todo::Bless)];
    let todo = todo.into_iter().find(|(is_wanted, _)| *is_wanted);
    let todo = todo.map_or(Todo::Run, |(_, todo)| todo);
    Ok(Wanted {
        paths: args.path.clone(),
        is_whole: scope(args) == Scope::Everything,
        selection: selection(args)?,
        is_failed: args.failed,
        how: how(args, todo),
        todo,
        thorough: Asked::new(
            args.coverage,
            args.threshold,
            args.mutate.then(|| scope(args)),
        ),
        format: args.format.clone(),
        reports: reports(args)?,
    })
}

fn how(args: &TestArgs, todo: Todo) -> How {
    let usual = How::default();
    let repeat = args.repeat.unwrap_or(usual.repeat);
    How {
        jobs: args.jobs.unwrap_or(usual.jobs),
        stop: if args.fail_fast {
            Stop::AtTheFirstFailure
        } else {
            Stop::AtTheEnd
        },
        // What differs between two runs is nothing to expect.
        repeat: match todo {
            Todo::Bless => repeat.max(TWICE),
            Todo::Run | Todo::List => repeat,
        },
        program: std::env::current_exe().ok(),
        ..usual
    }
}

/// How often a case is run at least before its expectations are written.
const TWICE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

fn selection(args: &TestArgs) -> Result<Selection, Problem> {
    for event in &args.event {
        known_event(event)?;
    }
    Ok(Selection {
        cases: args.case.clone(),
        events: args.event.clone(),
        tags: args.tag.clone(),
        tools: args.tool.clone(),
        only: None,
    })
}

/// Reads `junit=FILE`.
fn reports(args: &TestArgs) -> Result<Vec<(String, PathBuf)>, Problem> {
    let report = |text: &String| match text.split_once('=') {
        Some((format, file)) if FORMATS.contains(&format) && !file.is_empty() => {
            Ok((format.to_owned(), PathBuf::from(file)))
        }
        Some(_) | None => Err(
            Problem::new(Exit::Usage, format!("`{text}` is no report")).help(format!(
                "write FORMAT=FILE, with one of {}",
                FORMATS.join(", ")
            )),
        ),
    };
    args.report.iter().map(report).collect()
}

fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "a percentage is a number from 0 to 100".to_owned())
}

/// A person who chose cases asks about the hooks of these cases; every other one about all hooks.
fn scope(args: &TestArgs) -> Scope {
    let chosen = [&args.case, &args.event, &args.tag, &args.tool];
    let is_file = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| end == "yaml" || end == "yml")
    };
    let is_part = args.failed || args.path.iter().any(is_file);
    if is_part || chosen.iter().any(|chosen| !chosen.is_empty()) {
        Scope::Reached
    } else {
        Scope::Everything
    }
}
