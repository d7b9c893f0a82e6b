//! Observers: they read the report of every event, and change nothing.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;

use anyhook_core::event::{Event, EventName};
use anyhook_core::fault::Fault;
use anyhook_core::hook::{HookInfo, Source};
use anyhook_core::report::Report;
use anyhook_core::result::HookResult;

use super::book::Key;
use super::isolated::Apart;
use super::{Handle, HookRegistry, Ledger};

/// Shows a report; returns the failure of who did not look at it in time.
type See = dyn Fn(&Event, &Report) -> Option<Box<Fault>> + Send + Sync;

/// Someone who reads reports.
pub(super) struct Observer {
    pub(super) info: Arc<HookInfo>,
    see: Box<See>,
}

impl HookRegistry {
    /// Registers an observer: it is shown the event as the hooks left it and the report of it, after the decision and also
    /// after a refusal. As long as there is one, an emit of its events keeps a report.
    ///
    /// Its panic is a remark in the report that later observers and the caller of
    /// [`dispatch`](HookRegistry::dispatch) see.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::report::Report;
    /// use anyhook_registry::core::result::HookResult;
    /// let registry = HookRegistry::new();
    /// registry.on("tool:pre", |_: &Event| HookResult::deny("read-only"));
    /// let (tell, told) = std::sync::mpsc::channel();
    /// registry.observe("tool:*", move |event: &Event, report: &Report| {
    ///     let _ = tell.send(format!("{}: {}", event.name, report.result.verdict.text()));
    /// });
    /// registry.emit_blocking("tool:pre", serde_json::json!({}));
    /// assert_eq!(told.try_iter().collect::<Vec<_>>(), ["tool:pre: read-only"]);
    /// ```
    #[track_caller]
    pub fn observe(
        &self,
        event: &str,
        see: impl Fn(&Event, &Report) + Send + Sync + 'static,
    ) -> Handle {
        let place = Location::caller();
        let name: Box<str> = format!("{}:{}", place.file(), place.line()).into();
        let source = Source {
            file: place.file().into(),
            line: place.line(),
        };
        let info = HookInfo {
            name: name.clone(),
            source: Some(source),
            ..HookInfo::default()
        };
        let event = EventName::new(event);
        if !self.admits(&event, &name) {
            return self.handle(event, name, Key::NONE);
        }
        let see = self.ruled(&name, see);
        let key = self.inner.book.add_observer(
            &event,
            Observer {
                info: Arc::new(info),
                see,
            },
        );
        self.handle(event, name, key)
    }
}

impl HookRegistry {
    /// Lets an observer see what its module may hear.
    fn ruled(&self, name: &str, see: impl Fn(&Event, &Report) + Send + Sync + 'static) -> Box<See> {
        let ledger = self.ledger.clone();
        let ledger = ledger.filter(|ledger| ledger.rules().enabled.is_some());
        let see = move |event: &Event, report: &Report| {
            let may_hear = |ledger: &Arc<Ledger>| ledger.rules().enables(event.name.as_str());
            if ledger.as_ref().is_none_or(may_hear) {
                see(event, report);
            }
        };
        let Some(within) = self.inner.isolate else {
            return Box::new(move |event, report| {
                see(event, report);
                None
            });
        };
        let (see, thread) = (Arc::new(see), Apart::new(Some(name), within));
        Box::new(move |event, report| {
            let (see, own, shown) = (Arc::clone(&see), event.clone(), report.clone());
            let call = thread.start(move |_| {
                see(&own, &shown);
                Ok(HookResult::proceed())
            });
            match call {
                Ok(call) => pollster::block_on(thread.wait(call, event.name.as_str())).err(),
                Err(fault) => Some(Box::new(fault)),
            }
        })
    }
}

/// Shows a report to all of them, in order.
pub(super) fn show(observers: &[Arc<Observer>], event: &Event, report: &mut Report) {
    for observer in observers {
        let seen = catch_unwind(AssertUnwindSafe(|| (observer.see)(event, report)));
        let fault = seen.unwrap_or_else(|panic| Some(Box::new(Fault::of_panic(&*panic))));
        if let Some(fault) = fault {
            let text = format!("the observer `{}` failed: {fault}", observer.info.name);
            report.remarks.push(text.into());
        }
    }
}
