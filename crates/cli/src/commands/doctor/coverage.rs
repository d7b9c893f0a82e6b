//! `anyhook doctor --coverage`: which calls of tools passed no hook.

use anyhook::core::report::Outcome;
use anyhook::transcripts::{CallCoverage, MissedCalls, coverage, hosts};
use anyhook::world::World;

use crate::commands::log;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint};

/// Compares the transcripts of this person with the record. A call that ran without a hook ends it with 1.
pub(super) fn run(since: &str, form: JsonFlag) -> Result<Exit, CliError> {
    let since = log::moment(Some(since).filter(|since| !since.is_empty()))?;
    let world = World::real();
    let home = &error::places(&world)?.home;
    let store = log::kept(&world)?;
    let found = coverage(home, &store, since).map_err(log::unreadable)?;
    form.say(&found, page)?;
    let is_open = found.missed.iter().any(is_hole);
    Ok(Exit::from(!is_open))
}

/// A call that was refused or has no result did nothing without a hook.
fn is_hole(missed: &MissedCalls) -> bool {
    matches!(missed.outcome, Outcome::Ran | Outcome::Failed)
}

fn page(found: &CallCoverage) -> String {
    let CallCoverage {
        files,
        calls,
        passed,
        missed,
        bad,
    } = found;
    let open: u64 = missed
        .iter()
        .filter(|missed| is_hole(missed))
        .map(|missed| missed.count)
        .sum();
    let mut text = format!("{passed} of {calls} tool calls passed a hook ({files} transcripts)\n");
    if *bad > 0 {
        text.push_str(&format!(
            "  {bad} lines could not be read: anyhook log import names them\n"
        ));
    }
    if *calls == 0 {
        let read = hosts().collect::<Vec<_>>().join(", ");
        return text + &format!("  no agent here keeps a transcript that Anyhook reads: {read}\n");
    }
    if missed.is_empty() {
        return text + &paint(ui::PASS, "  ✓ no call went without a hook\n");
    }
    text.push_str(&format!(
        "  {} ran without one\n\n",
        paint(ui::DENY, &open.to_string())
    ));
    let head = "calls|agent|mode|subagent|tool|outcome|for example";
    text.push_str(&ui::table(head, missed.iter().map(row)));
    text + "\nA matcher that does not select a tool is no reason: every event that reaches Anyhook is recorded. Calls from before \
            Anyhook was installed are among these: narrow them with --coverage=7d.\n"
}

fn row(missed: &MissedCalls) -> [String; 7] {
    let (attempted, file, line) = &missed.example;
    let mut host = missed.host.clone();
    if !missed.version.is_empty() {
        host = format!("{host} {}", missed.version);
    }
    let place = format!("{}:{line}", file.display());
    [
        missed.count.to_string(),
        ui::line(&host),
        ui::line(&missed.mode),
        ui::line(&missed.agent),
        ui::line(&missed.tool),
        missed.outcome.as_str().to_owned(),
        format!("{} ({})", ui::short(attempted, 60), ui::line(&place)),
    ]
}
