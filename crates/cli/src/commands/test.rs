//! `anyhook test`: the tests of hook packages, by the very line that agents call.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhook::world::World;
use anyhook_testing::{How, Last, Network, Selection, Stop};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::run::known_event;
use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::tested::{Page, Running, Todo, Wanted, bless, network};
use crate::thorough;

/// The row.
pub(crate) const ROW: Row = Row {
    name: "test",
    describe,
    run: Run::Parsed(run),
};

/// The forms in which results are written.
const FORMATS: [&str; 4] = ["pretty", "json", "junit", "github"];

fn describe(command: Command) -> Command {
    let many = |name: &'static str, is: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name(is).help(help);
        arg.action(ArgAction::Append)
    };
    let number = |name: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N").help(help);
        arg.value_parser(count)
    };
    command
        .about("Run the tests of hook packages")
        .arg(
            Arg::new("PATH")
                .help("A package, a folder of packages, or a file of cases [default: .]")
                .num_args(0..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("hooks", "Run the tests of hooks; there are no others"))
        .arg(many("case", "NAME", "Run this case: its name, the stem of its file, or a pattern with *"))
        .arg(many("event", "NAME", "Run the cases of this event, in any spelling"))
        .arg(many("tag", "TAG", "Run the cases with this tag"))
        .arg(many("tool", "NAME", "Run the cases about this tool, by any name of it"))
        .arg(flag("failed", "Run what failed last time"))
        .arg(flag("changed", "Run what did not pass yet as it is now: its files, or its hooks, were changed"))
        .arg(flag("watch", "Run again what is affected, whenever a file is changed, until Ctrl-C")
                .conflicts_with_all(["list", "bless", "coverage", "threshold", "mutate"]))
        .arg(flag("bless", "Write what is expected from what happens, and show the change; never in CI")
                .conflicts_with_all(["list", "coverage", "threshold", "mutate"]))
        .arg(flag("net", "Let hooks reach the network"))
        .arg(flag(network::TRY, "Try whether the network can be cut").hide(true))
        .arg(flag("list", "List the cases and run none"))
        .arg(number("jobs", "Run so many at once [default: one for each processor]").short('j'))
        .arg(flag("fail-fast", "Stop at the first case that fails"))
        .arg(number("repeat", "Run each case so often; one that differs fails [default: 1]"))
        .arg(flag("verbose", "Name the cases that pass too").short('v'))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(FORMATS)
                .default_value("pretty")
                .hide_default_value(true)
                .hide_possible_values(true)
                .help("Write pretty, json, junit or github [default: pretty]"),
        )
        .arg(many("report", "FORMAT=FILE", "Write this form into a file too"))
        .args(thorough_args())
        .after_help(
            "Examples:\n  anyhook test\n  anyhook test examples --tool Bash -j 4\n  \
             anyhook test --case 'secret-*' --report junit=report.xml\n\n\
             Ends with 0 where all passed, 1 where a case failed, 2 where a file is wrong (all others ran), 4 where \
             there was nothing to run.",
        )
}

/// Reads how often, or how many at once.
fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "it is a whole number from 1 up".to_owned())
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    if args.get_flag(network::TRY) {
        return Ok(network::attempt());
    }
    let mut wanted = wanted(args)?;
    if wanted.todo == Todo::Bless {
        bless::allowed()?;
    }
    // Before this process has a second thread.
    let network = if args.get_flag("net") || wanted.todo == Todo::List {
        Network::Allowed
    } else {
        network::isolate()
    };
    wanted.how.network = network.clone();
    let world = World::real();
    let places = world.places.as_ref();
    let last = places.map(|places| Last::new(&places.state, &world.cwd));
    let page = Page {
        is_verbose: args.get_flag("verbose"),
        network,
    };
    Running::new(wanted, last, page).go()
}

fn wanted(args: &ArgMatches) -> Result<Wanted, Problem> {
    let todo = [
        ("list", Todo::List),
        ("watch", Todo::Watch),
        ("bless", Todo::Bless),
    ];
    let todo = todo.into_iter().find(|(name, _)| args.get_flag(name));
    let todo = todo.map_or(Todo::Run, |(_, todo)| todo);
    let format = args.get_one::<String>("format");
    Ok(Wanted {
        paths: paths(args),
        selection: selection(args)?,
        is_failed: args.get_flag("failed"),
        is_changed: args.get_flag("changed"),
        how: how(args, todo),
        todo,
        thorough: thorough::asked(args),
        format: format.map_or_else(|| "pretty".to_owned(), Clone::clone),
        reports: reports(args)?,
    })
}

fn how(args: &ArgMatches, todo: Todo) -> How {
    let number = |name: &str| args.get_one::<NonZeroUsize>(name).copied();
    let usual = How::default();
    let repeat = number("repeat").unwrap_or(usual.repeat);
    How {
        jobs: number("jobs").unwrap_or(usual.jobs),
        stop: if args.get_flag("fail-fast") {
            Stop::AtTheFirstFailure
        } else {
            Stop::AtTheEnd
        },
        // What differs between two runs is nothing to expect.
        repeat: match todo {
            Todo::Bless => repeat.max(TWICE),
            Todo::Run | Todo::List | Todo::Watch => repeat,
        },
        program: std::env::current_exe().ok(),
        ..usual
    }
}

/// How often a case is run at least before its expectations are written.
const TWICE: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

fn paths(args: &ArgMatches) -> Vec<PathBuf> {
    let given: Vec<PathBuf> = args
        .get_many("PATH")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if given.is_empty() {
        vec![PathBuf::from(".")]
    } else {
        given
    }
}

fn texts(args: &ArgMatches, name: &str) -> Vec<String> {
    args.get_many(name).into_iter().flatten().cloned().collect()
}

fn selection(args: &ArgMatches) -> Result<Selection, Problem> {
    let events = texts(args, "event");
    for event in &events {
        known_event(event)?;
    }
    Ok(Selection {
        cases: texts(args, "case"),
        events,
        tags: texts(args, "tag"),
        tools: texts(args, "tool"),
        only: None,
    })
}

/// Reads `junit=FILE`.
fn reports(args: &ArgMatches) -> Result<Vec<(String, PathBuf)>, Problem> {
    let report = |text: String| match text.split_once('=') {
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
    texts(args, "report").into_iter().map(report).collect()
}

/// The flags that say how thorough the tests are to be.
fn thorough_args() -> [Arg; 3] {
    [
        flag(
            "coverage",
            "Say which hooks, outcomes and branches the cases show",
        ),
        Arg::new("threshold")
            .long("threshold")
            .value_name("PERCENT")
            .value_parser(percent)
            .help("Fail where the coverage is below this; 0 to 100"),
        flag(
            "mutate",
            "Break each hook in turn, and fail where no case notices",
        ),
    ]
}

fn percent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number
        .filter(|number| (0.0..=100.0).contains(number))
        .ok_or_else(|| "a percentage is a number from 0 to 100".to_owned())
}
