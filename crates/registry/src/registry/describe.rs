//! The description of a registry's handlers, for programs and people.

use std::sync::Arc;
use std::time::Duration;

use anyhook_core::event::EventName;
use anyhook_core::hook::{Hook, HookInfo, OnFault, Role, Times};

use super::{HookRegistry, Observer};

/// One registration, for a person or a dashboard to look at.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::hook::{Hook, OnFault, Role};
/// use anyhook_registry::registry::Described;
///
/// let registry = HookRegistry::new();
/// registry.register(Hook::on("tool:pre", |_: &Event| ()).named("secrets").guard());
/// let Described { info, role, on_fault, .. } = &registry.describe()[0];
/// assert_eq!((&*info.name, role, on_fault), ("secrets", &Role::Decide, &OnFault::Deny));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// What it is registered for: an event's canonical name, or a pattern.
    pub event: EventName,
    /// Who it is: name, place in the source, matcher, priority.
    pub info: Arc<HookInfo>,
    /// Whether it decides or observes.
    pub role: Role,
    /// What its own failure means.
    pub on_fault: OnFault,
    /// How often it is asked.
    pub times: Times,
    /// How long it may take, if that is limited.
    pub deadline: Option<Duration>,
}

impl Described {
    fn of_hook(hook: &Hook) -> Self {
        Self {
            event: hook.event.clone(),
            info: Arc::clone(&hook.info),
            role: hook.role,
            on_fault: hook.on_fault,
            times: hook.times,
            deadline: hook.deadline,
        }
    }

    fn of_observer(event: &EventName, observer: &Observer) -> Self {
        Self {
            event: event.clone(),
            info: Arc::clone(&observer.info),
            role: Role::Observe,
            on_fault: OnFault::Continue,
            times: Times::Always,
            deadline: None,
        }
    }
}

impl HookRegistry {
    /// Describes every registration: by event in the order in which handlers first registered for it, and there in the
    /// order of asking, observers of reports last.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::hook::Hook;
    /// let registry = HookRegistry::new();
    /// registry.register(Hook::on("tool:*", |_: &Event| ()).named("audit").priority(9).once());
    /// let [audit] = &registry.describe()[..] else { panic!("one was registered") };
    /// assert_eq!(
    ///     (audit.event.as_str(), &*audit.info.name, audit.info.priority),
    ///     ("tool:*", "audit", 9)
    /// );
    /// ```
    pub fn describe(&self) -> Vec<Described> {
        let written = self.inner.book.lock();
        let mut all = Vec::new();
        for (event, page) in written.pages.values() {
            all.extend(page.hooks.iter().map(|hook| Described::of_hook(&hook.what)));
            let observers = page.observers.iter();
            all.extend(observers.map(|observer| Described::of_observer(event, &observer.what)));
        }
        all
    }
}
