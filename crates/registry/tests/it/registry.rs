//! The registry of a program's own hooks, by the rows of the reference and by the decisions.

mod collecting;
mod emitting;
mod failing;
mod inside;
mod isolating;
mod registering;
mod rows;
mod threads;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use anyhook_registry::HookRegistry;
use anyhook_registry::core::event::Event;
use anyhook_registry::core::hook::Hook;
use anyhook_registry::core::ports::Clock;
use anyhook_registry::core::result::HookResult;

/// Who was asked, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A hook that notes its name, and has nothing to say.
    fn hook(&self, event: &str, name: &str) -> Hook {
        self.says(event, name, HookResult::proceed())
    }

    /// A hook that notes its name, and says this.
    fn says(&self, event: &str, name: &str, result: HookResult) -> Hook {
        let (log, noted) = (self.clone(), name.to_owned());
        let handler = move |_: &Event| {
            log.note(&noted);
            result.clone()
        };
        Hook::on(event, handler).named(name)
    }
}

/// Waits for two futures at once.
async fn both<A: Future, B: Future>(one: A, two: B) -> (A::Output, B::Output) {
    let (mut one, mut two) = (pin!(one), pin!(two));
    let (mut first, mut second) = (None, None);
    poll_fn(|context| {
        if first.is_none()
            && let Poll::Ready(said) = one.as_mut().poll(context)
        {
            first = Some(said);
        }
        if second.is_none()
            && let Poll::Ready(said) = two.as_mut().poll(context)
        {
            second = Some(said);
        }
        if first.is_none() || second.is_none() {
            return Poll::Pending;
        }
        Poll::Ready(first.take().zip(second.take()).unwrap())
    })
    .await
}

/// A clock that stands still.
struct At(i64);

impl Clock for At {
    fn now(&self) -> i64 {
        self.0
    }

    fn since(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

/// A registry whose clock stands at noon.
fn registry() -> HookRegistry {
    HookRegistry::with_clock(Arc::new(At(1_732_190_400_000)))
}

const NOON: &str = "2024-11-21T12:00:00.000+00:00";

fn names(registry: &HookRegistry, event: &str) -> Vec<String> {
    let mut listed = registry.list_handlers(Some(event));
    let (_, names) = listed.pop_first().unwrap();
    names
}
