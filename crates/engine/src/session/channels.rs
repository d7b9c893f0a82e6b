//! Contribution channels: what modules add to a list that another module collects, and capabilities that they offer.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook_core::event::{Datum, Event};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{HookHandler, later};
use anyhook_core::hook::Hook;
use anyhook_core::report::Became;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy;
use serde_json::{Map, Value, json};

use super::{Failed, Session};
use crate::HookRegistry;
use crate::registry::{Handle, Patience};

/// The channel of events that modules emit.
pub const OBSERVABLE: &str = "observability.events";

/// What every channel asks its contributors; the channel itself is the registry.
const CONTRIBUTE: &str = "session:contribute";

/// What was registered by name.
#[derive(Default)]
pub(super) struct Channels {
    /// One registry each, so that no name of a channel is a pattern or an alias of another one.
    channels: Mutex<BTreeMap<Box<str>, HookRegistry>>,
    capabilities: Mutex<HashMap<Box<str>, Arc<dyn Any + Send + Sync>>>,
}

impl Channels {
    /// Puts back what stood in the place of a capability, if that is still there.
    pub(super) fn restore(
        &self,
        name: &str,
        new: &Arc<dyn Any + Send + Sync>,
        old: Option<Arc<dyn Any + Send + Sync>>,
    ) {
        let mut all = lock(&self.capabilities);
        if !all.get(name).is_some_and(|now| Arc::ptr_eq(now, new)) {
            return;
        }
        match old {
            Some(old) => all.insert(name.into(), old),
            None => all.remove(name),
        };
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks can panic halfway through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the contributors of one channel gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contributions {
    /// Each contributor and what it gave, in the order of registration; `null` is nothing.
    pub given: Vec<(Box<str>, Value)>,
    /// Those who failed: a panic, or more than a second.
    pub faults: Vec<Failed>,
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
        self.contribute(channel, name, handler)
    }

    /// Registers an async contributor.
    pub fn register_contributor_async<R, Fut>(
        &self,
        channel: &str,
        name: &str,
        give: impl Fn() -> Fut + Send + Sync + 'static,
    ) -> Handle
    where
        R: Into<Value>,
        Fut: Future<Output = R> + Send + 'static,
    {
        let handler = later(move |_: Event| {
            let given = give();
            async move { HookResult::proceed().reply(Datum::Json(given.await.into())) }
        });
        self.contribute(channel, name, handler)
    }

    fn contribute(&self, channel: &str, name: &str, handler: impl HookHandler + 'static) -> Handle {
        let registry = {
            let mut channels = lock(&self.inner.channels.channels);
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
        let registry = lock(&self.inner.channels.channels).get(channel).cloned();
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
                Became::Said(Some(said)) => {
                    let reply = said.effects.get().and_then(|given| given.reply.as_ref());
                    let value = reply.map(Datum::json).filter(|value| !value.is_null());
                    all.given.extend(value.map(|value| (name, value)));
                }
                Became::Failed { fault, .. } => all.faults.push(Failed {
                    hook: name,
                    fault: Fault::clone(fault),
                }),
                Became::Said(None) | Became::Would(_) | Became::NotAsked(_) => {}
            }
        }
        self.tell_faults(&all.faults, channel).await;
        all
    }

    /// Does what [`Session::collect_contributions`] does, and waits for it on this thread.
    pub fn collect_contributions_blocking(&self, channel: &str) -> Contributions {
        crate::registry::wait(self.collect_contributions(channel))
    }

    /// Returns every event that may be heard in this session: those of the catalogue, and those that modules name in the
    /// channel [`OBSERVABLE`], as a text or a list of texts. A subscriber to `*` hears all of them.
    pub async fn observable_events(&self) -> (BTreeSet<String>, Vec<Failed>) {
        let contributed = self.collect_contributions(OBSERVABLE).await;
        let mut faults = contributed.faults;
        let rows = taxonomy::EVENTS.iter().map(|row| row.name.to_owned());
        let mut all: BTreeSet<String> = rows.collect();
        for (hook, value) in contributed.given {
            match names(value) {
                Ok(names) => all.extend(names),
                Err(value) => faults.push(Failed {
                    hook,
                    fault: Fault::new(
                        FaultKind::InvalidAnswer,
                        format!("it names events by `{value}`, which is no list of texts"),
                    ),
                }),
            }
        }
        (all, faults)
    }

    /// Offers something to other modules by name. The last one of a name holds; what was there before comes back.
    pub fn register_capability<T: Send + Sync + 'static>(
        &self,
        name: &str,
        capability: T,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let new: Arc<dyn Any + Send + Sync> = Arc::new(capability);
        let mut all = lock(&self.inner.channels.capabilities);
        let old = all.insert(name.into(), Arc::clone(&new));
        drop(all);
        if let Some(scope) = &self.scope {
            scope.offers(name, new, old.clone());
        }
        old
    }

    /// Returns what is offered by that name; nothing where nothing is, or where it is something else.
    pub fn get_capability<T: Send + Sync + 'static>(&self, name: &str) -> Option<Arc<T>> {
        let found = lock(&self.inner.channels.capabilities).get(name).cloned();
        found?.downcast().ok()
    }
}

fn names(value: Value) -> Result<Vec<String>, Value> {
    match value {
        Value::String(name) => Ok(vec![name]),
        Value::Array(list) if list.iter().all(Value::is_string) => {
            let text = |value| match value {
                Value::String(text) => Some(text),
                _ => None,
            };
            Ok(list.into_iter().filter_map(text).collect())
        }
        other => Err(other),
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
