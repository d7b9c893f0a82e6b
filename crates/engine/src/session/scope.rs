//! The part of a session that one module mounted: what it registered, and how that is taken back.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhook_core::events;
use anyhook_core::hook::Hook;

use super::{Failed, Inner, Session, life};
use crate::HookRegistry;
use crate::registry::{Ledger, Registered, Rules};

type Capability = Arc<dyn Any + Send + Sync>;

/// What one module did to a session.
pub(super) struct Scope {
    hooks: HookRegistry,
    ledger: Arc<Ledger>,
    /// The capabilities that it offers, each with the one that it took the place of.
    capabilities: Mutex<Vec<(Box<str>, Capability, Option<Capability>)>>,
}

impl Scope {
    pub(super) fn hooks(&self) -> &HookRegistry {
        &self.hooks
    }

    pub(super) fn keep(&self, handle: crate::registry::Handle) {
        self.ledger.keep(handle);
    }

    pub(super) fn offers(&self, name: &str, new: Capability, old: Option<Capability>) {
        let mut all = self
            .capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        all.push((name.into(), new, old));
    }

    /// Takes back what was registered. A capability that somebody else replaced stays replaced.
    fn take_back(&self, session: &Weak<Inner>) {
        self.ledger.take_back();
        let mut all = self
            .capabilities
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let all = std::mem::take(&mut *all);
        if let Some(session) = session.upgrade() {
            for (name, new, old) in all.into_iter().rev() {
                session.channels.restore(&name, &new, old);
            }
        }
    }
}

impl Session {
    /// Returns this session for one module: what is registered through it is held to the rules, and can be taken back.
    pub(crate) fn scoped(&self, name: &str, rules: Rules) -> Self {
        let ledger = Arc::new(Ledger::new(rules));
        let scope = Arc::new(Scope {
            hooks: self.inner.hooks.accounted(Arc::clone(&ledger)),
            ledger,
            capabilities: Mutex::default(),
        });
        let scoped = Self {
            inner: Arc::clone(&self.inner),
            scope: Some(Arc::clone(&scope)),
        };
        // The oldest of its cleanups, so that it runs last.
        let session = Arc::downgrade(&self.inner);
        let take_back = life::once(move || scope.take_back(&session));
        scoped.plan(Hook::on(events::SESSION_END, take_back).named(name));
        scoped
    }

    /// Returns what was registered through this session, where it is one module's.
    pub(crate) fn registered(&self) -> Vec<Registered> {
        let scope = self.scope.as_ref();
        scope.map_or_else(Vec::new, |scope| scope.ledger.registered())
    }

    /// Runs the cleanups of the module, the newest first, then takes back whatever it registered.
    pub(crate) async fn take_back(&self) -> Vec<Failed> {
        let Some(scope) = &self.scope else {
            return Vec::new();
        };
        let mut faults = Vec::new();
        self.inner.life.forget_ready(scope);
        while let Some(hook) = self.inner.life.cleanup_of(scope) {
            faults.extend(life::run(&hook).await);
        }
        faults
    }

    /// Counts the cleanups that wait, where this session is one module's: without our own.
    pub(crate) fn cleanups(&self) -> usize {
        let scope = self.scope.as_ref();
        let count = scope.map_or(0, |scope| self.inner.life.cleanups_of(scope));
        count.saturating_sub(1)
    }

    /// Tells whether this session has ended, or is about to.
    pub(crate) fn is_ending(&self) -> bool {
        self.inner.life.is_ending()
    }
}
