//! The registry of a program's own hooks: which hooks are asked about an event, and the asking.
//!
//! A [`HookRegistry`] is shared by cloning it. Handlers are closures, async functions, or anything that implements
//! [`HookHandler`]; they are asked one after the other, by priority and then as registered. Any executor will do, or none:
//! the futures need no runtime, and [`HookRegistry::emit_blocking`] needs no executor.
//!
//! ```
//! use anyhook_registry::HookRegistry;
//! use anyhook_registry::core::event::Event;
//! use anyhook_registry::core::hook::Hook;
//! use anyhook_registry::core::result::{HookResult, Kind};
//! use serde_json::json;
//!
//! # async fn example() {
//! let registry = HookRegistry::new();
//! registry.on("tool:pre", |event: &Event| match event.text("tool_name").as_deref() {
//!     Some("Bash") => HookResult::deny("no shell in this session; use the editor"),
//!     _ => HookResult::proceed(),
//! });
//! registry.on_async("tool:*", |event: Event| async move { println!("{}", event.name) });
//! let audit = registry.register(Hook::on("*", |_: &Event| ()).named("audit").priority(100));
//!
//! let said = registry.emit("tool:pre", json!({"tool_name": "Bash"})).await;
//! assert_eq!(said.result.verdict.kind(), Kind::Deny);
//! audit.unregister();
//! # }
//! # pollster::block_on(example());
//! ```
//!
//! # What it guarantees
//!
//! | | |
//! |---|---|
//! | order | priority ascending, then as registered; a refusal ends the asking of all but observers |
//! | snapshot | an emit asks those who were registered when it began |
//! | failure | a panic, an error or a passed deadline is a fault of that hook; its own rule says what follows |
//! | depth | a handler may register, unregister and emit; 16 emits inside each other, then each hook fails |
//! | copies | the data is not copied unless a hook rewrites it and another event still holds it |
//! | locks | none while emitting, and none across an await |

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use anyhook_core::dispatch::{Dispatch, DispatchPolicy, StepRecording, Strictness};
use anyhook_core::event::{Data, Event, EventName, Map};
use anyhook_core::handler::{HookHandler, IntoHandlerResult, later};
use anyhook_core::hook::{Hook, OnFault};
use anyhook_core::ports::Clock;
use anyhook_core::report::{Heading, Report};
use anyhook_core::result::{HookId, HookResult};
use anyhook_core::taxonomy::suggest;

use crate::clock::SystemClock;
use crate::drivers::future::{ClaimChange, drive};

mod book;
mod collect;
mod handle;
mod isolated;
mod ledger;
mod lent;

pub use collect::{BadPatience, CollectOutcome, Patience};
pub use handle::Handle;
pub use isolated::isolated;
#[doc(hidden)]
pub use ledger::Ledger;
pub use ledger::{LogLevel, Registration, Rules};

use book::{HookList, PriorityKey, RegistrationBook};

/// How an emit is held: no caller asked for its story.
const SILENT: DispatchPolicy = DispatchPolicy {
    strict: Strictness::Lenient,
    record: StepRecording::Nothing,
};

/// Hooks in order, and the events that are offered to them.
///
/// Clones are one registry: each holder may register, and the emits of all are heard.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use serde_json::json;
///
/// let registry = HookRegistry::new();
/// let plugin = registry.clone();
/// plugin.on("prompt:submit", |_: &Event| ());
/// assert_eq!(registry.list_handlers(None).len(), 1);
/// assert!(
///     registry.emit_blocking("prompt:submit", json!({"prompt": "hello"})).result.is_identity()
/// );
/// ```
#[derive(Clone)]
pub struct HookRegistry {
    inner: Arc<RegistryInner>,
    /// The account of the module that registers through this one.
    ledger: Option<Arc<Ledger>>,
}

struct RegistryInner {
    book: RegistrationBook,
    clock: Arc<dyn Clock>,
    /// How long a handler without a deadline may take before it is given up with its thread; nothing where each runs where
    /// the event is emitted.
    isolate: Option<Duration>,
}

/// What [`HookRegistry::emit`] came to.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::result::HookResult;
/// use anyhook_registry::registry::EmitOutcome;
/// use serde_json::json;
///
/// let registry = HookRegistry::new();
/// registry.on("tool:pre", |_: &Event| {
///     HookResult::proceed().modify("tool_input", json!({"command": "pnpm i"}))
/// });
/// let EmitOutcome { result, event } =
///     registry.emit_blocking("tool:pre", json!({"tool_input": {"command": "npm i"}}));
/// assert_eq!(event.json()["tool_input"]["command"], "pnpm i");
/// assert_eq!(result.effects.patch().len(), 1, "and that a handler changed it is known");
/// ```
#[derive(Debug, Clone)]
pub struct EmitOutcome {
    /// What all hooks said together. It is what was asked for, not yet fitted to anybody.
    pub result: HookResult,
    /// The event as the hooks left it: its data holds every rewrite.
    pub event: Event,
}

impl Default for HookRegistry {
    fn default() -> Self {
        Self::with_clock(Arc::new(SystemClock::default()))
    }
}

impl HookRegistry {
    /// Makes an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes an empty registry that is told the time.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::ports::Clock;
    /// use serde_json::json;
    ///
    /// struct Noon;
    /// impl Clock for Noon {
    ///     fn now(&self) -> i64 {
    ///         43_200_000
    ///     }
    ///     fn since(&self) -> Duration {
    ///         Duration::ZERO
    ///     }
    /// }
    ///
    /// let registry = HookRegistry::with_clock(Arc::new(Noon));
    /// registry.on("tool:pre", |_: &Event| ());
    /// let said = registry.emit_blocking("tool:pre", json!({}));
    /// assert_eq!(said.event.text("timestamp").as_deref(), Some("1970-01-01T12:00:00.000+00:00"));
    /// ```
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self::made(clock, None)
    }

    /// Makes an empty registry whose handlers can hang and take nothing with them.
    ///
    /// Each handler is [isolated](isolated()): it runs on a thread of its own, and one that does not come back
    /// within its deadline, or within this time if it has none, is given up with that thread, and has failed. While three of
    /// its calls do not come back it is off: each event has a fault of it that says so, a guard refuses, and a warning with
    /// its name goes to the `log` crate.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::result::{HookResult, Kind};
    /// use anyhook_registry::SystemClock;
    /// use serde_json::json;
    ///
    /// let registry = HookRegistry::isolating(Arc::new(SystemClock::default()), Duration::from_millis(20));
    /// registry.on("tool:pre", |_: &Event| -> HookResult { loop { std::thread::park() } });
    /// registry.on("tool:pre", |_: &Event| HookResult::deny("read-only"));
    /// let said = registry.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
    /// assert_eq!(said.result.verdict.kind(), Kind::Deny);
    /// ```
    pub fn isolating(clock: Arc<dyn Clock>, within: Duration) -> Self {
        Self::made(clock, Some(within))
    }

    fn made(clock: Arc<dyn Clock>, isolate: Option<Duration>) -> Self {
        let book = RegistrationBook::default();
        Self {
            inner: Arc::new(RegistryInner {
                book,
                clock,
                isolate,
            }),
            ledger: None,
        }
    }

    /// Registers a closure, or whatever else handles events: priority 0, named after this place in the source.
    ///
    /// The event may be written in any spelling, and a `*` in it stands for any text.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::result::HookResult;
    /// let registry = HookRegistry::new();
    /// registry.on("PreToolUse", |_: &Event| HookResult::proceed().notify("a tool is about to run"));
    /// let said = registry.emit_blocking("tool:pre", serde_json::json!({})).result;
    /// assert_eq!(&*said.effects.notify()[0].text, "a tool is about to run");
    /// ```
    #[track_caller]
    pub fn on(&self, event: &str, handler: impl HookHandler + 'static) -> Handle {
        self.register(Hook::on(event, handler))
    }

    /// Registers an async closure or function; it is given the event itself, which shares its data.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::result::HookResult;
    /// let registry = HookRegistry::new();
    /// registry.on_async("tool:post", |event: Event| async move {
    ///     match event.text("tool_name").as_deref() {
    ///         Some("Write") => HookResult::proceed().inject("run the linter before you go on"),
    ///         _ => HookResult::proceed(),
    ///     }
    /// });
    /// let said =
    ///     registry.emit_blocking("tool:post", serde_json::json!({"tool_name": "Write"})).result;
    /// assert_eq!(said.effects.inject().len(), 1);
    /// ```
    #[track_caller]
    pub fn on_async<F, Fut>(&self, event: &str, handler: F) -> Handle
    where
        F: Fn(Event) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoHandlerResult> + Send + 'static,
    {
        self.register(Hook::on(event, later(handler)))
    }

    /// Registers a hook, with all that a hook can say of itself.
    ///
    /// It has to be code of this process: one that a manifest declares cannot be asked here, and so it refuses. In the crate
    /// `anyhook`, `mounts::in_process` makes code of such a hook, and `mounts::LoadHooks` registers those of a file.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::hook::Hook;
    /// use anyhook_registry::core::result::HookResult;
    /// use std::time::Duration;
    /// let registry = HookRegistry::new();
    /// let handle = registry.register(
    ///     Hook::on("tool:pre", |_: &Event| HookResult::deny("read-only"))
    ///         .named("no-writes")
    ///         .priority(-10)
    ///         .deadline(Duration::from_millis(500))
    ///         .guard(),
    /// );
    /// assert_eq!(handle.name(), "no-writes");
    /// ```
    pub fn register(&self, mut hook: Hook) -> Handle {
        // A hook that a manifest declares cannot be asked here: it refuses, whatever it is.
        if hook.is_declared() {
            hook.on_fault = OnFault::Deny;
        }
        let (event, name) = (hook.event.clone(), hook.info.name.clone());
        let admitted = match &self.ledger {
            Some(ledger) => ledger.admit(hook),
            None => Some(hook),
        };
        let Some(hook) = admitted else {
            // A handler that may hear nothing is not registered: its handle undoes nothing.
            return self.handle(event, name, PriorityKey::NONE);
        };
        warn_of_slip(&event, &name);
        let hook = match self.inner.isolate {
            Some(within) => isolated::isolate(hook, within),
            None => hook,
        };
        let key = self.inner.book.add_hook(hook);
        self.handle(event, name, key)
    }

    /// Removes the newest registration of a name, and tells whether there was one.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::hook::Hook;
    /// let registry = HookRegistry::new();
    /// registry.register(Hook::on("tool:pre", |_: &Event| ()).named("lint"));
    /// assert!(registry.unregister("lint"));
    /// assert!(!registry.unregister("lint"));
    /// ```
    pub fn unregister(&self, name: &str) -> bool {
        self.inner.book.remove_named(name)
    }

    /// Replaces the fields that every event has which does not bring its own. They are not added to those of an earlier
    /// call, and not to the data of an event without listeners.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use serde_json::json;
    /// let registry = HookRegistry::new();
    /// registry.set_default_fields(json!({"session_id": "s1", "user_id": "u1"}));
    /// registry.on("tool:pre", |_: &Event| ());
    /// let said = registry.emit_blocking("tool:pre", json!({"user_id": "u2"}));
    /// assert_eq!(said.event.get("session_id").as_deref(), Some(&json!("s1")));
    /// assert_eq!(said.event.get("user_id").as_deref(), Some(&json!("u2")));
    /// ```
    pub fn set_default_fields(&self, fields: impl Into<Data>) {
        let fields: Map = fields.into().json().into_owned();
        self.inner.book.set_defaults(fields);
    }

    /// Offers an event to everybody who is registered for it, and returns what they said together, with the data as they
    /// left it.
    ///
    /// Rewrites chain: each hook sees those before it. The event is stamped with the time, over a `timestamp` of the
    /// caller's. Without listeners the data comes back as it is. Give the data away, or share it as an
    /// `Arc<Map>`: neither is copied unless a handler rewrites.
    ///
    /// Dropping the future ends the asking: the handler that is being awaited is dropped, and the others are not asked.
    ///
    /// Data that is no object is an error: the answer is a refusal, and no hook is asked.
    pub async fn emit(&self, event: &str, data: impl Into<Data>) -> EmitOutcome {
        let data = data.into();
        if let Some(found) = data.problem() {
            let event = Event::new(event, data);
            let result = unreadable(&event.name, found);
            return EmitOutcome { result, event };
        }
        let (rows, mut other) = self.inner.book.read();
        let list = self.inner.book.list(&rows, &mut other, event);
        if list.is_empty() {
            let event = Event::named(list.name.clone(), data);
            let result = HookResult::proceed();
            return EmitOutcome { result, event };
        }
        let mut event = Event::named(list.name.clone(), data);
        list.fill(&mut event.data);
        event.at = Some(self.inner.clock.now());
        let mut dispatch = Dispatch::begin(&list.hooks, &event, SILENT);
        let once = |id, what| self.once(list, id, what);
        drive(&mut dispatch, &list.hooks, &mut event, &once).await;
        let result = dispatch.take_result();
        EmitOutcome { result, event }
    }

    /// Offers an event to everybody who is registered for it, and returns the whole story: each hook, what it said, how
    /// long it was waited for, and its failure. The event is left as the hooks made it.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::fault::FaultKind;
    /// use serde_json::json;
    /// let registry = HookRegistry::new();
    /// registry.on("tool:pre", |_: &Event| Err::<(), _>("the linter is not installed"));
    /// let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
    /// let report = registry.dispatch_blocking(&mut event);
    /// let faults: Vec<FaultKind> = report.faults().map(|(_, fault)| fault.kind).collect();
    /// assert_eq!(faults, [FaultKind::Errored]);
    /// ```
    ///
    /// On an executor:
    ///
    /// ```
    /// # async fn example() {
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::result::HookResult;
    /// use serde_json::json;
    ///
    /// let registry = HookRegistry::new();
    /// registry.on("tool:pre", |_: &Event| HookResult::deny("read-only"));
    /// let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
    /// let report = registry.dispatch(&mut event).await;
    /// let by = report.decided_by().and_then(|id| report.hook(id)).unwrap();
    /// assert!(by.source.is_some(), "named with the line that registered it");
    /// # }
    /// # pollster::block_on(example());
    /// ```
    pub async fn dispatch(&self, event: &mut Event) -> Report {
        let (rows, mut other) = self.inner.book.read();
        let list = self.inner.book.list(&rows, &mut other, event.name.as_str());
        if let Some(found) = event.data.problem() {
            let mut report = story(list, event);
            report.result = unreadable(&event.name, found);
            return report;
        }
        if !list.is_empty() {
            list.fill(&mut event.data);
            event.at = Some(self.inner.clock.now());
        }
        let began = Instant::now();
        let mut dispatch = Dispatch::begin(&list.hooks, event, DispatchPolicy::default());
        let once = |id, what| self.once(list, id, what);
        drive(&mut dispatch, &list.hooks, event, &once).await;
        let finished = dispatch.finish();
        Report {
            result: finished.result,
            steps: finished.steps,
            remarks: finished.remarks,
            took: Some(began.elapsed()),
            ..story(list, event)
        }
    }

    /// Adds the defaults to an event with listeners, before it is shared: what is shared is copied to be changed.
    #[doc(hidden)]
    pub fn fill(&self, event: &mut Event) {
        let (rows, mut other) = self.inner.book.read();
        let list = self.inner.book.list(&rows, &mut other, event.name.as_str());
        list.fill(&mut event.data);
    }

    /// Does what [`HookRegistry::emit`] does, and waits for it on this thread.
    pub fn emit_blocking(&self, event: &str, data: impl Into<Data>) -> EmitOutcome {
        wait(self.emit(event, data.into()))
    }

    /// Does what [`HookRegistry::dispatch`] does, and waits for it on this thread.
    pub fn dispatch_blocking(&self, event: &mut Event) -> Report {
        wait(self.dispatch(event))
    }

    /// Returns the names of all handlers in the order in which they are asked: of one event, or of every event and pattern
    /// that a handler is registered for. An event's names include those who registered for a pattern that covers it.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::core::hook::Hook;
    /// let registry = HookRegistry::new();
    /// registry.register(Hook::on("tool:pre", |_: &Event| ()).named("validator").priority(5));
    /// registry.register(Hook::on("tool:pre", |_: &Event| ()).named("security").priority(1));
    /// assert_eq!(registry.list_handlers(Some("tool:pre"))["tool:pre"], ["security", "validator"]);
    /// ```
    pub fn list_handlers(&self, event: Option<&str>) -> BTreeMap<String, Vec<String>> {
        let written = self.inner.book.lock();
        match event.map(EventName::new) {
            Some(event) => {
                let names = written.names(&event);
                BTreeMap::from([(event.as_str().to_owned(), names)])
            }
            None => written.all_names(),
        }
    }

    /// Takes a hook's one time, which is its registration, or puts it back.
    fn once(&self, list: &HookList, id: HookId, what: ClaimChange) -> bool {
        let mut all = list.hooks.list().iter().zip(&list.keys);
        let own = all.nth(id.index());
        own.is_some_and(|(hook, key)| self.inner.book.once(hook, *key, what))
    }
}

/// Refuses an event whose data no hook can judge, whatever its class: a hook might have refused it.
fn unreadable(name: &EventName, found: &str) -> HookResult {
    HookResult::deny(format!(
        "the data of `{name}` must be an object, and is {found}; correct the call of `emit`"
    ))
}

/// Makes a report with nothing in it yet.
fn story(list: &HookList, event: &Event) -> Report {
    Report {
        at: event.at,
        hooks: Arc::clone(list.hooks.roster()),
        ..Report::about(Heading::from(event))
    }
}

/// A slip in the name of an event is why a hook is never asked; an event of the program's own resembles none of the catalogue.
fn warn_of_slip(event: &EventName, hook: &str) {
    let is_known = event.spec().is_some() || event.stands_for_known();
    if let Some(meant) = suggest(event.as_str()).filter(|_| !is_known) {
        log::warn!(
            "the hook `{hook}` waits for the event `{event}`, which no agent sends; did you mean `{meant}`?"
        );
    }
}

/// Waits on this thread. What is ready at the first poll costs no waiting.
#[doc(hidden)]
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(done) => done,
        Poll::Pending => pollster::block_on(future),
    }
}

impl fmt::Debug for HookRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookRegistry")
            .field(&self.list_handlers(None))
            .finish()
    }
}
