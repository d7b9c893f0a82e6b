//! Checks that the entries really call Anyhook, and that the host obeys a refusal.

use std::path::Path;

use super::presence::Presence;
use super::rehearsal::Outcome;
use super::{Check, Finding, Fix, several};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "self-test",
    summary: "every entry runs in the host's shell, and a refusal is heard as one",
    run,
};

/// What several entries of one file have in common.
struct Same<'a> {
    file: &'a Path,
    line: usize,
    outcome: &'a Outcome,
    fix: Fix,
    events: Vec<&'a str>,
}

fn run(seen: &Presence) -> Vec<Finding> {
    let mut all: Vec<Same<'_>> = Vec::new();
    for trial in &seen.trials {
        if matches!(trial.outcome, Outcome::Refused | Outcome::Arrived) {
            continue;
        }
        let known = all
            .iter_mut()
            .find(|same| same.file == trial.file && *same.outcome == trial.outcome);
        match known {
            Some(same) => same.events.push(&trial.event),
            None => all.push(Same {
                file: &trial.file,
                line: trial.line,
                outcome: &trial.outcome,
                fix: Fix::install(seen.host.id(), trial.scope),
                events: vec![&trial.event],
            }),
        }
    }
    all.into_iter().filter_map(finding).collect()
}

fn finding(same: Same<'_>) -> Option<Finding> {
    let events = several(&same.events);
    let found = match same.outcome {
        Outcome::Refused | Outcome::Arrived => return None,
        Outcome::NotRun(why) => Finding::problem(
            &ROW,
            format!("the command for {events} does not reach anyhook: {why}"),
            "the agent runs this very line, and goes on when it fails",
            same.fix,
        ),
        Outcome::LetThrough(why) => Finding::problem(
            &ROW,
            format!("a refusal of {events} is not heard: {why}"),
            "a hook that refuses would be passed over",
            same.fix,
        ),
        Outcome::Untried(why) => Finding::advice(
            &ROW,
            format!("the command for {events} was not tried: {why}"),
            "what was not tried is not known",
            Fix::by_hand("anyhook verify --help"),
        ),
    };
    Some(found.at(same.file, Some(same.line)))
}
