//! A handler that blocks, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, HookHandler, Said};
use anyhook_core::report::Asked;
use futures_timer::Delay;

use super::lock;
use crate::drivers::future::{depth, inside};

/// While so many calls do not come back, the handler is off: each of them is a thread.
pub(super) const PATIENCE: i32 = 3;

/// What is said of a call that is given up, when so many of the handler do not come back.
pub(super) fn abandoned(within: Duration, count: i32) -> Fault {
    let text =
        format!("it was abandoned after {within:?} ({count} of {PATIENCE} before it is off)");
    Fault::new(FaultKind::TimedOut, text)
}

/// Returns why a handler is not asked of which so many calls do not come back.
#[inline]
pub(super) fn off(count: i32) -> Option<Fault> {
    let text = || format!("it is off until one of its {PATIENCE} calls that hang comes back");
    (count >= PATIENCE).then(|| Fault::new(FaultKind::NotStarted, text()))
}

/// Tells the program's log that a handler is off from now on. Each report has it too.
pub(super) fn warn(hook: &str, count: i32) {
    if count == PATIENCE {
        log::warn!(
            "{hook} is off: {PATIENCE} of its calls hang, and each has a thread; it is asked again when one comes back"
        );
    }
}

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
        within,
        abandoned: Arc::default(),
    }
}

struct Isolated<H> {
    handler: Arc<H>,
    within: Duration,
    abandoned: Arc<AtomicI32>,
}

impl<H: HookHandler + 'static> HookHandler for Isolated<H> {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        if let Some(fault) = off(self.abandoned.load(Ordering::Relaxed)) {
            return Handled::Ready(Err(Box::new(fault)));
        }
        let call = match self.start(event.clone(), asked) {
            Ok(call) => call,
            Err(error) => {
                let text = format!("its thread could not be started: {error}");
                return Handled::Ready(Err(Box::new(Fault::new(FaultKind::NotStarted, text))));
            }
        };
        let name = event.name.as_str();
        Handled::Pending(Box::pin(self.wait(call, name)))
    }
}

impl<H: HookHandler + 'static> Isolated<H> {
    fn start(&self, event: Event, asked: Asked) -> std::io::Result<Call> {
        let answer = Arc::<Answer>::default();
        let (is_over, abandoned) = (Arc::new(AtomicBool::new(false)), &self.abandoned);
        let call = Call {
            answer: Arc::clone(&answer),
            is_over: Arc::clone(&is_over),
            abandoned: Arc::clone(abandoned),
        };
        let abandoned = Arc::clone(abandoned);
        let handler = Arc::clone(&self.handler);
        let depth = depth();
        let run = move || {
            let said = inside(depth, || {
                catch_unwind(AssertUnwindSafe(|| {
                    match handler.handle_as(&event, asked) {
                        Handled::Ready(said) => said,
                        Handled::Pending(future) => pollster::block_on(future),
                    }
                }))
            });
            if is_over.swap(true, Ordering::AcqRel) {
                abandoned.fetch_sub(1, Ordering::Relaxed);
            }
            answer.give(said.unwrap_or_else(|panic| Err(Box::new(Fault::of_panic(&*panic)))));
        };
        thread::Builder::new()
            .name("anyhook-isolated".to_owned())
            .spawn(run)?;
        Ok(call)
    }

    async fn wait(&self, call: Call, event: &str) -> Said {
        let mut timer = Delay::new(self.within);
        let said = std::future::poll_fn(|context| {
            if let Poll::Ready(said) = call.answer.poll(context) {
                return Poll::Ready(Some(said));
            }
            std::pin::Pin::new(&mut timer).poll(context).map(|()| None)
        });
        said.await.unwrap_or_else(|| {
            let count = call.give_up();
            warn(&format!("a handler of `{event}`"), count);
            Err(Box::new(abandoned(self.within, count)))
        })
    }
}

/// A call with a waiting caller. Dropped before it came back, it is given up too.
struct Call {
    answer: Arc<Answer>,
    /// Whether it came back or was given up. If it comes back second, its thread is no longer lost.
    is_over: Arc<AtomicBool>,
    abandoned: Arc<AtomicI32>,
}

impl Call {
    /// Counts it, unless it came back; returns how many calls do not.
    fn give_up(&self) -> i32 {
        if self.is_over.swap(true, Ordering::AcqRel) {
            return self.abandoned.load(Ordering::Relaxed);
        }
        self.abandoned.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// The answer of a call, from the handler's thread to the caller. If the call was abandoned, the answer is dropped with it.
#[derive(Default)]
struct Answer(Mutex<(Option<Said>, Option<Waker>)>);

impl Answer {
    fn give(&self, said: Said) {
        let mut place = lock(&self.0);
        place.0 = Some(said);
        let waker = place.1.take();
        drop(place);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<Said> {
        let mut place = lock(&self.0);
        if let Some(said) = place.0.take() {
            return Poll::Ready(said);
        }
        place.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.give_up();
    }
}
