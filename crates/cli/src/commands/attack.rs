//! `anyhook test --attack`: looks for ways round the refusals of a hook package, and proves each with real bash.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhook::files::with_causes;
use anyhook::world::World;
use anyhook_testing::attack::{AttackError, AttackOptions, AttackSummary, Bypass, attack};
use anyhook_testing::read;

use super::install::this_program;
use super::run::listen;
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::tested::{network, problems};
use crate::ui::{self, paint, short, visible};

/// Looks for ways round the refusals of packages.
pub(super) fn run(packages: &[PathBuf], ways: usize, form: JsonFlag) -> Result<Exit, CliError> {
    network::isolate();
    let world = World::real();
    listen(&world);
    let suite = read(packages);
    if !suite.problems.is_empty() {
        ui::err(&problems(&suite.problems));
        return Ok(Exit::Data);
    }
    let asked = AttackOptions {
        ways,
        seed: 1,
        program: this_program()?,
        interrupted: Arc::clone(&world.interrupted),
    };
    let attacked = attack(&suite, &asked).map_err(|error| failed(&error))?;
    form.say(&attacked, page)?;
    let was_tried = attacked.targets.iter().any(|tally| tally.tried > 0);
    Ok(Exit::from(attacked.found.is_empty() && was_tried))
}

fn failed(error: &AttackError) -> CliError {
    let help = match error {
        AttackError::NoTarget(left_out) if left_out.is_empty() => {
            "write a case in hooks/tests/cases that expects `decision: deny` of a shell command or of a file: anyhook help test".to_owned()
        }
        AttackError::NoTarget(left_out) => left_out.join("\n"),
        AttackError::NoBox(_) => {
            "it needs Linux with user, mount, network and process namespaces for this user"
                .to_owned()
        }
        _ => "it needs git, and a temporary folder that can be written".to_owned(),
    };
    CliError::new(Exit::Config, with_causes(error)).help(help)
}

/// What was aimed at, what was found, and the sum.
fn page(attacked: &AttackSummary) -> String {
    let rows = attacked.targets.iter().map(|tally| {
        let went = match (tally.reached, tally.tried) {
            (_, 0) => "not tried",
            (0, _) => "held",
            (_, _) => "round",
        };
        let counts = [tally.tried, tally.refused, tally.reached, tally.missed];
        let [tried, refused, reached, missed] = counts.map(|count| count.to_string());
        let aim = visible(&format!("{}  ({})", tally.effect, tally.case));
        [went.to_owned(), tried, refused, reached, missed, aim]
    });
    let head = "|ways|refused|reach it|pass and miss|effect, and the case that refuses it";
    let mut text = ui::table(head, rows);
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
fn sum(attacked: &AttackSummary) -> String {
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

fn found_shown(found: &Bypass) -> String {
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
