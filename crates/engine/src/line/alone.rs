//! Asking declared hooks outside of a line: a program that is the agent mounted their package.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use anyhook_core::dispatch::{Faults, Policy, Record};
use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::hook::Hooks;
use anyhook_core::report::{Asked, Became};
use anyhook_wires::hosts::universal::Universal;

use super::payloads::{self, Payloads};
use super::{Caller, Line, Real, away};
use crate::drivers::poll::{Driving, drive};
use crate::load::Loading;
use crate::world::World;

/// What is left, when a hook's own time is over, for its processes to be ended.
const GRACE: Duration = Duration::from_secs(2);

/// Asks these hooks about an event as the line does, and returns what they say together, or the first failure.
pub(crate) fn ask(
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
    let mut payloads = Payloads::new(&line, hooks, &event, (&Real, Arc::default()));
    let mut driving = Driving {
        world,
        budget: budget.saturating_add(GRACE),
        read: &|hook, raw, event| {
            let said = payloads::read(hook, raw, event);
            // Nobody takes a hook in the background here: it is waited for, and decides nothing (D32).
            away::heard(hook, said, &RefCell::default())
        },
        hear: &|_, said| said,
        share: &mut |event, hooks| payloads.share(event, hooks),
        asked,
        once: &mut |_| true,
        background: None,
    };
    let policy = Policy {
        faults: Faults::AsDeclared,
        record: Record::Steps,
    };
    let (finished, mut left) = drive(hooks, &mut event, policy, &mut driving);
    left.settle();
    let failed = finished
        .steps
        .into_iter()
        .find_map(|step| match step.became {
            Became::Failed { fault, .. } => Some(fault),
            Became::Said(_) | Became::Would(_) | Became::NotAsked(_) => None,
        });
    failed.map_or(Ok(finished.result), Err)
}
