//! The JSON form of the result. Its fields are stable.

use anyhook::config::ConfigError;
use anyhook::doctor::{CHECKS, Diagnosis, Outcome};
use anyhook::policy::Policy;
use anyhook::world::World;
use serde_json::{Value, json};

use super::Done;
use crate::error::Problem;
use crate::exit::Exit;

/// Writes everything that was found and done.
pub(super) fn as_json(
    (all, wrong): (&[Diagnosis], &[ConfigError]),
    done: &[Done],
    world: &World,
) -> Result<String, Problem> {
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
        "healthy": super::is_healthy(all, wrong),
        "asked": all.iter().any(|diagnosis| diagnosis.seen.is_installed()),
        "hosts": hosts,
        "settings": wrong.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "policy": policy(world),
        "fixed": fixed,
        "checks": checks,
    });
    let text = serde_json::to_string_pretty(&value)
        .map_err(|error| Problem::new(Exit::Software, "cannot write it as JSON").because(error))?;
    Ok(format!("{text}\n"))
}

/// The administrator's policy, as it was applied.
fn policy(world: &World) -> Option<Value> {
    let policy = Policy::of(&world.managed)?;
    let stamp = policy.stamp.as_ref().ok();
    Some(json!({
        "revision": policy.name,
        "signers": stamp.map(|stamp| &stamp.signers),
        "source": stamp.map(|stamp| &stamp.source),
        "confirmed": stamp.map(|stamp| stamp.confirmed),
        "until": stamp.and_then(|stamp| stamp.until),
        "overdue": stamp.is_none_or(|stamp| stamp.is_overdue(world.clock.now())),
    }))
}

fn host_as_json(diagnosis: &Diagnosis) -> Value {
    let seen = &diagnosis.seen;
    let files = seen.files.iter();
    let files: Vec<Value> = files
        .map(|file| {
            json!({
                "path": file.path.to_string_lossy(),
                "scope": file.scope.name(),
                "readable": file.is_readable(),
                "entries": file.own_entries(),
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
        "maturity": seen.host.facts().maturity.as_str(),
        "agent": agent.map(|agent| json!({
            "program": agent.program.to_string_lossy(), "version": agent.version,
        })),
        "files": files,
        "self_test": {
            "tried": seen.trials.len(),
            "refused": count(&Outcome::Refused),
            "arrived": count(&Outcome::Arrived),
        },
        "verified": seen.verified.as_ref().map(|verified| json!({
            "version": verified.version, "date": verified.date(), "this_version": seen.is_verified(),
        })),
        "healthy": diagnosis.is_healthy(),
        "findings": diagnosis.findings,
    })
}
