//! A handler that blocks, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, HookHandler, Said};
use anyhook_core::report::Asked;
use futures_channel::oneshot;
use futures_timer::Delay;

use crate::drivers::future::{depth, inside};

/// So many calls are waited for in vain before the handler is off.
pub(super) const PATIENCE: u32 = 3;

/// Runs a handler on a thread of its own, and waits for it no longer than `within` (D42).
///
/// A call that takes longer is abandoned: its thread runs on, its answer is dropped, and the hook has failed. After three
/// of them the handler is off: it is not called any more, and each asking is a failure. So code that hangs costs three
/// threads at most, and a guard that hangs refuses.
///
/// ```
/// use anyhook::HookRegistry;
/// use anyhook::core::event::Event;
/// use anyhook::core::hook::Hook;
/// use anyhook::core::result::{HookResult, Kind};
/// use anyhook::registry::isolated;
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
    abandoned: Arc<AtomicU32>,
}

impl<H: HookHandler + 'static> HookHandler for Isolated<H> {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        if self.abandoned.load(Ordering::Relaxed) >= PATIENCE {
            let text = format!("it is off: {PATIENCE} of its calls never came back in time");
            return Handled::Ready(Err(Box::new(Fault::new(FaultKind::NotStarted, text))));
        }
        let answer = match self.start(event.clone(), asked) {
            Ok(answer) => answer,
            Err(error) => {
                let text = format!("its thread could not be started: {error}");
                return Handled::Ready(Err(Box::new(Fault::new(FaultKind::NotStarted, text))));
            }
        };
        Handled::Pending(Box::pin(self.wait(answer)))
    }
}

impl<H: HookHandler + 'static> Isolated<H> {
    fn start(&self, event: Event, asked: Asked) -> std::io::Result<oneshot::Receiver<Said>> {
        let (say, answer) = oneshot::channel();
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
            // Nobody waits any more if it was abandoned.
            let _ = say.send(said.unwrap_or_else(|panic| Err(Box::new(Fault::of_panic(&*panic)))));
        };
        thread::Builder::new()
            .name("anyhook-isolated".to_owned())
            .spawn(run)?;
        Ok(answer)
    }

    async fn wait(&self, mut answer: oneshot::Receiver<Said>) -> Said {
        let mut timer = Delay::new(self.within);
        let said = std::future::poll_fn(|context| {
            if let Poll::Ready(said) = std::pin::Pin::new(&mut answer).poll(context) {
                return Poll::Ready(said.ok());
            }
            std::pin::Pin::new(&mut timer).poll(context).map(|()| None)
        });
        said.await.unwrap_or_else(|| {
            let count = self.abandoned.fetch_add(1, Ordering::Relaxed) + 1;
            let text = format!(
                "it was abandoned after {:?} ({count} of {PATIENCE} before it is off)",
                self.within
            );
            Err(Box::new(Fault::new(FaultKind::TimedOut, text)))
        })
    }
}
