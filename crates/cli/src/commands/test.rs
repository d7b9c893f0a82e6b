//! `anyhook test`: the tests of hook packages, by the very line that agents call.

use std::io::{IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhook::world::World;
use anyhook_testing::{How, Last, Ran, Selection, Stop, Suite, Tally, formats};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::run::known_event;
use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::tested::{self, Page};
use crate::thorough::{self, Thorough};
use crate::ui;

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
        arg.value_parser(value_parser!(NonZeroUsize))
    };
    command
        .about("Run the tests of hook packages: fixtures and cases beside the hooks")
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
                .help("Write pretty, json, junit or github [default: pretty]"),
        )
        .arg(many("report", "FORMAT=FILE", "Write this form into a file too"))
        .args(thorough::args())
        .after_help(
            "Examples:\n  anyhook test\n  anyhook test examples --tool Bash -j 4\n  \
             anyhook test --case 'secret-*' --report junit=report.xml\n\n\
             Ends with 0 where all passed, 1 where a case failed, 2 where a file is wrong (all others ran), 4 where \
             there was nothing to run.",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let reports = reports(args)?;
    let world = World::real();
    let last = world
        .places
        .as_ref()
        .map(|places| Last::new(&places.state, &world.cwd));
    let mut suite = anyhook_testing::read(&paths(args));
    selection(args, last.as_ref())?.narrow(&mut suite);
    let format = args
        .get_one::<String>("format")
        .map_or("pretty", String::as_str);
    if args.get_flag("list") {
        return list(&suite, format);
    }
    let page = Page {
        is_verbose: args.get_flag("verbose"),
    };
    let how = how(args);
    let ran = play(&how, &suite, format, &page)?;
    if let Some(last) = &last {
        // Without this memory `--failed` runs what failed before: a test does not fail by it.
        let _ = last.remember(&ran);
    }
    let thorough = Thorough::look(args, &suite, &ran, &how);
    if format == "pretty" {
        ui::err(&tested::problems(&suite.problems));
        ui::out(&page.summary(&ran, &suite.problems))?;
        ui::out(&thorough.page())?;
    } else {
        ui::raw(&written(format, &ran, &suite, &thorough))?;
        thorough.tell_beside(format);
    }
    for (format, file) in reports {
        std::fs::write(&file, written(&format, &ran, &suite, &thorough)).map_err(|error| {
            Problem::new(
                Exit::CannotCreate,
                format!("cannot write `{}`", file.display()),
            )
            .because(error)
        })?;
    }
    let tally = Tally::of(&ran, suite.problems.len());
    Ok(Exit::Tested(thorough.exit(tally)))
}

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

fn selection(args: &ArgMatches, last: Option<&Last>) -> Result<Selection, Problem> {
    let events = texts(args, "event");
    for event in &events {
        known_event(event)?;
    }
    Ok(Selection {
        cases: texts(args, "case"),
        events,
        tags: texts(args, "tag"),
        tools: texts(args, "tool"),
        only: args
            .get_flag("failed")
            .then(|| last.map(Last::failed).unwrap_or_default()),
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

fn how(args: &ArgMatches) -> How {
    let number = |name: &str| args.get_one::<NonZeroUsize>(name).copied();
    let usual = How::default();
    How {
        jobs: number("jobs").unwrap_or(usual.jobs),
        stop: if args.get_flag("fail-fast") {
            Stop::AtTheFirstFailure
        } else {
            Stop::AtTheEnd
        },
        repeat: number("repeat").unwrap_or(usual.repeat),
        program: std::env::current_exe().ok(),
    }
}

fn play(how: &How, suite: &Suite, format: &str, page: &Page) -> Result<Vec<Ran>, Problem> {
    let is_live = format == "pretty";
    let bar = Bar::new(suite.cases.len(), is_live);
    let (mut count, mut trouble) = (0, None);
    let ran = anyhook_testing::run(&suite.cases, how, &mut |ran| {
        count += 1;
        bar.clear();
        if is_live {
            let told = ui::out(&page.one(ran));
            trouble = trouble.take().or(told.err());
        }
        bar.draw(count);
    });
    bar.clear();
    trouble.map_or(Ok(ran), Err)
}

fn written(format: &str, ran: &[Ran], suite: &Suite, thorough: &Thorough) -> String {
    match format {
        "json" => {
            let mut all = formats::json(ran, &suite.problems);
            thorough.add_to(&mut all, Tally::of(ran, suite.problems.len()));
            format!("{all:#}\n")
        }
        "junit" => formats::junit(ran, &suite.problems),
        "github" => formats::github(ran, &suite.problems) + &thorough.annotations(),
        _ => formats::plain(ran, &suite.problems),
    }
}

fn list(suite: &Suite, format: &str) -> Result<Exit, Problem> {
    if format == "json" {
        ui::raw(&format!(
            "{:#}\n",
            formats::list(&suite.cases, &suite.problems)
        ))?;
    } else {
        ui::err(&tested::problems(&suite.problems));
        ui::out(&tested::list(&suite.cases))?;
    }
    let code = match (suite.problems.is_empty(), suite.cases.is_empty()) {
        (false, _) => 2,
        (true, true) => 4,
        (true, false) => 0,
    };
    Ok(Exit::Tested(code))
}

/// The line that counts, on a terminal only.
struct Bar {
    of: usize,
    is_drawn: bool,
}

impl Bar {
    fn new(of: usize, is_live: bool) -> Self {
        Self {
            of,
            is_drawn: is_live && std::io::stderr().is_terminal(),
        }
    }

    fn draw(&self, count: usize) {
        if self.is_drawn && count < self.of {
            ui::err(&ui::paint(ui::DIM, &format!("  {count} of {}", self.of)));
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.is_drawn {
            ui::err("\r\u{1b}[2K");
        }
    }
}
