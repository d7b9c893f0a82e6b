//! Code that may hang, on a thread of its own: handlers and observers.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler, Said};
use anyhook_core::hook::Hook;
use anyhook_core::report::Asked;
use anyhook_core::result::HookResult;
use futures_timer::Delay;

use super::lock;
use crate::drivers::future::{Within, depth, inside, wait};

/// While so many calls do not come back, the handler is off: each of them is a thread.
const PATIENCE: i32 = 3;

/// So much longer a thread is waited for than its handler: one that waits for an answer drops it in time, and is not lost.
const SLACK: Duration = Duration::from_millis(50);

/// Runs a handler on a thread of its own, and waits for it no longer than `within`.
///
/// A call that takes longer is abandoned: its thread runs on, its answer is dropped, and the hook has failed. While three
/// of them do not come back the handler is off: it is not called, each asking is a failure that says so, and a warning goes
/// to the `log` crate. So code that hangs costs three threads at most, and a guard that hangs refuses.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::hook::Hook;
/// use anyhook_registry::core::result::{HookResult, Kind};
/// use anyhook_registry::registry::isolated;
/// use serde_json::json;
/// use std::time::Duration;
///
/// let registry = HookRegistry::new();
/// let scan = isolated(Duration::from_secs(2), |_: &Event| HookResult::deny("a secret is in it"));
/// registry.register(Hook::on("tool:pre", scan).named("scan").guard());
/// let said = registry.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
/// assert_eq!(said.result.verdict.kind(), Kind::Deny);
/// ```
pub fn isolated(within: Duration, handler: impl HookHandler + 'static) -> impl HookHandler {
    Isolated {
        handler: Arc::new(handler),
        thread: Apart::new(None, within),
    }
}

/// Isolates the handler of a hook, for its deadline or else for this time.
pub(super) fn isolate(mut hook: Hook, within: Duration) -> Hook {
    let within = hook.deadline.take().unwrap_or(within);
    hook.handler = match hook.handler {
        Handler::InProcess(handler) => Handler::InProcess(Box::new(Isolated {
            handler: Arc::from(handler),
            thread: Apart::new(Some(&hook.info.name), within),
        })),
        declared @ Handler::Declared(_) => declared,
    };
    hook
}

struct Isolated {
    handler: Arc<dyn HookHandler>,
    thread: Apart,
}

impl HookHandler for Isolated {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        let handler = Arc::clone(&self.handler);
        let (own, within) = (event.clone(), Within::of(Some(self.thread.within)));
        let call = self
            .thread
            .start(move |suspended| match handler.handle_as(&own, asked) {
                Handled::Ready(said) => said,
                Handled::Pending(future) => {
                    suspended.store(true, Ordering::Relaxed);
                    wait(future, within)
                }
            });
        match call {
            Ok(call) => Handled::Pending(Box::pin(self.thread.wait(call, event.name.as_str()))),
            Err(fault) => Handled::Ready(Err(Box::new(fault))),
        }
    }
}

/// Threads for the calls of one handler or observer.
pub(super) struct Apart {
    name: Option<Box<str>>,
    within: Duration,
    /// How many calls were given up and did not come back since.
    lost: Arc<AtomicI32>,
}

impl Apart {
    pub(super) fn new(name: Option<&str>, within: Duration) -> Self {
        Self {
            name: name.map(Into::into),
            within,
            lost: Arc::default(),
        }
    }

    /// Begins a call on a thread of its own.
    pub(super) fn start(
        &self,
        run: impl FnOnce(&AtomicBool) -> Said + Send + 'static,
    ) -> Result<Call, Fault> {
        if self.lost.load(Ordering::Relaxed) >= PATIENCE {
            let text = format!("it is off until one of its {PATIENCE} calls that hang comes back");
            return Err(Fault::new(FaultKind::NotStarted, text));
        }
        let call = Call {
            stands: Arc::new(Mutex::new(Stands::Runs(None))),
            suspended: Arc::default(),
            lost: Arc::clone(&self.lost),
        };
        let (stands, suspended) = (Arc::clone(&call.stands), Arc::clone(&call.suspended));
        let (lost, depth) = (Arc::clone(&self.lost), depth());
        let run = move || {
            let said = inside(depth, || catch_unwind(AssertUnwindSafe(|| run(&suspended))));
            let said = said.unwrap_or_else(|panic| Err(Box::new(Fault::of_panic(&*panic))));
            let before = mem::replace(&mut *lock(&stands), Stands::Answered(said));
            match before {
                Stands::Runs(Some(caller)) => caller.wake(),
                Stands::Lost => drop(lost.fetch_sub(1, Ordering::Relaxed)),
                Stands::Runs(None) | Stands::Answered(_) => {}
            }
        };
        let thread = thread::Builder::new().name("anyhook-isolated".to_owned());
        match thread.spawn(run) {
            Ok(_) => Ok(call),
            Err(error) => {
                let text = format!("its thread could not be started: {error}");
                Err(Fault::new(FaultKind::NotStarted, text))
            }
        }
    }

    /// Waits for a call, and gives it up when its time is over.
    pub(super) async fn wait(&self, call: Call, event: &str) -> Said {
        let mut timer = Delay::new(self.within.saturating_add(SLACK));
        let said = std::future::poll_fn(|context| match call.poll(context) {
            Poll::Ready(said) => Poll::Ready(Some(said)),
            Poll::Pending => Pin::new(&mut timer).poll(context).map(|()| None),
        });
        if let Some(said) = said.await {
            return said;
        }
        call.give_up();
        Err(Box::new(self.abandon(event)))
    }

    fn abandon(&self, event: &str) -> Fault {
        let count = self.lost.load(Ordering::Relaxed);
        if count == PATIENCE {
            let who = match &self.name {
                Some(name) => format!("`{name}`"),
                None => format!("a handler of `{event}`"),
            };
            log::warn!(
                "{who} is off: {PATIENCE} of its calls hang, and each has a thread; it is asked again when one comes back"
            );
        }
        let within = self.within;
        let text =
            format!("it was abandoned after {within:?} ({count} of {PATIENCE} before it is off)");
        Fault::new(FaultKind::TimedOut, text)
    }
}

/// One call of a waiting caller. Given up, it counts as lost until it comes back.
pub(super) struct Call {
    stands: Arc<Mutex<Stands>>,
    /// Whether its thread waits for a future, which it drops when the time is over.
    suspended: Arc<AtomicBool>,
    lost: Arc<AtomicI32>,
}

/// How far a call has come.
enum Stands {
    /// Its thread runs, and this wakes the caller that waits.
    Runs(Option<Waker>),
    /// It came back with this.
    Answered(Said),
    /// Its caller waits no longer, and it has not come back.
    Lost,
}

impl Call {
    fn poll(&self, context: &Context<'_>) -> Poll<Said> {
        let mut stands = lock(&self.stands);
        let waits = Stands::Runs(Some(context.waker().clone()));
        match mem::replace(&mut *stands, waits) {
            Stands::Answered(said) => {
                // Nothing is lost of a call that answered.
                *stands = Stands::Answered(Ok(HookResult::proceed()));
                Poll::Ready(said)
            }
            Stands::Runs(_) | Stands::Lost => Poll::Pending,
        }
    }

    /// Counts it as lost, unless it came back.
    fn give_up(&self) {
        let mut stands = lock(&self.stands);
        if matches!(*stands, Stands::Runs(_)) {
            *stands = Stands::Lost;
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.suspended.load(Ordering::Relaxed) {
            self.give_up();
        }
    }
}
