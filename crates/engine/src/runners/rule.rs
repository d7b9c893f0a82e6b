//! `type: rule`: an answer that the file itself contains, given without a process.

mod confine;

use std::borrow::Cow;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::{RuleAnswer, SnapshotMode, UnknownPolicy};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::sandbox::{Network, Sandbox, SandboxPath};

use super::{RunnerReply, RunnerRequest};
use crate::rules;

const NOT_KEPT: &str = "What this may destroy cannot be kept in this program. Go on?";

/// Says what a rule says.
pub(super) fn prepare(asking: &RunnerRequest<'_>, then: &RuleAnswer) -> Result<RunnerReply, Fault> {
    let wrong = |why| Fault::new(FaultKind::BadEntry, why);
    let facts = asking.facts();
    let instead = then
        .unknown
        .filter(|way| *way != UnknownPolicy::Snapshot || asking.shared.keeps)
        .filter(|_| asking.is_only_unknown(&facts));
    let then = match instead {
        Some(way) => Cow::Owned(instead_of(then, way)),
        None => Cow::Borrowed(then),
    };
    let mut said = rules::said(&then, &facts).map_err(wrong)?;
    if then.snapshot == SnapshotMode::OrAsk && !asking.shared.keeps {
        said = said.then(HookResult::ask(NOT_KEPT));
    }
    if let Some(sandbox) = &then.confine {
        said = confine::add(said, sandbox, asking, &facts).map_err(wrong)?;
    }
    Ok(RunnerReply::Said(Box::new(said)))
}

/// What a rule says where it holds only because of what is not known of the call.
fn instead_of(then: &RuleAnswer, way: UnknownPolicy) -> RuleAnswer {
    let instead = RuleAnswer {
        unknown: Some(way),
        ..RuleAnswer::default()
    };
    match way {
        UnknownPolicy::Ask => {
            let said = then.verdict.as_ref().map(|(_, reason)| reason.clone());
            let said = said.filter(|reason| !reason.is_empty());
            let question = "A rule cannot tell what this does. Go on?";
            RuleAnswer {
                verdict: Some((Kind::Ask, said.unwrap_or_else(|| question.to_owned()))),
                ..instead
            }
        }
        UnknownPolicy::Confine => RuleAnswer {
            confine: Some(Sandbox {
                read: Some(vec![SandboxPath::project()]),
                write: Some(vec![SandboxPath::project()]),
                network: Some(Network::None),
                required: true,
                ..Sandbox::default()
            }),
            ..instead
        },
        UnknownPolicy::Snapshot => RuleAnswer {
            snapshot: SnapshotMode::OrAsk,
            ..instead
        },
    }
}
