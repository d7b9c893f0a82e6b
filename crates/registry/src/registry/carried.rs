//! Programs that go on when the thread under them is lost: hooks are called where the program runs, and cost it no
//! hand-over.
//!
//! A hook that hangs cannot be stopped, so its thread is lost. What must not be lost is what emitted the event. A program
//! that is a future stands aside while its hooks are asked: if they come back, the same thread goes on with it, and no thread
//! else was needed. If one does not, the watcher takes the program and goes on with it on another thread.
//!
//! The watcher is the thread that waits for the program. It looks every [`LOOK`] while events are emitted, and sleeps
//! while there are none.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use super::asking::{Asking, Seen, Told};
use super::lane::{Worker, Workers, eagerly};
use super::lock;

/// How often a program whose hooks are asked is looked after.
const LOOK: Duration = Duration::from_millis(5);

thread_local! {
    /// Where the program that is polled on this thread leaves what it wants to be asked.
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
}

/// Runs a program to its end, and lets no hook take it down.
///
/// Every event that the program emits to an [isolating](super::HookRegistry::isolating) registry, and awaits, is offered
/// to the hooks where the program runs: they cost no thread and no hand-over. A hook that does not come back within its
/// time is given up together with that thread, and the program goes on on another one; no hook is asked a second time. So
/// the program may not count on being on the same thread after an event. The caller waits; a panic of the program is a
/// panic of the caller.
///
/// Events that are emitted with the `_blocking` methods, or from other threads, are handed over to a thread of the
/// registry, as they are everywhere else.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::result::{HookResult, Kind};
/// use anyhook_registry::registry::carried;
/// use anyhook_registry::SystemClock;
/// use serde_json::json;
///
/// let clock = Arc::new(SystemClock::default());
/// let registry = HookRegistry::isolating(clock, Duration::from_millis(20));
/// registry.on("tool:pre", |_: &Event| -> HookResult { loop { std::thread::park() } });
/// registry.on("tool:pre", |_: &Event| HookResult::deny("read-only"));
/// let said = carried(async move { registry.emit("tool:pre", json!({"tool_name": "Write"})).await });
/// assert_eq!(said.result.verdict.kind(), Kind::Deny);
/// ```
pub fn carried<T: Send + 'static>(program: impl Future<Output = T> + Send + 'static) -> T {
    let workers = Workers::default();
    let done = carry(&workers, Box::pin(program), Duration::ZERO);
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Runs a program on the threads of a pool, and watches it from this one; first awake for a moment.
pub(super) fn carry<T: Send + 'static>(
    workers: &Workers,
    program: Program<T>,
    awake: Duration,
) -> thread::Result<T> {
    let run = Arc::new(Run::of(program));
    let mut worker = run.go_on(workers);
    if !awake.is_zero() {
        eagerly(awake, || run.is_over.load(Ordering::Acquire));
    }
    let (mut seen, mut asked) = (None, 0);
    loop {
        if let Some(end) = run.ended() {
            workers.take_back(worker);
            return end;
        }
        if run.give_up(&mut seen) {
            worker = run.go_on(workers);
        } else {
            run.rest(&mut asked);
        }
    }
}

pub(super) type Program<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A program, and where it is.
struct Run<T> {
    /// What the next thread is to go on with.
    next: Mutex<Option<Aside<T>>>,
    /// The program while its hooks are asked.
    aside: Mutex<Option<Aside<T>>>,
    end: Mutex<Option<thread::Result<T>>>,
    is_over: AtomicBool,
    /// How many events were offered.
    asked: AtomicU64,
    /// Whether the watcher sleeps until something is asked.
    rests: AtomicBool,
    watcher: Thread,
}

struct Aside<T> {
    program: Program<T>,
    asking: Option<Arc<Asking>>,
}

impl<T: Send + 'static> Run<T> {
    fn of(program: Program<T>) -> Self {
        Self {
            next: Mutex::new(Some(Aside {
                program,
                asking: None,
            })),
            aside: Mutex::default(),
            end: Mutex::default(),
            is_over: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            rests: AtomicBool::new(false),
            watcher: thread::current(),
        }
    }

    /// Goes on with the program on a thread of the pool. Where no thread is to be had, it is this one: hooks are asked all
    /// the same, because a hook that is not asked refuses nothing.
    fn go_on(self: &Arc<Self>, workers: &Workers) -> Option<Worker> {
        let run = Arc::clone(self);
        let worker = workers.give(Box::new(move || run.go()));
        if worker.is_none() {
            self.go();
        }
        worker
    }

    /// Polls the program on this thread until it is over, or until the thread is given up.
    fn go(&self) {
        let Some(Aside {
            mut program,
            mut asking,
        }) = lock(&self.next).take()
        else {
            return;
        };
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut desk = Desk::of(waker.clone());
        loop {
            if let Some(asking) = asking.take() {
                let Some((back, told)) = self.ask(program, asking) else {
                    return;
                };
                (program, desk.told) = (back, Some(told));
            }
            let outside = DESK.replace(Some(desk));
            let mut context = Context::from_waker(&waker);
            let poll = || program.as_mut().poll(&mut context);
            let polled = catch_unwind(AssertUnwindSafe(poll));
            let left = DESK.replace(outside);
            match polled {
                Ok(Poll::Ready(done)) => return self.finish(Ok(done)),
                Err(panic) => return self.finish(Err(panic)),
                Ok(Poll::Pending) => {}
            }
            desk = left.unwrap_or_else(|| Desk::of(waker.clone()));
            asking = desk.asked.take();
            if asking.is_none() {
                thread::park();
            }
        }
    }

    /// Asks the hooks about one event, with the program aside; returns nothing if this thread was given up.
    fn ask(
        &self,
        mut program: Program<T>,
        mut asking: Arc<Asking>,
    ) -> Option<(Program<T>, (u64, Told))> {
        loop {
            *lock(&self.aside) = Some(Aside {
                program,
                asking: Some(Arc::clone(&asking)),
            });
            self.wake_watcher();
            let told = asking.run();
            // The thread that goes on without us may have put the program aside for another event.
            let is_ours = |aside: &mut Aside<T>| {
                let its = aside.asking.as_ref();
                its.is_some_and(|its| Arc::ptr_eq(its, &asking))
            };
            program = lock(&self.aside).take_if(is_ours)?.program;
            match told {
                Ok(told) => return Some((program, (asking.number, told))),
                Err(again) => asking = again,
            }
        }
    }

    fn finish(&self, end: thread::Result<T>) {
        *lock(&self.end) = Some(end);
        self.is_over.store(true, Ordering::Release);
        self.watcher.unpark();
    }

    fn ended(&self) -> Option<thread::Result<T>> {
        let is_over = self.is_over.load(Ordering::Acquire);
        is_over.then(|| lock(&self.end).take()).flatten()
    }

    /// Takes the program from a thread that does not come back.
    fn give_up(&self, seen: &mut Option<Seen>) -> bool {
        let mut aside = lock(&self.aside);
        let again = aside
            .as_ref()
            .and_then(|aside| aside.asking.as_ref()?.given_up(seen));
        let taken = again.and_then(|again| {
            let program = aside.take()?.program;
            let asking = Some(again);
            Some(Aside { program, asking })
        });
        let is_taken = taken.is_some();
        if is_taken {
            *lock(&self.next) = taken;
        }
        is_taken
    }

    /// Sleeps until it is time to look again. Without an event since the last look, that is when there is one.
    fn rest(&self, asked: &mut u64) {
        let now = self.asked.load(Ordering::SeqCst);
        if now != std::mem::replace(asked, now) || lock(&self.aside).is_some() {
            thread::park_timeout(LOOK);
            return;
        }
        // A thread that asks counts first and looks for a sleeper afterwards, so that one of the two sees the other.
        self.rests.store(true, Ordering::SeqCst);
        if self.asked.load(Ordering::SeqCst) == now && !self.is_over.load(Ordering::Acquire) {
            thread::park();
        }
        self.rests.store(false, Ordering::SeqCst);
    }

    fn wake_watcher(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.rests.load(Ordering::SeqCst) && self.rests.swap(false, Ordering::SeqCst) {
            self.watcher.unpark();
        }
    }
}

/// What a program and its thread hand each other.
struct Desk {
    waker: Waker,
    asked: Option<Arc<Asking>>,
    told: Option<(u64, Told)>,
}

impl Desk {
    fn of(waker: Waker) -> Self {
        Self {
            waker,
            asked: None,
            told: None,
        }
    }

    fn takes(&mut self, asks: &mut Asks) -> Option<Poll<Told>> {
        let number = asks.asking.number;
        if let Some((_, told)) = self.told.take_if(|(of, _)| *of == number) {
            return Some(Poll::Ready(told));
        }
        let is_here = self.asked.as_ref().is_some_and(|its| its.number == number);
        if asks.is_left {
            // Else it was moved here from another program.
            return is_here.then_some(Poll::Pending);
        }
        if self.asked.is_none() {
            self.asked = Some(Arc::clone(&asks.asking));
            asks.is_left = true;
        }
        Some(Poll::Pending)
    }
}

/// A dispatch that is waited for.
pub(super) struct Asks {
    asking: Arc<Asking>,
    /// Whether it was left on a desk.
    is_left: bool,
}

impl From<Arc<Asking>> for Asks {
    fn from(asking: Arc<Asking>) -> Self {
        Self {
            asking,
            is_left: false,
        }
    }
}

impl Future for Asks {
    type Output = Told;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Told> {
        // Only who is polled by the program's thread itself may leave something there: a thread that blocks on it in the
        // middle of the program would wait for ever.
        let polled = DESK.with_borrow_mut(|desk| {
            let desk = desk.as_mut()?;
            let is_ours = desk.waker.will_wake(context.waker());
            is_ours.then(|| desk.takes(&mut self)).flatten()
        });
        polled.unwrap_or_else(|| Poll::Ready(super::lane::hand_over(&self.asking)))
    }
}

impl Drop for Asks {
    fn drop(&mut self) {
        if !self.is_left {
            return;
        }
        let number = self.asking.number;
        // It is dropped outside of the desk, because what an event holds may be anybody's.
        let left = DESK.try_with(|desk| {
            let mut desk = desk.try_borrow_mut().ok()?;
            desk.as_mut()?.asked.take_if(|its| its.number == number)
        });
        drop(left);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
