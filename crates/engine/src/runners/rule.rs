//! `type: rule`: an answer that the file itself contains, given without a process.

mod confine;

use std::borrow::Cow;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::{Snapshot, Then, WhenUnknown};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::sandbox::{Network, Place, Sandbox};

use super::{Asking, Prepared};
use crate::rules;

const NOT_KEPT: &str = "What this may destroy cannot be kept in this program. Go on?";

/// Says what a rule says.
pub(super) fn prepare(asking: &Asking<'_>, then: &Then) -> Result<Prepared, Fault> {
    let wrong = |why| Fault::new(FaultKind::BadEntry, why);
    let facts = asking.facts();
    let instead = then
        .unknown
        .filter(|way| *way != WhenUnknown::Snapshot || asking.shared.keeps)
        .filter(|_| asking.is_only_unknown(&facts));
    let then = match instead {
        Some(way) => Cow::Owned(instead_of(then, way)),
        None => Cow::Borrowed(then),
    };
    let mut said = rules::said(&then, &facts).map_err(wrong)?;
    if then.snapshot == Snapshot::OrAsk && !asking.shared.keeps {
        said = said.then(HookResult::ask(NOT_KEPT));
    }
    if let Some(sandbox) = &then.confine {
        said = confine::add(said, sandbox, asking, &facts).map_err(wrong)?;
    }
    Ok(Prepared::Said(Box::new(said)))
}

/// What a rule says where it holds only because of what is not known of the call.
fn instead_of(then: &Then, way: WhenUnknown) -> Then {
    let instead = Then {
        unknown: Some(way),
        ..Then::default()
    };
    match way {
        WhenUnknown::Ask => {
            let said = then.verdict.as_ref().map(|(_, reason)| reason.clone());
            let said = said.filter(|reason| !reason.is_empty());
            let question = "A rule cannot tell what this does. Go on?";
            Then {
                verdict: Some((Kind::Ask, said.unwrap_or_else(|| question.to_owned()))),
                ..instead
            }
        }
        WhenUnknown::Confine => Then {
            confine: Some(Sandbox {
                read: Some(vec![Place::project()]),
                write: Some(vec![Place::project()]),
                network: Some(Network::None),
                required: true,
                ..Sandbox::default()
            }),
            ..instead
        },
        WhenUnknown::Snapshot => Then {
            snapshot: Snapshot::OrAsk,
            ..instead
        },
    }
}
