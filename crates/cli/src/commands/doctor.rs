//! `anyhook doctor`: whether every agent here would ask us and hear us, and what to do where not.

mod coverage;
mod json;
mod page;

use std::path::PathBuf;

use anyhook::config::ConfigError;
use anyhook::doctor::{Diagnosis, Remedy, look};
use anyhook::install::Installer;
use anyhook::wires::Host;
use anyhook::world::World;
use clap::Args;

use super::install::{self, installer, this_program};
use super::verify::{self, Probes};
use super::{Mode, Row, module};
use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::Form;
use crate::ui;

/// The row.
pub(crate) const ROW: Row = verb!("doctor", DoctorArgs, run, MODES);

/// Find out whether your agents really ask your hooks
#[derive(Args)]
#[command(
    after_help = "For each entry, Anyhook takes its line from the agent's own settings and runs it in the agent's shell. In this \
             test, one hook that blocks everything replaces your hooks. The result says whether the agent would obey the \
             block.\n\n\
             Exit code: 0 if everything works, 1 if something is wrong or no agent asks your hooks.\n\n\
             --verify is free and offline: the agent gets a scratch home, a scratch project, a scripted model on 127.0.0.1, and \
             no key. If the system allows it, the agent can reach no other network. The result depends only on what the agent \
             left in the project and on what it told the model next.\n\n\
             Examples:\n  anyhook doctor --host claude-code --fix\n  anyhook doctor --verify --quick\n  \
             anyhook doctor --coverage --since 7d\n  anyhook doctor --module ./my-hook"
)]
struct DoctorArgs {
    /// One agent [default: all on this machine]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Repair what is safe to repair: write broken entries and the program again
    #[arg(long)]
    fix: bool,
    /// Compare the agents' transcripts with the record, and list calls that passed no hook
    #[arg(long)]
    coverage: bool,
    /// With --coverage, only calls since then: 7d, 2026-11-22
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// See what agents really do with the answers of hooks, about a hundred of them
    #[arg(long)]
    verify: bool,
    /// With --verify: only the gate before a tool call, in seconds
    #[arg(long)]
    quick: bool,
    /// With --verify: play a session under this package of hooks, too
    #[arg(long, value_name = "DIR", hide = true)]
    package: Option<PathBuf>,
    #[command(flatten)]
    validate: module::validate::Validate,
    #[command(flatten)]
    form: Form,
}

const MODES: &[Mode] = &[
    Mode {
        word: "--coverage",
        flags: &["since", "json"],
    },
    Mode {
        word: "--verify",
        flags: &["host", "quick", "package", "json"],
    },
    Mode {
        word: "--module",
        flags: &["type", "config", "run", "json"],
    },
    Mode {
        word: "",
        flags: &["host", "fix", "json"],
    },
];

fn run(args: &DoctorArgs) -> Result<Exit, Problem> {
    if let Some(module) = &args.validate.module {
        return module::validate::run(module, &args.validate, args.form);
    }
    if args.verify {
        let probes = if args.quick {
            Probes::Gate
        } else {
            Probes::All
        };
        return verify::run(
            args.host.as_deref(),
            probes,
            args.package.as_deref(),
            args.form,
        );
    }
    if args.coverage {
        return coverage::run(args);
    }
    let named = named(args.host.as_deref())?;
    let world = World::real();
    let program = this_program()?;
    let installer = installer(&world, &program);
    let mut all = diagnose(&installer, named);
    let mut done = Vec::new();
    if args.fix {
        done = fix(&installer, &all);
        if !done.is_empty() {
            all = diagnose(&installer, named);
        }
    }
    let wrong = world.config().mistakes();
    let is_healthy = is_healthy(&all, &wrong) && done.iter().all(Done::worked);
    if args.form.is_json() {
        ui::raw(&json::as_json((&all, &wrong), &done, &world)?)?;
    } else {
        ui::out(&page::page((&all, &wrong), &done, &world))?;
    }
    Ok(if is_healthy {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// Tells whether all is well. Where agents are here and none of them calls us, no hook guards anything.
fn is_healthy(all: &[Diagnosis], wrong: &[ConfigError]) -> bool {
    all.iter().all(Diagnosis::is_healthy) && is_asked(all) && wrong.is_empty()
}

/// Tells whether an agent asks our hooks, if one is here.
fn is_asked(all: &[Diagnosis]) -> bool {
    all.is_empty() || all.iter().any(|diagnosis| diagnosis.seen.is_installed())
}

/// Returns the agent that was named.
pub(super) fn named(name: Option<&str>) -> Result<Option<&'static dyn Host>, Problem> {
    let Some(name) = name else {
        return Ok(None);
    };
    let host = error::host(name)?;
    if host.facts().settings.is_some() {
        return Ok(Some(host));
    }
    let what = format!("`{name}` keeps no settings that anyhook could look at");
    Err(Problem::new(Exit::Usage, what)
        .help("what it can be told: anyhook list hosts ".to_owned() + name))
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
