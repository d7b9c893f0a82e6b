//! The part of a session that one module mounted: what it registered, and how that is taken back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use anyhook_core::effects::Level;
use anyhook_core::events;
use anyhook_core::hook::Hook;

use super::ports::DisplayMessage;
use super::{HookFailure, Session, life};
use crate::registry::{Ledger, Registration, Rules, wait};
use crate::{HookRegistry, lock};

/// One module of a session.
pub(super) struct MountedModule {
    key: Box<str>,
    name: Box<str>,
    scope: Arc<ModuleScope>,
}

/// What one module did to a session.
pub(super) struct ModuleScope {
    hooks: HookRegistry,
    ledger: Arc<Ledger>,
}

impl ModuleScope {
    pub(super) fn hooks(&self) -> &HookRegistry {
        &self.hooks
    }

    pub(super) fn keep(&self, handle: crate::registry::Handle) {
        self.ledger.keep(handle);
    }
}

impl Session {
    /// Returns the names of the modules that are mounted, in the order in which they were.
    ///
    /// ```
    /// use anyhook_engine::Session;
    /// use anyhook_engine::session::Setup;
    ///
    /// assert!(Session::with("s1", Setup::default()).modules().is_empty());
    /// ```
    pub fn modules(&self) -> Vec<String> {
        let modules = lock(&self.inner.modules);
        modules
            .iter()
            .map(|module| module.name.to_string())
            .collect()
    }

    /// Takes a module away, wherever its name stands in the session: its cleanups run, the newest first, and what it
    /// registered is taken back. Returns the cleanups that failed.
    pub async fn unmount(&self, module: &str) -> Vec<HookFailure> {
        let mut faults = Vec::new();
        for scoped in self.forget(module) {
            faults.extend(scoped.take_back().await);
        }
        self.tell_faults(&faults, events::SESSION_END).await;
        faults
    }

    /// Does what [`Session::unmount`] does, and waits for it on this thread.
    ///
    /// ```
    /// use anyhook_engine::Session;
    /// use anyhook_engine::session::Setup;
    ///
    /// let session = Session::with("s1", Setup::default());
    /// assert!(session.unmount_blocking("no-module").is_empty());
    /// ```
    pub fn unmount_blocking(&self, module: &str) -> Vec<HookFailure> {
        wait(self.unmount(module))
    }
}

/// For those who mount modules: the crate `anyhook`.
#[doc(hidden)]
impl Session {
    /// Returns this session for one module: what is registered through it is held to the rules, and can be taken back.
    pub fn scoped(&self, name: &str, rules: Rules) -> Self {
        let ledger = Arc::new(Ledger::new(rules));
        let scope = Arc::new(ModuleScope {
            hooks: self.inner.hooks.accounted(Arc::clone(&ledger)),
            ledger,
        });
        let scoped = Self {
            inner: Arc::clone(&self.inner),
            scope: Some(Arc::clone(&scope)),
        };
        // The oldest of its cleanups, so that it runs last.
        let take_back = life::once(move || scope.ledger.take_back());
        scoped.plan(Hook::on(events::SESSION_END, take_back).named(name));
        scoped
    }

    /// Returns what was registered through this session, where it is one module's.
    pub fn registered(&self) -> Vec<Registration> {
        let scope = self.scope.as_ref();
        scope.map_or_else(Vec::new, |scope| scope.ledger.registered())
    }

    /// Runs the cleanups of the module, the newest first, then takes back whatever it registered.
    pub async fn take_back(&self) -> Vec<HookFailure> {
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

    /// Notes that a module is mounted; not if it is already.
    pub fn reserve(&self, key: &str, name: &str, scoped: &Self) -> bool {
        let Some(scope) = &scoped.scope else {
            return false;
        };
        let mut modules = lock(&self.inner.modules);
        let is_new = !modules.iter().any(|module| &*module.key == key);
        if is_new {
            modules.push(MountedModule {
                key: key.into(),
                name: name.into(),
                scope: Arc::clone(scope),
            });
        }
        is_new
    }

    /// Notes that a module is not mounted after all.
    pub fn release(&self, key: &str) {
        drop(self.take_modules(|module| &*module.key == key));
    }

    /// Takes modules out of the list; they are dropped after the lock: what they hold may call us.
    fn take_modules(&self, is_one: impl Fn(&MountedModule) -> bool) -> Vec<MountedModule> {
        let mut modules = lock(&self.inner.modules);
        modules.extract_if(.., |module| is_one(module)).collect()
    }

    /// Forgets every module of a name, and returns the session of each, the newest first.
    fn forget(&self, name: &str) -> Vec<Self> {
        let gone = self
            .take_modules(|module| &*module.name == name)
            .into_iter();
        let scoped = gone.rev().map(|module| Self {
            inner: Arc::clone(&self.inner),
            scope: Some(module.scope),
        });
        scoped.collect()
    }

    /// Shows the person something of ours; where no person can be shown anything there is none to tell.
    pub fn show_own(&self, level: Level, source: &str, text: &str) {
        if let Some(display) = &self.inner.setup.display {
            let shown = DisplayMessage {
                text,
                level,
                source,
            };
            drop(catch_unwind(AssertUnwindSafe(|| display.show(&shown))));
        }
    }

    /// Counts the cleanups that wait, where this session is one module's: without our own.
    pub fn cleanups(&self) -> usize {
        let scope = self.scope.as_ref();
        let count = scope.map_or(0, |scope| self.inner.life.cleanups_of(scope));
        count.saturating_sub(1)
    }

    /// Tells whether this session has ended, or is about to.
    pub fn is_ending(&self) -> bool {
        self.inner.life.is_ending()
    }
}
