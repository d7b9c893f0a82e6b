//! Contribution channels: what modules add to a list that another module collects.

use std::collections::BTreeMap;
use std::sync::Mutex;

use anyhook_core::event::{Datum, Event};
use anyhook_core::fault::Fault;
use anyhook_core::hook::Hook;
use anyhook_core::report::StepOutcome;
use anyhook_core::result::HookResult;
use serde_json::{Map, Value, json};

use super::{HookFailure, Session};
use crate::registry::{Handle, Patience};
use crate::{HookRegistry, lock};

/// The channel of events that modules emit.
pub const OBSERVABLE: &str = "observability.events";

/// What every channel asks its contributors; the channel itself is the registry.
const CONTRIBUTE: &str = "session:contribute";

/// One registry for each channel, so that no name of a channel is a pattern or an alias of another one.
pub(super) type Channels = Mutex<BTreeMap<Box<str>, HookRegistry>>;

/// What the contributors of one channel gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contributions {
    /// Each contributor and what it gave, in the order of registration; `null` is nothing.
    pub given: Vec<(Box<str>, Value)>,
    /// Those who failed: a panic, or more than a second.
    pub faults: Vec<HookFailure>,
}

impl Contributions {
    /// Returns what was given.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.given.iter().map(|(_, value)| value)
    }
}

impl Session {
    /// Registers a contributor: a closure that is asked each time the channel is collected. Two of one name are two.
    pub fn register_contributor<R: Into<Value>>(
        &self,
        channel: &str,
        name: &str,
        give: impl Fn() -> R + Send + Sync + 'static,
    ) -> Handle {
        let handler = move |_: &Event| HookResult::proceed().reply(Datum::Json(give().into()));
        let registry = {
            let mut channels = lock(&self.inner.channels);
            channels.entry(channel.into()).or_default().clone()
        };
        let handle = registry.register(Hook::on(CONTRIBUTE, handler).named(name));
        if let Some(scope) = &self.scope {
            scope.keep(handle.clone());
        }
        handle
    }

    /// Asks the contributors of a channel, one after the other. One that fails is a fault, and the others are asked.
    pub async fn collect_contributions(&self, channel: &str) -> Contributions {
        let registry = lock(&self.inner.channels).get(channel).cloned();
        let Some(registry) = registry else {
            return Contributions::default();
        };
        let asked = registry.emit_and_collect(CONTRIBUTE, json!({}), Patience::default());
        let report = asked.await.report;
        let mut all = Contributions::default();
        for step in &report.steps {
            let name = report.hook(step.hook).map(|info| info.name.clone());
            let name = name.unwrap_or_default();
            match &step.became {
                StepOutcome::Said(Some(said)) => {
                    let reply = said.effects.get().and_then(|given| given.reply.as_ref());
                    let value = reply.map(Datum::json).filter(|value| !value.is_null());
                    all.given.extend(value.map(|value| (name, value)));
                }
                StepOutcome::Failed { fault, .. } => all.faults.push(HookFailure {
                    hook: name,
                    fault: Fault::clone(fault),
                }),
                StepOutcome::Said(None) | StepOutcome::Would(_) | StepOutcome::NotAsked(_) => {}
            }
        }
        self.tell_faults(&all.faults, channel).await;
        all
    }

    /// Does what [`Session::collect_contributions`] does, and waits for it on this thread.
    pub fn collect_contributions_blocking(&self, channel: &str) -> Contributions {
        crate::registry::wait(self.collect_contributions(channel))
    }
}

/// Fields for an event's data.
pub(super) fn fields(pairs: &[(&str, Option<&str>)]) -> Map<String, Value> {
    let given = pairs.iter().filter_map(|(field, value)| {
        let value = (*value)?;
        Some(((*field).to_owned(), Value::from(value)))
    });
    given.collect()
}
