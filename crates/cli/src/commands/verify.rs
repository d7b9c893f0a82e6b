//! `anyhook doctor --verify`: what the agents of this machine really do with the answer of a hook.

use std::time::Duration;

use anyhook::verify::{VerifiedAgent, keep, verified};
use anyhook::wires::Host;
use anyhook::world::World;
use anyhook_testing::NetworkAccess;
use anyhook_truth::{Truth, TruthDifference, TruthRow as Asked};
use anyhook_verify::agents::AGENTS;
use anyhook_verify::{GateCheck, LabAgent, LabError, raise_loopback};
use clap::ValueEnum;
use serde_json::{Value, json};

use super::install::this_program;
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::tested::network;
use crate::ui::{self, paint};

/// The most time of one session of an agent.
const PATIENCE: Duration = Duration::from_secs(90);

/// Which answers an agent is asked about.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ProbeSelection {
    /// All of them.
    All,
    /// The gate before a tool call alone, in one session.
    Quick,
}

/// Asks the agent that is named, or every one on the `PATH`.
pub(super) fn run(
    host: Option<&str>,
    probes: ProbeSelection,
    form: JsonFlag,
) -> Result<Exit, CliError> {
    let world = World::real();
    let hosts = hosts(host, &world)?;
    leave_network();
    let record = |host: &Host, version, probes, differences| {
        let seen = VerifiedAgent {
            host: host.id().to_owned(),
            version,
            at: world.clock.now(),
            anyhook: env!("CARGO_PKG_VERSION").to_owned(),
            probes,
            differences,
        };
        keep_record(&world, &seen);
    };
    let mut exit = Exit::Done;
    for host in hosts {
        let asking = LabAgent::find(&world, host, PATIENCE).map_err(problem)?;
        let is_good = if probes == ProbeSelection::Quick {
            let quick = asking.quick(&this_program()?).map_err(problem)?;
            let facts = json!({
                "host": host.id(), "version": quick.version, "holds": quick.holds(), "seen": quick.seen,
                "asked": quick.asked, "took_ms": u64::try_from(quick.took.as_millis()).unwrap_or(u64::MAX),
            });
            form.say(&facts, |_| quick_page(host, &quick))?;
            // What a whole run found of this version says more than the gate alone, as long as the gate holds.
            let last = world.places.as_ref();
            let last = last.and_then(|places| verified(places, host.id()));
            let is_whole =
                last.is_some_and(|last| last.probes > 1 && last.version == quick.version);
            if !(quick.holds() && is_whole) {
                let open = (!quick.holds()).then(|| "a refused command".to_owned());
                record(host, quick.version.clone(), 1, open.into_iter().collect());
            }
            quick.holds()
        } else {
            ui::err(&format!(
                "{} {}: about a hundred answers, which takes minutes\n",
                paint(ui::DIM, "asking"),
                ui::visible(&asking.name()),
            ));
            let truth = asking.whole(&mut |_| {}).map_err(problem)?;
            let differences = truth.differences();
            let differ = differences.iter().map(
                |found| json!({"row": found.row, "expected": found.expected, "seen": found.seen}),
            );
            let facts = json!({"truth": truth, "differences": differ.collect::<Value>()});
            form.say(&facts, |_| whole_page(&truth, &differences))?;
            let rows = differences.iter().map(|found| found.row.clone()).collect();
            record(host, truth.version.clone(), truth.rows.len(), rows);
            differences.is_empty()
        };
        if !is_good {
            exit = Exit::Negative;
        }
    }
    Ok(exit)
}

/// Returns the agent that is meant, or every one that is here.
fn hosts(named: Option<&str>, world: &World) -> Result<Vec<&'static Host>, CliError> {
    if let Some(name) = named {
        return Ok(vec![error::host(name)?]);
    }
    let path = world.var("PATH").unwrap_or_default();
    let here = AGENTS.iter().filter(|agent| {
        anyhook::processes::find_program(agent.program.as_str().as_ref(), path, &world.cwd)
            .is_some()
    });
    let hosts: Vec<_> = here
        .filter_map(|agent| anyhook::wires::host(&agent.host))
        .collect();
    if hosts.is_empty() {
        let problem = CliError::new(Exit::Config, "no agent that can be asked is on PATH");
        let programs: Vec<&str> = AGENTS.iter().map(|agent| &*agent.program).collect();
        return Err(problem.help(format!("these can be: {}", programs.join(", "))));
    }
    Ok(hosts)
}

/// Leaves the network, but for a loopback of its own, or says that it could not be left.
fn leave_network() {
    let left = match network::isolate() {
        NetworkAccess::Cut => raise_loopback().map_err(|error| error.to_string()),
        NetworkAccess::NotIsolated(why) => Err(why),
        NetworkAccess::Allowed => Ok(()),
    };
    if let Err(why) = left {
        ui::err(&format!(
            "{} the agent keeps its network, because it could not be taken away ({}); it is pointed at 127.0.0.1 alone\n",
            paint(ui::ASK, "note:"),
            ui::visible(&why)
        ));
    }
}

fn quick_page(host: &Host, quick: &GateCheck) -> String {
    let version = ui::visible(&quick.version);
    if quick.holds() {
        return format!(
            "{} {} {version}: a command that a hook refuses does not run ({}; {:.1} s)\n",
            paint(ui::PASS, "HOST VERIFIED"),
            host.id(),
            quick.seen.words(),
            quick.took.as_secs_f64()
        );
    }
    format!(
        "{} {} {version}: {}\n  the agent ended: {}\n  {} anyhook doctor --host {}\n",
        paint(ui::DENY, "NOT VERIFIED"),
        host.id(),
        match quick.asked {
            0 => "it asked no hook, and ran what was to be refused".to_owned(),
            _ => format!("a hook refused a command: {}", quick.seen.words()),
        },
        ui::visible(&quick.ending),
        paint(ui::DIM, "fix:"),
        host.id(),
    )
}

fn whole_page(truth: &Truth, differences: &[TruthDifference]) -> String {
    let rows: String = truth.rows.iter().map(|row| line(truth, row)).collect();
    let told: Vec<&str> = truth.fired.keys().map(String::as_str).collect();
    let (id, version, many) = (&truth.host, ui::visible(&truth.version), truth.rows.len());
    let sum = match differences.len() {
        0 => format!(
            "{} {id} {version}: {many} answers, each with what was expected of it\n",
            paint(ui::PASS, "HOST VERIFIED")
        ),
        differ => format!(
            "{} {id} {version}: {differ} of {many} answers with something else than was expected\n",
            paint(ui::DENY, "DIFFERS")
        ),
    };
    let told = ui::visible(&told.join(", "));
    format!("{rows}\nIt told of: {told}\n{sum}")
}

/// Keeps what was found. A state that cannot be written is no fault of the agent's.
fn keep_record(world: &World, record: &VerifiedAgent) {
    let kept = world.places.as_ref().map(|places| keep(places, record));
    if let Some(Err(error)) = kept {
        ui::err(&format!(
            "{} what was found is not kept for `anyhook doctor`: {error}\n",
            paint(ui::ASK, "note:")
        ));
    }
}

fn line(truth: &Truth, row: &Asked) -> String {
    let name = format!("{:62}", ui::short(&row.name(), 60));
    match row.expected(truth) {
        Some(expected) if expected != row.seen => format!(
            "{} {name} {}\n  {:62} expected: {}\n",
            paint(ui::DENY, "✗"),
            row.seen.words(),
            "",
            expected.words()
        ),
        Some(_) => format!("{} {name} {}\n", paint(ui::PASS, "✓"), row.seen.words()),
        None => format!("{} {name} {}\n", paint(ui::DIM, "-"), row.seen.words()),
    }
}

fn problem(error: LabError) -> CliError {
    let exit = match &error {
        LabError::NoOtherModel(_) | LabError::NoAgent(_) => Exit::Config,
        LabError::Room(_) | LabError::Model(_) => Exit::CannotCreate,
        _ => Exit::Negative,
    };
    let help = error.help();
    CliError::new(exit, "not verified")
        .help(help)
        .because(error)
}
