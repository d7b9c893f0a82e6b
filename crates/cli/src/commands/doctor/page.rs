//! The text form of the result: one block per agent, and one line about all of them.

use anyhook::doctor::{Diagnosis, DoctorFinding, DoctorSeverity, HostPresence, RehearsalOutcome};
use anyhook::wires::hosts::HOSTS;
use anyhook::world::World;

use super::facts::{DoctorFacts, PolicyFacts};
use crate::commands::install;
use crate::ui::{self, paint, visible};

pub(super) fn page(facts: &DoctorFacts<'_>, world: &World) -> String {
    if facts.hosts.is_empty() {
        return settings(&facts.settings) + &no_agent();
    }
    let mut page = String::new();
    for done in facts.fixed {
        let what = visible(&done.text());
        page.push_str(&match &done.failed {
            None => format!("{} wrote {what}\n", paint(ui::PASS, "fixed")),
            Some(why) => {
                let mark = paint(ui::DENY, "not fixed");
                format!("{mark} could not write {what}: {}\n", visible(why))
            }
        });
    }
    if !page.is_empty() {
        page.push('\n');
    }
    for host in facts.hosts {
        page.push_str(&(block(host, world) + "\n"));
    }
    page.extend(facts.policy.iter().map(|policy| of_policy(policy, world)));
    page + &settings(&facts.settings) + &switched_off(&facts.off) + &summary(facts)
}

/// What is wrong in the files of settings.
fn settings(wrong: &[String]) -> String {
    let mark = format!("{} ", paint(ui::DENY, "✗"));
    let told = wrong
        .iter()
        .map(|mistake| ui::beside(&mark, 2, &visible(&format!("settings: {mistake}"))));
    let until = "Until you mend it, each setting that cannot be read has its default, or the stricter value: anyhook list config";
    match told.collect::<String>() {
        none if none.is_empty() => none,
        told => told + &ui::wrapped("  ", until) + "\n",
    }
}

/// Hooks that no agent asks because a person said so.
fn switched_off(off: &[String]) -> String {
    if off.is_empty() {
        return String::new();
    }
    let (mark, names) = (paint(ui::ASK, "!"), visible(&off.join(", ")));
    let what = format!("switched off in this folder: {names}; by what: anyhook list");
    ui::beside(&format!("{mark} "), 2, &what) + "\n"
}

/// The administrator's policy: its revision, its age, its signer.
fn of_policy(policy: &PolicyFacts, world: &World) -> String {
    let about = match (&policy.wrong, &policy.stamp) {
        (None, Some(stamp)) => {
            let ago = ui::ago(stamp.confirmed, world.clock.now());
            format!("confirmed {ago}, signed by {}", stamp.signers.join(", "))
        }
        (why, _) => format!("cannot be read: {}", why.as_deref().unwrap_or_default()),
    };
    visible(&format!("policy {}  holds, {about}\n\n", policy.policy))
}

/// There is no agent here at all.
fn no_agent() -> String {
    let known = HOSTS.iter().filter(|host| host.facts().settings.is_some());
    let known: Vec<&str> = known.map(|host| host.id()).collect();
    format!(
        "No agent was found on this machine, so there is nothing to check.\n\n\
         {}\
         After you installed one:  anyhook install\n\
         Without any agent:        anyhook demo\n",
        ui::wrapped("", &format!("Anyhook looks for: {}", known.join(", ")))
    )
}

fn block(host: &Diagnosis<'_>, world: &World) -> String {
    let seen = &host.seen;
    let agent = match &seen.agent {
        Some(agent) => {
            let version = agent.version.as_deref().unwrap_or("of an unknown version");
            format!("{version}, {}", agent.program.display())
        }
        None => "no program on PATH".to_owned(),
    };
    let about = visible(&format!(
        "({agent}; {})",
        seen.host.facts().maturity.as_str()
    ));
    let mut page = format!(
        "{} {}\n",
        paint(ui::BOLD, seen.host.id()),
        paint(ui::DIM, &about)
    );
    let good = format!("  {} ", paint(ui::PASS, "✓"));
    for line in well(seen, world) {
        page.push_str(&ui::beside(&good, 4, &visible(&line)));
    }
    page.extend(host.findings.iter().map(|finding| told(finding, world)));
    page
}

/// Says what is well.
fn well(seen: &HostPresence<'_>, world: &World) -> Vec<String> {
    let mut lines = Vec::new();
    if seen.is_installed() {
        let files = seen.files.iter().filter(|file| file.own_entries() > 0);
        let files = files.map(|file| {
            format!(
                "{} from {}",
                file.own_entries(),
                install::short(&file.path, world)
            )
        });
        let files = files.collect::<Vec<_>>().join(", ");
        lines.push(format!("entries that call anyhook: {files}"));
        let [refused, arrived] =
            [RehearsalOutcome::Refused, RehearsalOutcome::Arrived].map(|one| seen.ended(&one));
        if refused + arrived > 0 {
            lines.push(format!(
                "self-test by our own reader: {refused} refused as they should be, {arrived} arrived where nothing can be refused"
            ));
        }
    }
    let verified = seen.verified.as_ref().filter(|_| seen.is_verified());
    lines.extend(verified.map(|seen| format!("verified with {} on {}", seen.version, seen.date())));
    lines
}

fn told(finding: &DoctorFinding, world: &World) -> String {
    let mark = match finding.severity {
        DoctorSeverity::Problem => paint(ui::DENY, "✗"),
        DoctorSeverity::Advice => paint(ui::ASK, "!"),
    };
    let place = finding.file.as_deref().map(|file| {
        let line = finding.line.map(|line| format!(":{line}"));
        format!(
            " ({}{})",
            install::short(file, world),
            line.unwrap_or_default()
        )
    });
    let what = visible(&format!("{}{}", finding.what, place.unwrap_or_default()));
    format!(
        "{}{}    {} {}\n",
        ui::beside(&format!("  {mark} "), 4, &what),
        paint(ui::DIM, &ui::wrapped("    ", &visible(&finding.why))),
        paint(ui::DIM, "fix:"),
        visible(&finding.fix.command)
    )
}

fn summary(facts: &DoctorFacts<'_>) -> String {
    let agents = ui::many(facts.hosts.len(), "agent");
    if !facts.asked {
        let word = paint(ui::DENY, "no agent asks your hooks:");
        return format!("{word} {agents} looked at. Let them ask: anyhook install\n");
    }
    let findings = || facts.hosts.iter().flat_map(|host| &host.findings);
    let is_problem = |finding: &&DoctorFinding| finding.severity == DoctorSeverity::Problem;
    let problems = findings().filter(is_problem).count();
    let advice = findings().count() - problems;
    let problems = problems + facts.settings.len();
    if problems > 0 {
        let next = match facts.fixed {
            [] if facts.hosts.iter().any(|host| !host.remedies().is_empty()) => {
                "; what is safe is done by: anyhook doctor --fix"
            }
            [] => "",
            _ => "; what is left is yours to decide",
        };
        let (word, problems) = (paint(ui::DENY, "unhealthy:"), ui::many(problems, "problem"));
        return format!("{word} {problems} in {agents}{next}\n");
    }
    let and = match advice {
        0 => String::new(),
        advice => format!(", {advice} good to know"),
    };
    let unseen = facts
        .hosts
        .iter()
        .map(|host| &host.seen)
        .filter(|seen| seen.is_installed() && !seen.is_verified());
    let unseen: Vec<&str> = unseen.map(|seen| seen.host.id()).collect();
    match &*unseen {
        [] => format!("{} {agents} looked at{and}\n", paint(ui::PASS, "healthy:")),
        unseen => {
            let (word, unseen) = (paint(ui::PASS, "no problem found:"), unseen.join(", "));
            let said = format!(
                "{word} {agents} looked at{and}; not seen to obey in this version: {unseen}"
            );
            ui::wrapped("", &said)
        }
    }
}
