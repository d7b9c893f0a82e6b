//! The life of a session: it becomes ready, begins, ends, and cleans up, each once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhook_core::event::{Data, Event};
use anyhook_core::events;
use anyhook_core::handler::{HandlerResult, HookHandler, IntoHandlerResult, later};
use anyhook_core::hook::Hook;
use anyhook_core::report::AskRound;
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::channels::fields;
use super::scope::ModuleScope;
use super::{HookFailure, Session, SessionEmission};
use crate::drivers::future::ask_alone;
use crate::lock;
use crate::registry::wait;

/// No callback is waited for longer than this when a session becomes ready or ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a session begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionOrigin {
    /// For the first time.
    #[default]
    New,
    /// Where it ended before.
    Resumed,
    /// As a part of its parent.
    Forked,
}

impl SessionOrigin {
    /// Returns the event, and what it says of its source.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::New => (events::SESSION_START, "startup"),
            Self::Resumed => (events::SESSION_RESUME, "resume"),
            Self::Forked => (events::SESSION_FORK, "fork"),
        }
    }
}

/// What the end of a session came to.
#[derive(Debug, Default)]
pub struct SessionOutcome {
    /// What hooks said about `session:end`; nothing where the session had ended before.
    pub acted: Option<SessionEmission>,
    /// The cleanups that failed.
    pub faults: Vec<HookFailure>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum LifeStage {
    #[default]
    Waiting,
    Begun,
    Ending,
    Over,
}

/// What waits for the session's beginning and end.
#[derive(Default)]
pub(super) struct Life(Mutex<LifePlan>);

#[derive(Default)]
struct LifePlan {
    stage: LifeStage,
    ready: Vec<PlannedCall>,
    cleanups: Vec<PlannedCall>,
}

/// A callback, and the module that it belongs to.
struct PlannedCall {
    hook: Hook,
    scope: Option<Arc<ModuleScope>>,
}

impl PlannedCall {
    fn is_of(&self, scope: &Arc<ModuleScope>) -> bool {
        let own = self.scope.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(own, scope))
    }
}

impl Life {
    /// Takes the newest cleanup; with the last one the session is over.
    fn next_cleanup(&self) -> Option<Hook> {
        let mut planned = lock(&self.0);
        let next = planned.cleanups.pop();
        if next.is_none() {
            planned.stage = LifeStage::Over;
        }
        next.map(|waiting| waiting.hook)
    }

    /// Takes the newest cleanup of one module.
    pub(super) fn cleanup_of(&self, scope: &Arc<ModuleScope>) -> Option<Hook> {
        let cleanups = &mut lock(&self.0).cleanups;
        let at = cleanups.iter().rposition(|waiting| waiting.is_of(scope))?;
        Some(cleanups.remove(at).hook)
    }

    pub(super) fn cleanups_of(&self, scope: &Arc<ModuleScope>) -> usize {
        let cleanups = &lock(&self.0).cleanups;
        cleanups.iter().filter(|it| it.is_of(scope)).count()
    }

    /// Forgets what one module wanted to do when the session becomes ready.
    pub(super) fn forget_ready(&self, scope: &Arc<ModuleScope>) {
        // Dropped after the lock: what they hold may call us.
        let mut planned = lock(&self.0);
        let gone: Vec<PlannedCall> = planned.ready.extract_if(.., |it| it.is_of(scope)).collect();
        drop(planned);
        drop(gone);
    }

    pub(super) fn is_ending(&self) -> bool {
        matches!(lock(&self.0).stage, LifeStage::Ending | LifeStage::Over)
    }
}

impl Drop for Life {
    /// A session that was not ended cleans up all the same. No listener is told: none may be left to wait for.
    fn drop(&mut self) {
        while let Some(hook) = self.next_cleanup() {
            drop(wait(run(&hook)));
        }
    }
}

/// Runs one callback. Its panic is a fault, and it is waited for ten seconds at most.
pub(super) async fn run(hook: &Hook) -> Option<HookFailure> {
    let event = Event::new(hook.event.as_str(), serde_json::Map::new());
    let said = ask_alone(hook, &event, AskRound::First, Some(PATIENCE)).await;
    let fault = said.err()?;
    Some(HookFailure {
        hook: hook.info.name.clone(),
        fault: *fault,
    })
}

/// Makes a handler of what is called once.
pub(super) fn once<R: IntoHandlerResult>(
    call: impl FnOnce() -> R + Send + 'static,
) -> impl HookHandler {
    let call = Mutex::new(Some(call));
    move |_: &Event| -> HandlerResult {
        let call = lock(&call).take();
        call.map_or(Ok(HookResult::proceed()), |call| call().into_said())
    }
}

fn once_async<Fut>(call: impl FnOnce() -> Fut + Send + 'static) -> impl HookHandler
where
    Fut: Future<Output: IntoHandlerResult> + Send + 'static,
{
    let call = Mutex::new(Some(call));
    later(move |_: Event| {
        let call = lock(&call).take();
        let future = call.map(|call| call());
        async move {
            match future {
                Some(future) => future.await.into_said(),
                None => Ok(HookResult::proceed()),
            }
        }
    })
}

impl Session {
    /// Registers what is to be done when the session becomes ready: after everything was registered, before it begins. In
    /// a session that is ready it is done at once.
    pub fn on_session_ready<R: IntoHandlerResult + 'static>(
        &self,
        name: &str,
        call: impl FnOnce(&Session) -> R + Send + 'static,
    ) {
        // Held weakly: a callback that is never called must not keep the session for ever.
        let session = Arc::downgrade(&self.inner);
        let scope = self.scope.clone();
        let call = once(move || match session.upgrade() {
            Some(inner) => call(&Session { inner, scope }).into_said(),
            None => Ok(HookResult::proceed()),
        });
        let hook = Hook::on(events::SESSION_START, call).named(name);
        let mut planned = lock(&self.inner.life.0);
        if planned.stage == LifeStage::Waiting {
            let scope = self.scope.clone();
            planned.ready.push(PlannedCall { hook, scope });
            return;
        }
        drop(planned);
        wait(self.make_ready(&hook));
    }

    async fn make_ready(&self, hook: &Hook) -> Option<HookFailure> {
        let failed = run(hook).await?;
        let mut data = serde_json::Map::new();
        data.insert("module_id".into(), Value::from(&*failed.hook));
        data.insert("error".into(), Value::from(&*failed.fault.text));
        let event = events::MODULE_ON_SESSION_READY_FAILED;
        self.inner.hooks.emit(event, data).await;
        Some(failed)
    }

    /// Registers what is to be done when the session is over. Cleanups run once, the newest first; a failing one is a
    /// fault, and the others run. In a session that is over it is done at once.
    pub fn register_cleanup<R: IntoHandlerResult + 'static>(
        &self,
        name: &str,
        call: impl FnOnce() -> R + Send + 'static,
    ) {
        self.plan(Hook::on(events::SESSION_END, once(call)).named(name));
    }

    /// Registers an async cleanup. It is waited for ten seconds.
    pub fn register_cleanup_async<Fut>(
        &self,
        name: &str,
        call: impl FnOnce() -> Fut + Send + 'static,
    ) where
        Fut: Future<Output: IntoHandlerResult> + Send + 'static,
    {
        self.plan(Hook::on(events::SESSION_END, once_async(call)).named(name));
    }

    pub(super) fn plan(&self, hook: Hook) {
        let mut planned = lock(&self.inner.life.0);
        if planned.stage != LifeStage::Over {
            let scope = self.scope.clone();
            planned.cleanups.push(PlannedCall { hook, scope });
            return;
        }
        drop(planned);
        let faults: Vec<HookFailure> = wait(run(&hook)).into_iter().collect();
        wait(self.tell_faults(&faults, events::SESSION_END));
    }

    /// Begins the session: what waits for it to be ready is done, then the event is emitted. A session begins once; what
    /// comes later is nothing.
    pub async fn start(&self, begins: SessionOrigin) -> Option<SessionEmission> {
        let ready = {
            let mut planned = lock(&self.inner.life.0);
            if planned.stage != LifeStage::Waiting {
                return None;
            }
            planned.stage = LifeStage::Begun;
            std::mem::take(&mut planned.ready)
        };
        let mut failed = Vec::new();
        for waiting in &ready {
            failed.extend(self.make_ready(&waiting.hook).await);
        }
        let parent = self.inner.setup.parent.as_deref();
        let (event, source) = begins.told();
        let data = fields(&[("source", Some(source)), ("parent", parent)]);
        let mut acted = self.emit(event, data).await;
        acted.processed.faults.splice(0..0, failed);
        Some(acted)
    }

    /// Ends the session: `session:end` is emitted first, so that every hook hears it, then the cleanups run. A session ends
    /// once; what comes later is nothing. If this future is dropped, what is left is done when the session is dropped.
    pub async fn end(&self, reason: &str) -> SessionOutcome {
        self.end_with(fields(&[("reason", Some(reason))])).await
    }

    /// Does what [`Session::end`] does, with everything that the event is to tell.
    ///
    /// ```
    /// # async fn example() {
    /// use anyhook_engine::Session;
    /// use anyhook_engine::session::Setup;
    /// use serde_json::json;
    /// let session = Session::with("s1", Setup::default());
    /// let ended = session.end_with(json!({"reason": "stop", "result": "3 files"})).await;
    /// assert_eq!(ended.acted.unwrap().event.text("result").as_deref(), Some("3 files"));
    /// # }
    /// # pollster::block_on(example());
    /// ```
    pub async fn end_with(&self, data: impl Into<Data>) -> SessionOutcome {
        let data = data.into();
        {
            let mut planned = lock(&self.inner.life.0);
            if matches!(planned.stage, LifeStage::Ending | LifeStage::Over) {
                return SessionOutcome::default();
            }
            planned.stage = LifeStage::Ending;
        }
        let acted = self.emit(events::SESSION_END, data).await;
        let mut faults = Vec::new();
        while let Some(hook) = self.inner.life.next_cleanup() {
            faults.extend(run(&hook).await);
        }
        self.tell_faults(&faults, events::SESSION_END).await;
        SessionOutcome {
            acted: Some(acted),
            faults,
        }
    }

    /// Does what [`Session::start`] does, and waits for it on this thread.
    pub fn start_blocking(&self, begins: SessionOrigin) -> Option<SessionEmission> {
        wait(self.start(begins))
    }

    /// Does what [`Session::end`] does, and waits for it on this thread.
    pub fn end_blocking(&self, reason: &str) -> SessionOutcome {
        wait(self.end(reason))
    }
}
