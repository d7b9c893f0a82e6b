//! Handlers that get the registry itself, to emit and register from inside.

use std::sync::{Arc, Weak};

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{HookHandler, IntoSaid, Said, later};

use super::{HookRegistry, Inner, Ledger};

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
/// registry.on("tool:pre", registry.lending_async(|_: Event, hooks: HookRegistry| async move {
///     hooks.emit("my-hook:trace", json!({})).await;
/// }));
/// registry.emit_blocking("tool:pre", json!({}));
/// assert_eq!(heard.load(Ordering::Relaxed), 2);
/// ```
impl HookRegistry {
    /// Makes a handler of a closure that is lent this registry. Owning the registry itself, a handler would keep it alive
    /// for ever.
    pub fn lending<F, R>(&self, handler: F) -> impl HookHandler + use<F, R>
    where
        F: Fn(&Event, &HookRegistry) -> R + Send + Sync,
        R: IntoSaid,
    {
        let registry = self.lender();
        move |event: &Event| -> Said {
            match registry.lend() {
                Ok(registry) => handler(event, &registry).into_said(),
                Err(gone) => Err(gone),
            }
        }
    }

    /// Does what [`HookRegistry::lending`] does, for an async closure or function.
    pub fn lending_async<F, Fut>(&self, handler: F) -> impl HookHandler + use<F, Fut>
    where
        F: Fn(Event, HookRegistry) -> Fut + Send + Sync,
        Fut: Future<Output: IntoSaid> + Send + 'static,
    {
        let registry = self.lender();
        later(move |event: Event| {
            let answer = registry.lend().map(|registry| handler(event, registry));
            async move { answer?.await.into_said() }
        })
    }
}

/// Holds a registry without keeping it alive, and the account that a handler registers on.
struct Lender {
    registry: Weak<Inner>,
    ledger: Option<Arc<Ledger>>,
}

impl HookRegistry {
    fn lender(&self) -> Lender {
        Lender {
            registry: Arc::downgrade(&self.inner),
            ledger: self.ledger.clone(),
        }
    }
}

impl Lender {
    fn lend(&self) -> Result<HookRegistry, Box<Fault>> {
        let gone = || {
            let text = "the registry that it was made with is gone";
            Box::new(Fault::new(FaultKind::NotStarted, text))
        };
        let inner = self.registry.upgrade().ok_or_else(gone)?;
        let ledger = self.ledger.clone();
        Ok(HookRegistry { inner, ledger })
    }
}
