//! The text form of the result: one block per agent, and one line about all of them.

use std::path::Path;

use anyhook::config::ConfigError;
use anyhook::doctor::{Diagnosis, Finding, Outcome, Presence, Severity};
use anyhook::policy::Policy;
use anyhook::wires::hosts::HOSTS;
use anyhook::world::World;

use super::Done;
use crate::commands::install;
use crate::ui::{self, paint, visible};

pub(super) fn page(
    (all, wrong): (&[Diagnosis], &[ConfigError]),
    done: &[Done],
    world: &World,
) -> String {
    if all.is_empty() {
        return settings(wrong) + &no_agent();
    }
    let mut page = String::new();
    for done in done {
        page.push_str(&match &done.failed {
            None => format!(
                "{} wrote {}\n",
                paint(ui::PASS, "fixed"),
                visible(&done.text())
            ),
            Some(why) => format!(
                "{} could not write {}: {}\n",
                paint(ui::DENY, "not fixed"),
                visible(&done.text()),
                visible(why)
            ),
        });
    }
    if !done.is_empty() {
        page.push('\n');
    }
    for diagnosis in all {
        page.push_str(&block(diagnosis, world));
        page.push('\n');
    }
    page.push_str(&policy(world));
    page.push_str(&settings(wrong));
    page.push_str(&summary(all, done, wrong.len()));
    page
}

/// What is wrong in the files of settings.
fn settings(wrong: &[ConfigError]) -> String {
    let mut page = String::new();
    for mistake in wrong {
        let what = format!("settings: {mistake}");
        let mark = format!("{} ", paint(ui::DENY, "✗"));
        page.push_str(&ui::beside(&mark, 2, &visible(&what)));
    }
    if page.is_empty() {
        return page;
    }
    let until = "Until you mend it, each setting that cannot be read has its default, or the stricter value: anyhook list config";
    page + &ui::wrapped("  ", until) + "\n"
}

/// The administrator's policy: its revision, its age, its signer.
fn policy(world: &World) -> String {
    let Some(policy) = Policy::of(&world.managed) else {
        return String::new();
    };
    let about = match &policy.stamp {
        Ok(stamp) => {
            let age = world.clock.now().saturating_sub(stamp.confirmed) / DAY;
            format!(
                "confirmed {age} days ago, signed by {}",
                stamp.signers.join(", ")
            )
        }
        Err(why) => format!("cannot be read: {why}"),
    };
    visible(&format!("policy {}  holds, {about}\n\n", policy.name))
}

const DAY: i64 = 24 * 60 * 60 * 1000;

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

fn block(diagnosis: &Diagnosis, world: &World) -> String {
    let seen = &diagnosis.seen;
    let mut page = head(seen);
    let mut line = |mark: &str, text: &str| {
        page.push_str(&ui::beside(&format!("  {mark} "), 4, &visible(text)));
    };
    let good = paint(ui::PASS, "✓");
    if seen.is_installed() {
        line(&good, &calls(seen, world));
        let tried = tried(seen);
        if !tried.is_empty() {
            line(&good, &tried);
        }
    }
    if let Some(verified) = seen.verified.as_ref().filter(|_| seen.is_verified()) {
        line(
            &good,
            &format!("verified with {} on {}", verified.version, verified.date()),
        );
    }
    for finding in &diagnosis.findings {
        page.push_str(&told(finding, world));
    }
    page
}

fn head(seen: &Presence) -> String {
    let agent = match &seen.agent {
        Some(agent) => {
            let version = agent.version.as_deref().unwrap_or("of an unknown version");
            format!("{version}, {}", agent.program.display())
        }
        None => "no program on PATH".to_owned(),
    };
    let how = seen.host.facts().maturity.as_str();
    format!(
        "{} {}\n",
        paint(ui::BOLD, seen.host.id()),
        paint(ui::DIM, &visible(&format!("({agent}; {how})")))
    )
}

fn calls(seen: &Presence, world: &World) -> String {
    let files = seen.files.iter();
    let files = files.filter_map(|file| {
        let many = file.own_entries();
        (many > 0).then(|| format!("{many} from {}", install::short(&file.path, world)))
    });
    let files: Vec<String> = files.collect();
    format!("entries that call anyhook: {}", files.join(", "))
}

fn tried(seen: &Presence) -> String {
    let count = |outcome: &Outcome| {
        seen.trials
            .iter()
            .filter(|trial| trial.outcome == *outcome)
            .count()
    };
    let (refused, arrived) = (count(&Outcome::Refused), count(&Outcome::Arrived));
    if refused + arrived == 0 {
        return String::new();
    }
    format!(
        "self-test by our own reader: {refused} refused as they should be, {arrived} arrived where nothing can be refused"
    )
}

fn told(finding: &Finding, world: &World) -> String {
    let mark = match finding.severity {
        Severity::Problem => paint(ui::DENY, "✗"),
        Severity::Advice => paint(ui::ASK, "!"),
    };
    let place = finding
        .file
        .as_deref()
        .map(|file| place(file, finding.line, world));
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let fix = format!(
        "    {} {}\n",
        paint(ui::DIM, "fix:"),
        visible(&finding.fix.command)
    );
    let what = ui::wrapped("    ", &visible(&format!("{}{place}", finding.what)));
    let why = ui::wrapped("    ", &visible(&finding.why));
    let why = why.lines().fold(String::new(), |text, line| {
        text + "    " + &paint(ui::DIM, line.trim_start()) + "\n"
    });
    format!("  {mark} {}{why}{fix}", what.trim_start())
}

fn place(file: &Path, line: Option<usize>, world: &World) -> String {
    let file = install::short(file, world);
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    }
}

fn summary(all: &[Diagnosis], done: &[Done], wrong: usize) -> String {
    let findings = || all.iter().flat_map(|diagnosis| &diagnosis.findings);
    let problems = findings()
        .filter(|finding| finding.severity == Severity::Problem)
        .count();
    let advice = findings().count() - problems;
    let problems = problems + wrong;
    let safe = all.iter().flat_map(Diagnosis::remedies).count();
    let agents = ui::many(all.len(), "agent");
    if !super::is_asked(all) {
        let word = paint(ui::DENY, "no agent asks your hooks:");
        return format!("{word} {agents} looked at. Let them ask: anyhook install\n");
    }
    if problems == 0 {
        let and = if advice == 0 {
            String::new()
        } else {
            format!(", {advice} good to know")
        };
        let seen = all.iter().map(|diagnosis| &diagnosis.seen);
        let unseen = seen.filter(|seen| seen.is_installed() && !seen.is_verified());
        let unseen: Vec<&str> = unseen.map(|seen| seen.host.id()).collect();
        if !unseen.is_empty() {
            let (word, unseen) = (paint(ui::PASS, "no problem found:"), unseen.join(", "));
            return format!(
                "{word} {agents} looked at{and}; not seen to obey in this version: {unseen}\n"
            );
        }
        return format!("{} {agents} looked at{and}\n", paint(ui::PASS, "healthy:"));
    }
    let mut text = format!(
        "{} {} in {agents}",
        paint(ui::DENY, "unhealthy:"),
        ui::many(problems, "problem")
    );
    if safe > 0 && done.is_empty() {
        text.push_str("; what is safe is done by: anyhook doctor --fix");
    } else if !done.is_empty() {
        text.push_str("; what is left is yours to decide");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn doctor_shows_the_revision_its_age_and_its_signer() {
        let place = tempfile::tempdir().unwrap();
        let world = World {
            managed: place.path().into(),
            ..World::real()
        };
        assert_eq!(policy(&world), "");
        let folder = place.path().join("policy/revisions/12-0a1b2c3d");
        fs::create_dir_all(&folder).unwrap();
        let link = place.path().join("policy/current");
        std::os::unix::fs::symlink("revisions/12-0a1b2c3d", link).unwrap();
        let told = policy(&world);
        assert!(
            told.starts_with("policy 12-0a1b2c3d  holds, cannot be read"),
            "{told}"
        );
        let confirmed = world.clock.now() - 3 * DAY;
        let stamp = serde_json::json!({
            "revision": 12, "digest": "", "signers": ["f00d"], "source": "", "applied": 0, "confirmed": confirmed,
        });
        fs::write(folder.join("stamp.json"), stamp.to_string()).unwrap();
        let shown = "policy 12-0a1b2c3d  holds, confirmed 3 days ago, signed by f00d\n\n";
        assert_eq!(policy(&world), shown);
    }
}
