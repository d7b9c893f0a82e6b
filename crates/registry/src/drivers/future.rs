//! The driver of a registry: asks the hooks of this process, one after the other, and awaits those that answer later.
//!
//! It needs no runtime: it is a future that any executor can poll, and its timers run on one thread of their own, which
//! starts with the first hook that has a deadline and does not answer at once.
//!
//! ```
//! use anyhook_registry::core::dispatch::{Dispatch, DispatchPolicy};
//! use anyhook_registry::core::event::Event;
//! use anyhook_registry::core::hook::{Hook, Hooks};
//! use anyhook_registry::core::result::{HookResult, Kind};
//! use anyhook_registry::drivers::future::{DEPTH, drive};
//! use serde_json::json;
//!
//! # async fn example() {
//! let hooks: Hooks =
//!     [Hook::on("tool:pre", |_: &Event| HookResult::deny("read-only"))].into_iter().collect();
//! let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
//! let mut dispatch = Dispatch::begin(&hooks, &event, DispatchPolicy::default());
//! drive(&mut dispatch, &hooks, &mut event, &|_id, _what| true).await;
//! assert_eq!(dispatch.finish().result.verdict.kind(), Kind::Deny);
//! # }
//! # pollster::block_on(example());
//! assert_eq!(DEPTH, 16);
//! ```

use std::cell::Cell;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use anyhook_core::dispatch::{Dispatch, DriverAction};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{BoxFuture, Handler, HandlerReply, HandlerResult};
use anyhook_core::hook::{AskFrequency, Hook, Hooks};
use anyhook_core::report::{AskRound, SkipReason};
use anyhook_core::result::HookId;
use futures_timer::Delay;

/// How many dispatches may run inside each other.
pub const DEPTH: u32 = 16;

/// No deadline is longer than this: what is added to the clock has to stay a time.
const LONGEST: Duration = Duration::from_hours(366 * 24);

thread_local! {
    /// How many handlers are on the stack of this thread.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
}

/// What becomes of the one time of a hook that is asked once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimChange {
    /// A dispatch takes it, if it is still there: then it alone may ask.
    Taken,
    /// The hook said that the event is not for it, so it has its one time still before it.
    GivenBack,
}

impl ClaimChange {
    /// Tells whether a hook that said so has its one time still before it.
    pub(crate) fn is_left(said: &HandlerResult) -> bool {
        matches!(said, Err(fault) if fault.why_not().is_some())
    }
}

/// Takes the one time of a hook and tells whether it was there, or takes it back.
pub type OnceClaim<'a> = &'a (dyn Fn(HookId, ClaimChange) -> bool + Sync);

/// Asks every hook that the dispatch says to ask, until there is nothing more.
///
/// The hooks are those that the dispatch walks. `once` keeps the one time of those that are asked once. A declared action is
/// no code of this process: it is a fault here, and for the driver of the command line elsewhere.
pub async fn drive(
    dispatch: &mut Dispatch<'_>,
    hooks: &Hooks,
    event: &mut Event,
    once: OnceClaim<'_>,
) {
    let depth = INSIDE.get() + 1;
    let is_too_deep = depth > DEPTH;
    // A hook for one time may be asked again about the same event as others rewrote it.
    let mut taken: Vec<HookId> = Vec::new();
    loop {
        let id = match dispatch.next(event) {
            DriverAction::Ask(id) => id,
            DriverAction::Together(ids) => {
                for id in ids {
                    let fault = if is_too_deep { too_deep() } else { declared() };
                    dispatch.answer(id, Err(fault.into()), None);
                }
                continue;
            }
            DriverAction::Wait | DriverAction::Done => return,
        };
        if is_too_deep {
            dispatch.answer(id, Err(too_deep().into()), None);
            continue;
        }
        let Some(hook) = hooks.get(id) else { continue };
        let is_last = hook.times == AskFrequency::Once && !taken.contains(&id);
        if is_last && !once(id, ClaimChange::Taken) {
            dispatch.skip(id, SkipReason::Once);
            continue;
        }
        let asked = dispatch.asked(id);
        let began = Instant::now();
        // In a box, because few hooks come this way, and every emit would carry the room for it.
        let said = Box::pin(ask(hook, event, asked, hook.deadline, depth)).await;
        if is_last && ClaimChange::is_left(&said) {
            once(id, ClaimChange::GivenBack);
        } else if is_last {
            taken.push(id);
        }
        dispatch.answer(id, said, Some(began.elapsed()));
    }
}

/// How long one hook may take: where nothing is said, as long as it likes; where it is no time at all, it answers at once or not
/// at all.
type TimeLimit = Option<Duration>;

/// Asks one hook outside of a dispatch, within a time.
#[doc(hidden)]
pub async fn ask_alone(
    hook: &Hook,
    event: &Event,
    asked: AskRound,
    within: TimeLimit,
) -> HandlerResult {
    let depth = INSIDE.get() + 1;
    if depth > DEPTH {
        return Err(too_deep().into());
    }
    ask(hook, event, asked, within, depth).await
}

/// Begins and awaits something within a time, whatever it does: its panic is a fault.
#[doc(hidden)]
pub async fn bounded<'a, T>(
    begin: impl FnOnce() -> BoxFuture<'a, T>,
    within: Duration,
) -> Result<T, Box<Fault>> {
    let future = caught(depth(), begin)?;
    soon(future, Some(within), depth()).await
}

/// Tells how many handlers are on the stack, for a handler that goes on in another thread.
#[doc(hidden)]
pub fn depth() -> u32 {
    INSIDE.get()
}

/// Runs something as if so many handlers were on the stack.
#[doc(hidden)]
pub fn inside<T>(depth: u32, run: impl FnOnce() -> T) -> T {
    let outside = INSIDE.replace(depth);
    let done = run();
    INSIDE.set(outside);
    done
}

/// Runs code of a handler; its panic is a fault.
pub(crate) fn caught<T>(depth: u32, run: impl FnOnce() -> T) -> Result<T, Box<Fault>> {
    let done = inside(depth, || catch_unwind(AssertUnwindSafe(run)));
    done.map_err(|panic| Box::new(Fault::of_panic(&*panic)))
}

async fn ask(
    hook: &Hook,
    event: &Event,
    asked: AskRound,
    within: TimeLimit,
    depth: u32,
) -> HandlerResult {
    let Handler::InProcess(handler) = &hook.handler else {
        return Err(declared().into());
    };
    let began = Instant::now();
    let said = match caught(depth, || handler.handle_as(event, asked))? {
        HandlerReply::Pending(future) => soon(future, within, depth).await.flatten(),
        HandlerReply::Ready(said) => said,
    };
    match within.filter(|time| !time.is_zero()) {
        // Code that blocks is not interrupted, and its answer comes too late all the same.
        Some(time) if began.elapsed() > time => Err(timed_out(time).into()),
        Some(_) | None => said,
    }
}

/// Awaits an answer until the time is over, which counts from the first poll that has none.
async fn soon<T>(future: BoxFuture<'_, T>, within: TimeLimit, depth: u32) -> Result<T, Box<Fault>> {
    let mut future = PanicSafeFuture(Some(future));
    let mut timer = None;
    poll_fn(|context| {
        if let Poll::Ready(said) = future.poll(context, depth) {
            return Poll::Ready(said);
        }
        let Some(time) = within else {
            return Poll::Pending;
        };
        let late = if time.is_zero() {
            Poll::Ready(())
        } else {
            let timer = timer.get_or_insert_with(|| Delay::new(time.min(LONGEST)));
            Pin::new(timer).poll(context)
        };
        late.map(|()| Err(timed_out(time).into()))
    })
    .await
}

/// A handler's future. Its panics are faults, and where it is dropped early a panic of its drop is no fault of any hook.
struct PanicSafeFuture<'a, T>(Option<BoxFuture<'a, T>>);

impl<T> PanicSafeFuture<'_, T> {
    fn poll(&mut self, context: &mut Context<'_>, depth: u32) -> Poll<Result<T, Box<Fault>>> {
        let Some(future) = &mut self.0 else {
            return Poll::Pending;
        };
        let polled = caught(depth, || future.as_mut().poll(context).map(Ok));
        polled.unwrap_or_else(|fault| Poll::Ready(Err(fault)))
    }
}

impl<T> Drop for PanicSafeFuture<'_, T> {
    fn drop(&mut self) {
        let future = self.0.take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(future))));
    }
}

/// Waits for an answer on this thread, no longer than its time.
pub(crate) fn wait(future: BoxFuture<'_, HandlerResult>, within: TimeLimit) -> HandlerResult {
    pollster::block_on(soon(future, within, depth())).flatten()
}

fn too_deep() -> Fault {
    let text = format!("{DEPTH} handlers are emitting events inside each other already");
    Fault::new(FaultKind::TooDeep, text)
}

fn timed_out(time: Duration) -> Fault {
    let text = if time.is_zero() {
        "it had no answer ready".to_owned()
    } else {
        format!("it took longer than {time:?}")
    };
    Fault::new(FaultKind::TimedOut, text)
}

fn declared() -> Fault {
    let text = "a registry asks code of its own process, and a manifest declares this hook: `anyhook::mounts::in_process` makes it such code";
    Fault::new(FaultKind::NotStarted, text)
}
