//! What was found and done: what programs read, and what the page is made of.

use std::path::Path;

use anyhook::config::ConfigError;
use anyhook::doctor::{Agent, Diagnosis, Finding, Outcome, Remedy};
use anyhook::policy::{Policy, Stamp};
use anyhook::verify::Verified;
use anyhook::world::World;
use serde::Serialize;

use super::Done;

/// Everything that was found and done. Its fields are stable.
#[derive(Serialize)]
pub(super) struct Facts<'a> {
    version: u32,
    /// Whether all is well. Where agents are here and none of them calls us, no hook guards anything.
    pub(super) healthy: bool,
    /// Whether an agent asks our hooks.
    pub(super) asked: bool,
    pub(super) hosts: Vec<OfHost<'a>>,
    /// What is wrong in the files of settings.
    pub(super) settings: Vec<String>,
    pub(super) policy: Option<OfPolicy>,
    pub(super) fixed: &'a [Done],
}

/// One agent.
#[derive(Serialize)]
pub(super) struct OfHost<'a> {
    pub(super) host: &'static str,
    pub(super) maturity: &'static str,
    pub(super) agent: Option<&'a Agent>,
    pub(super) files: Vec<File<'a>>,
    pub(super) self_test: SelfTest,
    pub(super) verified: Option<&'a Verified>,
    /// Whether that was this version, with nothing found.
    pub(super) is_verified: bool,
    /// Whether any of its entries calls us.
    pub(super) installed: bool,
    healthy: bool,
    pub(super) findings: &'a [Finding],
    #[serde(skip)]
    pub(super) remedies: Vec<Remedy>,
}

#[derive(Serialize)]
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    scope: &'static str,
    readable: bool,
    pub(super) entries: usize,
}

#[derive(Serialize)]
pub(super) struct SelfTest {
    tried: usize,
    pub(super) refused: usize,
    pub(super) arrived: usize,
}

/// The administrator's policy, as it was applied.
#[derive(Serialize)]
pub(super) struct OfPolicy {
    /// The name of the revision.
    pub(super) policy: String,
    pub(super) stamp: Option<Stamp>,
    overdue: bool,
    /// Why it cannot be read.
    pub(super) wrong: Option<String>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(
        all: &'a [Diagnosis<'a>],
        wrong: &[ConfigError],
        fixed: &'a [Done],
        world: &World,
    ) -> Self {
        let asked = all.iter().any(|diagnosis| diagnosis.seen.is_installed());
        Self {
            version: 1,
            healthy: all.iter().all(Diagnosis::is_healthy)
                && (asked || all.is_empty())
                && wrong.is_empty(),
            asked,
            hosts: all.iter().map(OfHost::of).collect(),
            settings: wrong.iter().map(ToString::to_string).collect(),
            policy: OfPolicy::here(world),
            fixed,
        }
    }
}

impl<'a> OfHost<'a> {
    fn of(diagnosis: &'a Diagnosis<'a>) -> Self {
        let seen = &diagnosis.seen;
        let count = |outcome: &Outcome| {
            let trials = seen.trials.iter();
            trials.filter(|trial| trial.outcome == *outcome).count()
        };
        let files = seen.files.iter().map(|file| File {
            path: &file.path,
            scope: file.scope.name(),
            readable: file.is_readable(),
            entries: file.own_entries(),
        });
        Self {
            host: seen.host.id(),
            maturity: seen.host.facts().maturity.as_str(),
            agent: seen.agent.as_ref(),
            files: files.collect(),
            self_test: SelfTest {
                tried: seen.trials.len(),
                refused: count(&Outcome::Refused),
                arrived: count(&Outcome::Arrived),
            },
            verified: seen.verified.as_ref(),
            is_verified: seen.is_verified(),
            installed: seen.is_installed(),
            healthy: diagnosis.is_healthy(),
            findings: &diagnosis.findings,
            remedies: diagnosis.remedies(),
        }
    }
}

impl OfPolicy {
    fn here(world: &World) -> Option<Self> {
        let policy = Policy::of(&world.managed)?;
        let (stamp, wrong) = match policy.stamp {
            Ok(stamp) => (Some(stamp), None),
            Err(why) => (None, Some(why.clone())),
        };
        let is_overdue = |stamp: &Stamp| stamp.is_overdue(world.clock.now());
        Some(Self {
            policy: policy.name.to_string(),
            overdue: stamp.as_ref().is_none_or(is_overdue),
            stamp,
            wrong,
        })
    }
}
