//! The handle of a registration, which undoes it.

use std::sync::{Arc, Weak};

use anyhook_core::event::EventName;

use super::book::PriorityKey;
use super::{HookRegistry, RegistryInner};

/// One registration. Dropping it leaves the handler registered.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::hook::Hook;
/// use anyhook_registry::registry::Handle;
///
/// let registry = HookRegistry::new();
/// let twice = || registry.register(Hook::on("tool:pre", |_: &Event| ()).named("lint"));
/// let [first, second]: [Handle; 2] = [twice(), twice()];
/// assert_eq!(first.name(), second.name());
/// first.unregister();
/// first.unregister();
/// assert_eq!(
///     registry.list_handlers(Some("tool:pre"))["tool:pre"],
///     ["lint"],
///     "the second one stays"
/// );
/// ```
#[derive(Debug, Clone)]
pub struct Handle {
    event: EventName,
    name: Box<str>,
    key: PriorityKey,
    registry: Weak<RegistryInner>,
}

impl HookRegistry {
    pub(super) fn handle(&self, event: EventName, name: Box<str>, key: PriorityKey) -> Handle {
        let handle = Handle {
            registry: Arc::downgrade(&self.inner),
            event,
            name,
            key,
        };
        if let Some(ledger) = &self.ledger {
            ledger.keep(handle.clone());
        }
        handle
    }
}

impl Handle {
    /// Removes this registration, and no other one of its name. Doing it twice is doing it once; a dispatch that has
    /// already begun still asks the handler.
    pub fn unregister(&self) {
        if let Some(registry) = self.registry.upgrade() {
            registry.book.remove(&self.event, self.key);
        }
    }

    /// Returns the name it was registered by.
    pub fn name(&self) -> &str {
        &self.name
    }
}
