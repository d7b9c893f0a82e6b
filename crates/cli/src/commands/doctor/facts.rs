//! What was found and done: what programs read, and what the page is made of.

use anyhook::config::ConfigError;
use anyhook::doctor::Diagnosis;
use anyhook::policy::{PolicyRevision, RevisionStamp};
use anyhook::survey::{HookStatus, Survey};
use anyhook::world::World;
use serde::Serialize;

use super::Repair;

/// Everything that was found and done. Its fields are stable.
#[derive(Serialize)]
pub(super) struct DoctorFacts<'a> {
    version: u32,
    /// Whether all is well. Where agents are here and none of them calls us, no hook guards anything.
    pub(super) healthy: bool,
    /// Whether an agent asks our hooks.
    pub(super) asked: bool,
    pub(super) hosts: &'a [Diagnosis<'a>],
    /// What is wrong in the files of settings.
    pub(super) settings: Vec<String>,
    pub(super) policy: Option<PolicyFacts>,
    /// The hooks of this folder that are switched off.
    pub(super) off: Vec<String>,
    pub(super) fixed: &'a [Repair],
}

/// The administrator's policy, as it was applied.
#[derive(Serialize)]
pub(super) struct PolicyFacts {
    /// The name of the revision.
    pub(super) policy: String,
    pub(super) stamp: Option<RevisionStamp>,
    overdue: bool,
    /// Why it cannot be read.
    pub(super) wrong: Option<String>,
}

impl<'a> DoctorFacts<'a> {
    pub(super) fn of(
        all: &'a [Diagnosis<'a>],
        wrong: &[ConfigError],
        fixed: &'a [Repair],
        world: &World,
    ) -> Self {
        let asked = all.iter().any(|diagnosis| diagnosis.seen.is_installed());
        Self {
            version: 1,
            healthy: all.iter().all(Diagnosis::is_healthy)
                && (asked || all.is_empty())
                && wrong.is_empty(),
            asked,
            hosts: all,
            settings: wrong.iter().map(ToString::to_string).collect(),
            policy: PolicyFacts::here(world),
            off: switched_off(world),
            fixed,
        }
    }
}

fn switched_off(world: &World) -> Vec<String> {
    let survey = Survey::of(world, "");
    let off = survey
        .hooks()
        .filter(|(_, listed)| matches!(listed.runs, HookStatus::Off(_)));
    off.map(|(_, listed)| listed.hook.info.name.to_string())
        .collect()
}

impl PolicyFacts {
    fn here(world: &World) -> Option<Self> {
        let policy = PolicyRevision::of(&world.managed)?;
        let (stamp, wrong) = match policy.stamp {
            Ok(stamp) => (Some(stamp), None),
            Err(why) => (None, Some(why.clone())),
        };
        let is_overdue = |stamp: &RevisionStamp| stamp.is_overdue(world.clock.now());
        Some(Self {
            policy: policy.name.to_string(),
            overdue: stamp.as_ref().is_none_or(is_overdue),
            stamp,
            wrong,
        })
    }
}
