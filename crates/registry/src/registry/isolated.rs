//! Code that may hang, on a thread of its own: handlers and observers.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handler, HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::Hook;
use anyhook_core::report::AskRound;
use futures_channel::oneshot::{self, Receiver};
use futures_timer::Delay;

use crate::drivers::future::{caught, depth, wait};

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
    IsolatedHandler::new(Arc::new(handler), None, within)
}

/// Isolates the handler of a hook, for its deadline or else for this time.
pub(super) fn isolate(mut hook: Hook, within: Duration) -> Hook {
    let within = hook.deadline.take().unwrap_or(within);
    hook.handler = match hook.handler {
        Handler::InProcess(handler) => {
            let isolated = IsolatedHandler::new(handler.into(), Some(&hook.info.name), within);
            Handler::InProcess(Box::new(isolated))
        }
        declared @ Handler::Declared(_) => declared,
    };
    hook
}

/// A handler whose calls have threads of their own.
struct IsolatedHandler {
    handler: Arc<dyn HookHandler>,
    name: Option<Box<str>>,
    within: Duration,
    /// How many calls were given up and did not come back since.
    lost: Arc<AtomicI32>,
}

impl HookHandler for IsolatedHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        self.handle_as(event, AskRound::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: AskRound) -> HandlerReply<'a> {
        match self.start(event.clone(), asked) {
            Ok(call) => HandlerReply::Pending(Box::pin(self.wait(call, event.name.as_str()))),
            Err(fault) => HandlerReply::Ready(Err(Box::new(fault))),
        }
    }
}

impl IsolatedHandler {
    fn new(handler: Arc<dyn HookHandler>, name: Option<&str>, within: Duration) -> Self {
        Self {
            handler,
            name: name.map(Into::into),
            within,
            lost: Arc::default(),
        }
    }

    /// Begins a call on a thread of its own.
    fn start(&self, event: Event, asked: AskRound) -> Result<ThreadCall, Fault> {
        if self.lost.load(Ordering::Relaxed) >= PATIENCE {
            let text = format!("it is off until one of its {PATIENCE} calls that hang comes back");
            return Err(Fault::new(FaultKind::NotStarted, text));
        }
        let (say, answer) = oneshot::channel();
        let call = ThreadCall {
            answer: Some(answer),
            suspended: Arc::default(),
            counts: Arc::default(),
            lost: Arc::clone(&self.lost),
        };
        let (suspended, counts) = (Arc::clone(&call.suspended), Arc::clone(&call.counts));
        let (lost, depth) = (Arc::clone(&self.lost), depth());
        let (handler, within) = (Arc::clone(&self.handler), self.within);
        let ask = move || match handler.handle_as(&event, asked) {
            HandlerReply::Ready(said) => said,
            HandlerReply::Pending(future) => {
                suspended.store(true, Ordering::Relaxed);
                wait(future, Some(within))
            }
        };
        let run = move || {
            let said = caught(depth, ask).and_then(|said| said);
            if say.send(said).is_err() && counts.swap(false, Ordering::Relaxed) {
                lost.fetch_sub(1, Ordering::Relaxed);
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
    async fn wait(&self, mut call: ThreadCall, event: &str) -> HandlerResult {
        let mut timer = Delay::new(self.within.saturating_add(SLACK));
        let said = poll_fn(|context| match call.poll(context) {
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
struct ThreadCall {
    /// What it answers, until it did.
    answer: Option<Receiver<HandlerResult>>,
    /// Whether its thread waits for a future, which it drops when the time is over.
    suspended: Arc<AtomicBool>,
    /// Whether it is one of those that count as lost.
    counts: Arc<AtomicBool>,
    lost: Arc<AtomicI32>,
}

impl ThreadCall {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<HandlerResult> {
        let Some(answer) = &mut self.answer else {
            return Poll::Pending;
        };
        let Poll::Ready(Ok(said)) = Pin::new(answer).poll(context) else {
            return Poll::Pending;
        };
        self.answer = None;
        Poll::Ready(said)
    }

    /// Counts it as lost, unless it came back.
    fn give_up(&mut self) {
        let Some(mut answer) = self.answer.take() else {
            return;
        };
        // First of all: the thread takes itself off where its answer finds no caller.
        self.counts.store(true, Ordering::Relaxed);
        self.lost.fetch_add(1, Ordering::Relaxed);
        answer.close();
        if let Ok(Some(_)) = answer.try_recv() {
            self.lost.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for ThreadCall {
    fn drop(&mut self) {
        if !self.suspended.load(Ordering::Relaxed) {
            self.give_up();
        }
    }
}
