//! `anyhook test --attack`: looks for ways round the refusals of a hook package, and proves each with real bash.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook::world::World;
use anyhook_testing::attack::{Attack, Attacked, CannotAttack, Found, Ordinary, attack, ordinary};
use anyhook_testing::{Suite, read};

use super::run::listen;
use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::tested::{network, problems};
use crate::ui::{self, paint, short, visible};

/// What agents type on an ordinary day, and what builds, tests and runs a project.
const LINES: [&str; 4] = [
    include_str!("../../../../fixtures/lines/everyday.txt"),
    include_str!("../../../../fixtures/lines/everyday-more.txt"),
    include_str!("../../../../fixtures/lines/builds.txt"),
    include_str!("../../../../fixtures/lines/builds-more.txt"),
];
/// The greatest part of ordinary lines that may be refused, in percent.
const MOST_REFUSED: f64 = 1.0;

/// Reads packages; says what is wrong with them, if anything is.
fn begun(packages: &[PathBuf]) -> Option<(World, Suite)> {
    // Before this process has a second thread: hooks reach no network.
    network::isolate();
    let world = World::real();
    listen(&world);
    let suite = read(packages);
    if suite.problems.is_empty() {
        return Some((world, suite));
    }
    ui::err(&problems(&suite.problems));
    None
}

/// Looks for ways round the refusals of packages.
pub(super) fn run(packages: &[PathBuf], limit: &str, form: Form) -> Result<Exit, Problem> {
    let ways = limit.parse().ok().filter(|ways| *ways > 0);
    let ways = ways.ok_or_else(|| {
        Problem::new(
            Exit::Usage,
            "`--attack` takes a number of ways, such as 1000",
        )
    })?;
    let Some((world, suite)) = begun(packages) else {
        return Ok(Exit::Data);
    };
    let asked = Attack {
        ways,
        seed: 1,
        program: program()?,
        interrupted: Arc::clone(&world.interrupted),
    };
    let attacked = attack(&suite, &asked).map_err(|error| failed(&error))?;
    form.say(&attacked, page)?;
    let was_tried = attacked.targets.iter().any(|tally| tally.tried > 0);
    Ok(if attacked.found.is_empty() && was_tried {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// Plays ordinary lines through the hooks of packages: those of a file, or ours where it has no name.
pub(super) fn play(packages: &[PathBuf], file: &Path, form: Form) -> Result<Exit, Problem> {
    let Some((world, suite)) = begun(packages) else {
        return Ok(Exit::Data);
    };
    let own = (!file.as_os_str().is_empty()).then(|| std::fs::read_to_string(file));
    let own = own
        .transpose()
        .map_err(|error| Problem::unreadable(file, error))?;
    let texts = own.as_deref().map_or(LINES.to_vec(), |own| vec![own]);
    let went = ordinary(&suite, &texts, &program()?, &world.interrupted);
    let went = went.map_err(|error| failed(&error))?;
    if went.lines == 0 {
        let what = "there is no line to play, or no package whose hooks could judge it";
        return Err(Problem::new(Exit::Config, what).help(
            "name a folder with hooks/hooks.json, and a file with one line for each command",
        ));
    }
    form.say(&went, list)?;
    Ok(if went.share() > MOST_REFUSED {
        Exit::Negative
    } else {
        Exit::Done
    })
}

fn program() -> Result<PathBuf, Problem> {
    std::env::current_exe().map_err(|error| {
        Problem::new(Exit::Io, "the program `anyhook` cannot be found").because(error)
    })
}

fn failed(error: &CannotAttack) -> Problem {
    let help = match error {
        CannotAttack::NoTarget(left_out) if left_out.is_empty() => {
            "write a case in hooks/tests/cases that expects `decision: deny` of a shell command or of a file: anyhook help test".to_owned()
        }
        CannotAttack::NoTarget(left_out) => left_out.join("\n"),
        CannotAttack::NoBox(_) => {
            "it needs Linux with user, mount, network and process namespaces for this user"
                .to_owned()
        }
        _ => "it needs git, and a temporary folder that can be written".to_owned(),
    };
    let problem = Problem::new(Exit::Config, error.to_string()).help(help);
    match std::error::Error::source(error) {
        Some(cause) => problem.because(std::io::Error::other(cause.to_string())),
        None => problem,
    }
}

/// What was aimed at, what was found, and the sum.
fn page(attacked: &Attacked) -> String {
    let rows = attacked.targets.iter().map(|tally| {
        let went = match (tally.reached, tally.tried) {
            (_, 0) => "not tried",
            (0, _) => "held",
            (_, _) => "round",
        };
        let counts = [tally.tried, tally.refused, tally.reached, tally.missed];
        let counts = counts.map(|count| count.to_string());
        let aim = format!("{}  ({})", tally.effect, tally.case);
        [vec![went.to_owned()], counts.to_vec(), vec![visible(&aim)]].concat()
    });
    let head = [
        "",
        "ways",
        "refused",
        "reach it",
        "pass and miss",
        "effect, and the case that refuses it",
    ];
    let mut text = ui::table(&head, &rows.collect::<Vec<_>>());
    for why in &attacked.left_out {
        text.push_str(&ui::wrapped(
            "",
            &format!("left out  {}", visible(&short(why, 200))),
        ));
    }
    for found in &attacked.found {
        text.push_str(&found_shown(found));
    }
    text + &sum(attacked)
}

/// How many ways were tried, and how many of them go round.
fn sum(attacked: &Attacked) -> String {
    let tried: usize = attacked.targets.iter().map(|tally| tally.tried).sum();
    let (mark, rest) = match attacked.found.len() {
        _ if tried == 0 => (
            paint(ui::ASK, "✗ nothing was tried"),
            "; try more: --attack=5000",
        ),
        0 => (paint(ui::PASS, "✓ no way found"), ""),
        many => (paint(ui::DENY, &format!("✗ {many} ways round")), ""),
    };
    format!("{mark}  {tried} ways tried{rest}\n")
}

fn found_shown(found: &Found) -> String {
    let mark = paint(ui::DENY, "proved");
    let mut text = format!(
        "\n{mark}  {}  {}\n",
        paint(ui::BOLD, &visible(&found.effect)),
        visible(&found.by.join(", "))
    );
    for line in found.shown().lines() {
        let _ = writeln!(text, "    {}", visible(line));
    }
    let _ = writeln!(
        text,
        "  {}",
        paint(
            ui::DIM,
            &format!("the case to add, {}:", visible(&found.file))
        )
    );
    for line in found.text.lines() {
        let _ = writeln!(text, "    {}", visible(line));
    }
    text
}

/// The ordinary lines that are refused.
fn list(went: &Ordinary) -> String {
    let rows = went.refused.iter().map(|refused| {
        let by = match &*refused.by {
            [] => "anyhook".to_owned(),
            by => visible(&by.join(", ")),
        };
        vec![
            refused.verdict.to_string(),
            by,
            visible(&refused.line.replace('\n', "⏎")),
        ]
    });
    let rows: Vec<_> = rows.collect();
    let style = if rows.is_empty() { ui::PASS } else { ui::ASK };
    let (refused, lines) = (rows.len(), went.lines);
    let sum = format!(
        "{refused} of {lines} lines are refused, {:.1} %",
        went.share()
    );
    let table = if rows.is_empty() {
        String::new()
    } else {
        ui::table(&["", "by", "line"], &rows)
    };
    format!("{table}{}\n", paint(style, &sum))
}
