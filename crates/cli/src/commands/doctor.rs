//! `anyhook doctor`: whether every agent here would ask us and hear us, and what to do where not.

use std::path::Path;

use anyhook::doctor::{CHECKS, Diagnosis, Finding, Outcome, Presence, Remedy, Severity, look};
use anyhook::install::Installer;
use anyhook::verify::{Verified, verified};
use anyhook::wires::{self, Host, hosts::HOSTS};
use anyhook::world::World;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::install::{self, installer, this_program};
use super::{Row, Run, flag};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint, visible};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "doctor",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Find out whether your agents really ask anyhook, and what to do where they do not")
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .help("One agent [default: all that are found on this machine]"),
        )
        .arg(flag("fix", "Do what is safe: write broken entries and the program again"))
        .arg(super::log::format_arg())
        .after_help(
            "Every entry is taken from the agent's own file and run in the agent's shell, with a hook that refuses \
             everything and none of yours; then it is told whether the agent would obey.\n\n\
             Ends with 0 where all is well and with 1 where something is not.\n\n\
             Examples:\n  anyhook doctor\n  anyhook doctor --host claude-code --fix\n  anyhook doctor --format json",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let named = named(args)?;
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let mut all = diagnose(&installer, named);
    let mut done = Vec::new();
    if args.get_flag("fix") {
        done = fix(&installer, &all);
        if !done.is_empty() {
            all = diagnose(&installer, named);
        }
    }
    let is_healthy = all.iter().all(Diagnosis::is_healthy) && done.iter().all(Done::worked);
    if install::is_json(args) {
        ui::raw(&as_json(&all, &done)?)?;
    } else {
        ui::out(&page(&all, &done, &world))?;
    }
    Ok(if is_healthy {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// Returns the agent that was named.
pub(super) fn named(args: &ArgMatches) -> Result<Option<&'static dyn Host>, Problem> {
    let Some(name) = args.get_one::<String>("host") else {
        return Ok(None);
    };
    let known = HOSTS
        .iter()
        .copied()
        .filter(|host| host.settings().is_some());
    let host = wires::host(name).filter(|host| host.settings().is_some());
    let names =
        known.flat_map(|host| std::iter::once(host.id()).chain(host.aliases().iter().copied()));
    host.map(Some)
        .ok_or_else(|| Problem::unknown("agent with hooks", name, names))
}

fn diagnose(installer: &Installer<'_>, named: Option<&'static dyn Host>) -> Vec<Diagnosis> {
    look(installer, named)
        .into_iter()
        .map(Diagnosis::of)
        .collect()
}

/// Something that `--fix` did, or could not do.
struct Done {
    remedy: Remedy,
    failed: Option<String>,
}

impl Done {
    fn worked(&self) -> bool {
        self.failed.is_none()
    }

    fn text(&self) -> String {
        let Remedy::Install { host, scope } = self.remedy;
        format!(
            "the {} entries of {host} and the program that they call",
            scope.name()
        )
    }
}

fn fix(installer: &Installer<'_>, all: &[Diagnosis]) -> Vec<Done> {
    let remedies = all.iter().flat_map(Diagnosis::remedies);
    remedies
        .map(|remedy| Done {
            failed: remedy.apply(installer).err().map(|errors| {
                let problem = install::all(&errors);
                problem.to_string()
            }),
            remedy,
        })
        .collect()
}

fn page(all: &[Diagnosis], done: &[Done], world: &World) -> String {
    if all.is_empty() {
        return nobody();
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
    page.push_str(&summary(all, done));
    page
}

/// There is no agent here at all.
fn nobody() -> String {
    let known = HOSTS.iter().filter(|host| host.settings().is_some());
    let known: Vec<&str> = known.map(|host| host.id()).collect();
    format!(
        "No agent was found on this machine: there is nothing to be wrong.\n\n\
         Anyhook looks for: {}\n\
         After you installed one:  anyhook install --host all\n\
         Without any agent:        anyhook demo\n",
        known.join(", ")
    )
}

fn block(diagnosis: &Diagnosis, world: &World) -> String {
    let seen = &diagnosis.seen;
    let mut page = head(seen);
    let mut line = |mark: &str, text: &str| page.push_str(&format!("  {mark} {}\n", visible(text)));
    let good = paint(ui::PASS, "✓");
    if seen.is_installed() {
        line(&good, &calls(seen, world));
        let tried = tried(seen);
        if !tried.is_empty() {
            line(&good, &tried);
        }
    }
    if let Some(verified) = verified_of(seen, world) {
        line(
            &good,
            &format!(
                "verified on {} with version {}",
                verified.date(),
                verified.version
            ),
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
    let how = seen.host.maturity().as_str();
    format!(
        "{} {}\n",
        paint(ui::BOLD, seen.host.id()),
        paint(ui::DIM, &visible(&format!("({agent}; {how})")))
    )
}

fn calls(seen: &Presence, world: &World) -> String {
    let files = seen.files.iter();
    let files = files.filter_map(|file| {
        let own = file
            .entries
            .iter()
            .flatten()
            .filter(|entry| entry.own.is_some());
        let many = own.count();
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
        "self-test: {refused} refused as they should be, {arrived} arrived where nothing can be refused"
    )
}

fn verified_of(seen: &Presence, world: &World) -> Option<Verified> {
    verified(world.places.as_ref()?, seen.host.id())
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
    format!(
        "  {mark} {}\n    {}\n{fix}",
        visible(&format!("{}{place}", finding.what)),
        paint(ui::DIM, &visible(&finding.why)),
    )
}

fn place(file: &Path, line: Option<usize>, world: &World) -> String {
    let file = install::short(file, world);
    match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    }
}

fn summary(all: &[Diagnosis], done: &[Done]) -> String {
    let findings = || all.iter().flat_map(|diagnosis| &diagnosis.findings);
    let problems = findings()
        .filter(|finding| finding.severity == Severity::Problem)
        .count();
    let advice = findings().count() - problems;
    let safe = all.iter().flat_map(Diagnosis::remedies).count();
    let agents = counted(all.len(), "agent");
    if problems == 0 {
        let and = if advice == 0 {
            String::new()
        } else {
            format!(", {advice} good to know")
        };
        return format!("{} {agents} looked at{and}\n", paint(ui::PASS, "healthy:"));
    }
    let mut text = format!(
        "{} {} in {agents}",
        paint(ui::DENY, "unhealthy:"),
        counted(problems, "problem")
    );
    if safe > 0 && done.is_empty() {
        text.push_str("; what is safe is done by: anyhook doctor --fix");
    } else if !done.is_empty() {
        text.push_str("; what is left is yours to decide");
    }
    text.push('\n');
    text
}

fn counted(many: usize, what: &str) -> String {
    if many == 1 {
        format!("1 {what}")
    } else {
        format!("{many} {what}s")
    }
}

/// Writes the form for machines: its fields stay.
fn as_json(all: &[Diagnosis], done: &[Done]) -> Result<String, Problem> {
    let hosts: Vec<Value> = all.iter().map(host_as_json).collect();
    let checks: Vec<Value> = CHECKS
        .iter()
        .map(|check| json!({"check": check.slug, "looks_for": check.summary}))
        .collect();
    let fixed = done.iter();
    let fixed: Vec<Value> = fixed
        .map(|done| json!({"remedy": done.remedy, "failed": done.failed}))
        .collect();
    let value = json!({
        "version": 1,
        "healthy": all.iter().all(Diagnosis::is_healthy),
        "hosts": hosts,
        "fixed": fixed,
        "checks": checks,
    });
    let text = serde_json::to_string_pretty(&value)
        .map_err(|error| Problem::new(Exit::Software, "cannot write it as JSON").because(error))?;
    Ok(format!("{text}\n"))
}

fn host_as_json(diagnosis: &Diagnosis) -> Value {
    let seen = &diagnosis.seen;
    let files = seen.files.iter();
    let files: Vec<Value> = files
        .map(|file| {
            let own = file
                .entries
                .iter()
                .flatten()
                .filter(|entry| entry.own.is_some());
            json!({
                "path": file.path.to_string_lossy(),
                "scope": file.scope.name(),
                "readable": file.entries.is_ok(),
                "entries": own.count(),
            })
        })
        .collect();
    let agent = seen.agent.as_ref();
    let count = |outcome: &Outcome| {
        seen.trials
            .iter()
            .filter(|trial| trial.outcome == *outcome)
            .count()
    };
    json!({
        "host": seen.host.id(),
        "maturity": seen.host.maturity().as_str(),
        "agent": agent.map(|agent| json!({
            "program": agent.program.to_string_lossy(), "version": agent.version,
        })),
        "files": files,
        "self_test": {
            "tried": seen.trials.len(),
            "refused": count(&Outcome::Refused),
            "arrived": count(&Outcome::Arrived),
        },
        "healthy": diagnosis.is_healthy(),
        "findings": diagnosis.findings,
    })
}
