//! Asking declared hooks outside of a line: a program that is the agent mounted their package.

use std::cell::RefCell;
use std::time::Duration;

use anyhook_core::dispatch::{Faults, Policy, Record};
use anyhook_core::effects::{Level, Notice};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::fit::{Loss, Lost};
use anyhook_core::handler::Said;
use anyhook_core::hook::Hooks;
use anyhook_core::report::{Asked, Became, WhyNot};
use anyhook_core::result::Kind;
use anyhook_wires::hosts::universal::Universal;

use super::payloads::{self, ASYNC, Payloads};
use super::poll::{Driving, drive};
use super::{Caller, Line, Real, away};
use crate::load::Loading;
use crate::world::World;

/// What is left, when a hook's own time is over, for its processes to be ended.
const GRACE: Duration = Duration::from_secs(2);

/// Asks these hooks about an event as the line does, and returns what they say together, or the first failure.
#[doc(hidden)]
pub fn ask(
    world: &World,
    hooks: &Hooks,
    (mut event, asked): (Event, Asked),
    budget: Duration,
) -> Said {
    let line = Line {
        world,
        host: &Universal,
        caller: Caller::Person,
        hint: None,
        manifest: None,
        deadline: None,
        loading: Loading::default(),
        store: None,
        state: None,
    };
    let late = RefCell::default();
    let mut payloads = Payloads::new(&line, hooks, &event, &Real);
    payloads.keeps = false;
    let mut driving = Driving {
        world,
        budget: budget.saturating_add(GRACE),
        read: &|hook, raw, event| {
            let said = payloads::read(hook, raw, event);
            // There is no supervisor for a hook in the background here: it is waited for, and decides nothing.
            away::heard(hook, raw, said, &late)
        },
        hear: &|_, said| said,
        share: &mut |event, hooks| payloads.share(event, hooks),
        asked,
        once: &mut |_| true,
        taken: Vec::new(),
        gravest: Kind::Continue,
        background: None,
    };
    let policy = Policy {
        faults: Faults::AsDeclared,
        record: Record::Steps,
    };
    let (finished, mut left) = drive(hooks, &mut event, policy, &mut driving);
    left.settle();
    let mut steps = finished.steps.into_iter();
    let failed = steps.find_map(|step| failure(step.became));
    let mut said = failed.map_or(Ok(finished.result), Err)?;
    for loss in late.take() {
        let notice = Notice::new(too_late(&loss)).at(Level::Warning);
        said.effects.edit().notify.push(notice);
    }
    Ok(said)
}

/// Returns why a hook gave no answer.
fn failure(became: Became) -> Option<Box<Fault>> {
    match became {
        Became::Failed { fault, .. } => Some(fault),
        // A gate must not be open because its guard's turn never came.
        Became::NotAsked(WhyNot::OutOfTime) => {
            let text = "it was not asked: the run was ended, or its time was over";
            Some(Box::new(Fault::new(FaultKind::OutOfTime, text)))
        }
        Became::NotAsked(why) => Some(Box::new(Fault::not_asked(why))),
        Became::Said(_) | Became::Would(_) => None,
    }
}

/// Says what a hook said that goes on in the background, where it decides nothing any more.
fn too_late(loss: &Loss) -> String {
    let what = match &loss.what {
        Lost::Verdict(kind) => format!("`{}`", kind.as_str()),
        Lost::Rewrite(field) => format!("the rewrite of `{field}`"),
        Lost::Native(native) if native == ASYNC => {
            return format!("a hook printed `{ASYNC}`, and was waited for all the same");
        }
        _ => "an answer".to_owned(),
    };
    format!("{what} of a hook that goes on in the background came too late, and is lost")
}
