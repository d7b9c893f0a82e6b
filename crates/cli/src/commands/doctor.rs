//! `anyhook doctor`: whether every agent here would ask us and hear us, and what to do where not.

mod coverage;
mod facts;
mod page;

use anyhook::doctor::{Diagnosis, Remedy, look};
use anyhook::install::Installer;
use anyhook::wires::Host;
use anyhook::world::World;
use clap::Args;
use serde::Serialize;

use super::install::{self, installer, this_program};
use super::verify::{self, ProbeSelection};
use super::{CommandSpec, module};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("doctor", DoctorArgs, run);

/// Find out whether your agents really ask your hooks
#[derive(Args)]
#[command(after_help = include_str!("help/doctor.txt"))]
struct DoctorArgs {
    /// One agent [default: all on this machine]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Repair what is safe to repair: write broken entries and the program again
    #[arg(long)]
    fix: bool,
    /// Compare the agents' transcripts with the record, and list calls that passed no hook; =7d: only calls since then
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["host", "fix", "verify", "module"], num_args = 0..=1, require_equals = true, default_missing_value = "")]
    coverage: Option<String>,
    /// See what agents really do with the answers of hooks, about a hundred of them; quick: only the gate before a tool call
    #[arg(long, value_name = "HOW", conflicts_with_all = ["fix", "module"], num_args = 0..=1, require_equals = true, default_missing_value = "all", hide_possible_values = true, overrides_with = "verify")]
    verify: Option<ProbeSelection>,
    #[command(flatten)]
    validate: module::validate::ValidateArgs,
    #[command(flatten)]
    form: JsonFlag,
}

fn run(args: &DoctorArgs) -> Result<Exit, CliError> {
    if let Some(module) = &args.validate.module {
        return module::validate::run(module, &args.validate, args.form);
    }
    if let Some(probes) = args.verify {
        return verify::run(args.host.as_deref(), probes, args.form);
    }
    if let Some(since) = &args.coverage {
        return coverage::run(since, args.form);
    }
    let named = named(args.host.as_deref())?;
    let world = World::real();
    error::places(&world)?;
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
    let facts = facts::DoctorFacts::of(&all, &wrong, &done, &world);
    args.form.say(&facts, |facts| page::page(facts, &world))?;
    Ok(Exit::from(
        facts.healthy && done.iter().all(|done| done.failed.is_none()),
    ))
}

/// Returns the agent that was named.
pub(super) fn named(name: Option<&str>) -> Result<Option<&'static Host>, CliError> {
    let Some(name) = name else {
        return Ok(None);
    };
    let host = error::host(name)?;
    if host.facts().settings.is_some() {
        return Ok(Some(host));
    }
    let what = format!("`{name}` keeps no settings that anyhook could look at");
    Err(CliError::new(Exit::Usage, what)
        .help("what it can be told: anyhook list hosts ".to_owned() + name))
}

fn diagnose<'a>(installer: &'a Installer<'a>, named: Option<&'static Host>) -> Vec<Diagnosis<'a>> {
    look(installer, named)
        .into_iter()
        .map(Diagnosis::of)
        .collect()
}

/// Something that `--fix` did, or could not do.
#[derive(Serialize)]
struct Repair {
    remedy: Remedy,
    failed: Option<String>,
}

impl Repair {
    fn text(&self) -> String {
        let Remedy { host, scope } = self.remedy;
        format!("the {scope} entries of {host} and the program that they call")
    }
}

fn fix(installer: &Installer<'_>, all: &[Diagnosis<'_>]) -> Vec<Repair> {
    let remedies = all.iter().flat_map(Diagnosis::remedies);
    remedies
        .map(|remedy| Repair {
            failed: remedy.apply(installer).err().map(|errors| {
                let problem = install::all(&errors);
                problem.to_string()
            }),
            remedy,
        })
        .collect()
}
