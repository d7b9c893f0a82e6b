//! Is it obeyed: every entry runs, a refusal is heard as one, and the agent itself was seen to obey.

use anyhook_truth::TRUTHS;
use anyhook_wires::Neutral;

use super::presence::HostPresence;
use super::rehearsal::{RehearsalOutcome, RehearsalResult};
use super::{DoctorFinding, SuggestedFix, several};

pub(super) fn self_test(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    // What several entries of one file have in common is said once.
    let mut all: Vec<(&RehearsalResult, Vec<&str>)> = Vec::new();
    for trial in &seen.trials {
        let mut known = all.iter_mut();
        let is_same = |(other, _): &&mut (&RehearsalResult, Vec<&str>)| {
            other.file == trial.file && other.outcome == trial.outcome
        };
        match known.find(is_same) {
            Some((_, events)) => events.push(&trial.event),
            None => all.push((trial, vec![&trial.event])),
        }
    }
    let findings = all.into_iter().filter_map(|(trial, events)| {
        let events = several(&events);
        let install = SuggestedFix::install(seen.host.id(), trial.scope);
        let found = match &trial.outcome {
            RehearsalOutcome::Refused | RehearsalOutcome::Arrived => return None,
            RehearsalOutcome::NotRun(why) => DoctorFinding::problem(
                format!("the command for {events} does not reach anyhook: {why}"),
                "the agent runs this very line, and goes on when it fails",
                install,
            ),
            RehearsalOutcome::LetThrough(why) => DoctorFinding::problem(
                format!("a refusal of {events} is not heard: {why}"),
                "a hook that refuses would be passed over",
                install,
            ),
            RehearsalOutcome::Untried(why) => DoctorFinding::advice(
                format!("the command for {events} was not tried: {why}"),
                "what was not tried is not known",
                "anyhook doctor --help",
            ),
        };
        Some(found.at(&trial.file, Some(trial.line)))
    });
    findings.collect()
}

pub(super) fn verified(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    if !seen.is_installed() || seen.is_verified() {
        return Vec::new();
    }
    let host = seen.host.id();
    let this = seen.version().map_or_else(
        || "this version".to_owned(),
        |version| format!("version {version}"),
    );
    let what = match &seen.verified {
        Some(verified) if !verified.differences.is_empty() => {
            let (version, date) = (&verified.version, verified.date());
            let (first, many) = (verified.differences.join(", "), verified.differences.len());
            let first: String = first.chars().take(200).collect();
            format!(
                "{host} {version} did something else than expected on {date}, {many} times: {first}"
            )
        }
        Some(verified) => {
            let (version, date) = (&verified.version, verified.date());
            format!("not verified with {this}: verified with {version} on {date}")
        }
        None => {
            let covers = seen.host.facts().covers;
            format!("not verified with {this}; what is known of {host} is of {covers}")
        }
    };
    // What the lab asks, a person can ask.
    let can_ask = TRUTHS.iter().any(|(known, ..)| *known == host);
    let fix = if can_ask {
        format!("anyhook doctor --verify --host {host}")
    } else {
        "anyhook log   # after the agent did something that a hook refuses".to_owned()
    };
    let why = "what is said above is what our own tables make of the answers; only the agent shows what it does with them";
    vec![DoctorFinding::advice(what, why, fix)]
}

pub(super) fn neutral(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let rows = seen.host.rows().iter();
    let rows = rows.filter(|row| row.neutral() == Neutral::Allow);
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    if names.is_empty() || !seen.is_installed() {
        return Vec::new();
    }
    vec![DoctorFinding::advice(
        format!(
            "at {} this agent has no neutral answer: nothing to say is an allow",
            several(&names)
        ),
        "with anyhook installed it may ask you less than before",
        format!(
            "anyhook uninstall --host {}   # only if you want its own questions back",
            seen.host.id()
        ),
    )]
}
