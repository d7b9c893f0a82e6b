//! `anyhook test`: the tests of hook packages, by the very line that agents call.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhook::world::World;
use anyhook_testing::{MutationScope, NetworkAccess, Selection, TestOptions, read};
use clap::Args;

use super::run::known_event;
use super::{CommandSpec, attack, bench, check};
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::tested::{SuiteRunner, bless, interrupts, list, network};
use crate::thorough::ThoroughResult;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("test", TestArgs, run);

/// What only a run of the cases takes.
const OF_RUNS: [&str; 9] = [
    "hooks", "case", "event", "bless", "net", "list", "verbose", "coverage", "mutate",
];

/// The forms in which results are written.
const FORMATS: [&str; 4] = ["pretty", "json", "junit", "github"];

/// Run the tests of hook packages
#[derive(Args)]
#[command(after_help = include_str!("help/test.txt"))]
struct TestArgs {
    /// A package, a folder of packages, or a file of cases [default: .]
    #[arg(default_value = ".", hide_default_value = true)]
    path: Vec<PathBuf>,
    /// Run the tests of hooks, which is the only kind
    #[arg(long, hide = true)]
    hooks: bool,
    /// Run this case: its name, the name of its file without the ending, a pattern with *, or tool:NAME
    #[arg(long, value_name = "NAME")]
    case: Vec<String>,
    /// Run the cases of this event, in any spelling
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Write the real results as expectations, and show each change; never in CI
    #[arg(long, conflicts_with_all = ["list", "coverage", "mutate"])]
    bless: bool,
    /// Let hooks use the network
    #[arg(long)]
    net: bool,
    /// List the cases, and run none of them
    #[arg(long)]
    list: bool,
    /// Run each case this often; it fails if its results differ [default: 1]
    #[arg(long, value_name = "N", value_parser = count)]
    repeat: Option<NonZeroUsize>,
    /// Also name the cases that pass
    #[arg(short, long)]
    verbose: bool,
    /// The form of the results: pretty, json, junit or github [default: pretty]
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS, default_value = "pretty", hide_default_value = true, hide_possible_values = true)]
    format: String,
    /// Show which hooks, outcomes and branches the cases cover; =90: fail below 90 %
    #[arg(long, value_name = "PERCENT", value_parser = percent, num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    coverage: Option<f64>,
    /// Break each hook in turn, and fail if no case notices
    #[arg(long)]
    mutate: bool,
    /// Look for ways round the refusals, 1000 or as many as you say; prove each with real bash, and fail if there is one
    #[arg(long, value_name = "COUNT", value_parser = count, conflicts_with_all = OF_RUNS, num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    attack: Option<NonZeroUsize>,
    /// Time each hook, 20 times or as often as --repeat says
    #[arg(long, conflicts_with_all = OF_RUNS, conflicts_with = "attack")]
    time: bool,
}

/// Reads how often, or how many at once.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "it is a whole number from 1 up".to_owned())
}

fn run(args: &TestArgs) -> Result<Exit, CliError> {
    let form = JsonFlag::of(args.format == "json");
    if let Some(ways) = args.attack {
        return attack::run(&args.path, ways.get(), form);
    }
    if args.time {
        return bench::run(&args.path, args.repeat, form);
    }
    let selection = selection(args)?;
    if args.bless {
        bless::allowed()?;
    }
    // Before this process has a second thread.
    let network = if args.net || args.list {
        NetworkAccess::Allowed
    } else {
        network::isolate()
    };
    let mut suite = read(&args.path);
    let is_empty = suite.packages.is_empty() && suite.cases.is_empty();
    if is_empty && *args.path == [PathBuf::from(".")] {
        // From a folder below, the project's are meant, as `anyhook list` shows them.
        let above = check::above(&World::real());
        suite = above.map_or(suite, |project| read(&[project]));
    }
    selection.narrow(&mut suite);
    if args.list {
        return list(&suite, &args.format);
    }
    // What differs between two runs is nothing to expect.
    let least = if args.bless { TWICE } else { NonZeroUsize::MIN };
    let how = TestOptions {
        repeat: args.repeat.map_or(least, |repeat| repeat.max(least)),
        network,
        program: std::env::current_exe().ok(),
        interrupted: interrupts(),
        ..TestOptions::default()
    };
    let running = SuiteRunner {
        how: &how,
        format: &args.format,
        is_verbose: args.verbose,
    };
    let ran = running.play(&suite)?;
    let scope = args.mutate.then(|| scope(args));
    let exit = running.tell(
        &suite,
        &ran,
        &ThoroughResult::look(args.coverage, scope, &suite, &ran, &how),
    )?;
    let exit = if args.bless {
        bless::write(&ran)?
    } else {
        exit
    };
    if how.interrupted.load(Ordering::Relaxed) {
        // Everything is tidy now: the signal does what it would have done.
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
    }
    Ok(exit)
}

/// How often a case is run at least before its expectations are written.
const TWICE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

fn selection(args: &TestArgs) -> Result<Selection, CliError> {
    for event in &args.event {
        known_event(event)?;
    }
    let mut selection = Selection {
        events: args.event.clone(),
        ..Selection::default()
    };
    for case in &args.case {
        match case.split_once(':') {
            Some(("tool", tool)) => selection.tools.push(tool.to_owned()),
            _ => selection.cases.push(case.clone()),
        }
    }
    Ok(selection)
}

fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "a percentage is a number from 0 to 100".to_owned())
}

/// A person who chose cases asks about the hooks of these cases; every other one about all hooks.
fn scope(args: &TestArgs) -> MutationScope {
    let chosen = [&args.case, &args.event];
    let is_file = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| end == "yaml" || end == "yml")
    };
    let is_part = args.path.iter().any(is_file);
    if is_part || chosen.iter().any(|chosen| !chosen.is_empty()) {
        MutationScope::Reached
    } else {
        MutationScope::Everything
    }
}
