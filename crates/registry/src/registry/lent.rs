//! Handlers that get the registry itself, to emit and register from inside.

use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{HandlerResult, HookHandler, IntoHandlerResult};

use super::HookRegistry;

/// A handler that emits or registers from inside is lent the registry:
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use serde_json::json;
///
/// let registry = HookRegistry::new();
/// let heard = Arc::new(AtomicUsize::new(0));
/// let count = Arc::clone(&heard);
/// registry.on("my-hook:*", move |_: &Event| {
///     count.fetch_add(1, Ordering::Relaxed);
/// });
/// registry.on("tool:pre", registry.lending(|_: &Event, hooks: &HookRegistry| {
///     hooks.emit_blocking("my-hook:debug", json!({}));
/// }));
/// registry.emit_blocking("tool:pre", json!({}));
/// assert_eq!(heard.load(Ordering::Relaxed), 1);
/// ```
impl HookRegistry {
    /// Makes a handler of a closure that is lent this registry. Owning the registry itself, a handler would keep it alive
    /// for ever.
    pub fn lending<F, R>(&self, handler: F) -> impl HookHandler + use<F, R>
    where
        F: Fn(&Event, &HookRegistry) -> R + Send + Sync,
        R: IntoHandlerResult,
    {
        let (registry, ledger) = (Arc::downgrade(&self.inner), self.ledger.clone());
        move |event: &Event| -> HandlerResult {
            let gone = || {
                let text = "the registry that it was made with is gone";
                Box::new(Fault::new(FaultKind::NotStarted, text))
            };
            let inner = registry.upgrade().ok_or_else(gone)?;
            let ledger = ledger.clone();
            handler(event, &HookRegistry { inner, ledger }).into_said()
        }
    }
}
