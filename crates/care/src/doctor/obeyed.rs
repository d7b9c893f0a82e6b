//! Is it obeyed: every entry runs, a refusal is heard as one, and the agent itself was seen to obey.

use std::path::Path;

use anyhook_truth::TRUTHS;
use anyhook_wires::Neutral;

use super::presence::Presence;
use super::rehearsal::Outcome;
use super::{Check, Finding, Fix, several};

pub(super) const SELF_TEST: Check = Check {
    slug: "self-test",
    summary: "every entry runs in the host's shell, and a refusal is heard as one",
    run: self_test,
};

/// What several entries of one file have in common.
struct Same<'a> {
    file: &'a Path,
    line: usize,
    outcome: &'a Outcome,
    fix: Fix,
    events: Vec<&'a str>,
}

fn self_test(seen: &Presence) -> Vec<Finding> {
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
            &SELF_TEST,
            format!("the command for {events} does not reach anyhook: {why}"),
            "the agent runs this very line, and goes on when it fails",
            same.fix,
        ),
        Outcome::LetThrough(why) => Finding::problem(
            &SELF_TEST,
            format!("a refusal of {events} is not heard: {why}"),
            "a hook that refuses would be passed over",
            same.fix,
        ),
        Outcome::Untried(why) => Finding::advice(
            &SELF_TEST,
            format!("the command for {events} was not tried: {why}"),
            "what was not tried is not known",
            Fix::by_hand("anyhook verify --help"),
        ),
    };
    Some(found.at(same.file, Some(same.line)))
}

pub(super) const VERIFIED: Check = Check {
    slug: "verified",
    summary: "the agent itself was seen to obey, in the version that is here",
    run: verified,
};

const WHY_VERIFY: &str = "what is said above is what our own tables make of the answers; only the agent shows what it does with them";

fn verified(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() || seen.is_verified() {
        return Vec::new();
    }
    let host = seen.host.id();
    let version = seen
        .agent
        .as_ref()
        .and_then(|agent| agent.version.as_deref());
    let this = version.map_or_else(
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
        None => format!("not verified with {this}"),
    };
    // What the lab asks, a person can ask.
    let can_ask = TRUTHS.iter().any(|(known, ..)| *known == host);
    let fix = if can_ask {
        format!("anyhook verify --host {host}")
    } else {
        "anyhook log   # after the agent did something that a hook refuses".to_owned()
    };
    vec![Finding::advice(
        &VERIFIED,
        what,
        WHY_VERIFY,
        Fix::by_hand(fix),
    )]
}

pub(super) const NEUTRAL: Check = Check {
    slug: "neutral",
    summary: "the agent has an answer for a hook with nothing to say",
    run: neutral,
};

fn neutral(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let rows = seen.host.rows().iter();
    let rows = rows.filter(|row| row.neutral == Neutral::Allow);
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let what = format!(
        "at {} this agent has no neutral answer: nothing to say is an allow",
        several(&names)
    );
    let why = "with anyhook installed it may ask you less than before";
    let fix = Fix::by_hand(format!(
        "anyhook uninstall --host {}   # only if you want its own questions back",
        seen.host.id()
    ));
    vec![Finding::advice(&NEUTRAL, what, why, fix)]
}
