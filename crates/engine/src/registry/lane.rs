//! Handlers that hang: a dispatch runs on a thread of its own, and goes on without the one that does not come back (D42).
//!
//! Handing over costs a few hundred nanoseconds for a dispatch, not a thread for each handler. Where one of them does not
//! come back, its thread is given up, and the dispatch runs again on another one: what the handlers before it said is
//! remembered and not asked for again, and it itself has failed.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler, Said};
use anyhook_core::hook::Hook;
use anyhook_core::report::Asked;

use super::isolated::PATIENCE;

/// How long a dispatch is looked for before the caller sleeps: one of ready handlers is over by then.
const EAGER: Duration = Duration::from_micros(50);

/// How long a thread looks for its next dispatch before it sleeps: being woken costs more than all the handlers of most
/// events, and an agent at work has the next event by then. While it waits for a model, the thread sleeps.
const READY: Duration = Duration::from_micros(300);

/// How often a dispatch that takes longer is looked after.
const LOOK: Duration = Duration::from_millis(5);

/// No handler is running.
const NOBODY: u64 = 0;

/// The thread was given up.
const GIVEN_UP: u64 = u64::MAX;

thread_local! {
    /// The run that this thread is for.
    static RUN: RefCell<Option<Arc<Run>>> = const { RefCell::new(None) };
}

/// A dispatch that can be run again.
pub(super) type Again<T> = Arc<dyn Fn() -> T + Send + Sync>;

/// The threads of a registry.
pub(super) struct Lanes {
    within: Duration,
    idle: Mutex<Vec<Worker>>,
}

impl Lanes {
    pub(super) fn new(within: Duration) -> Self {
        Self {
            within,
            idle: Mutex::default(),
        }
    }

    /// Lets a hook's handler be given up after its deadline.
    pub(super) fn watch(&self, mut hook: Hook) -> Hook {
        // The lane keeps the time.
        let within = hook.deadline.take().unwrap_or(self.within);
        hook.handler = match hook.handler {
            Handler::InProcess(handler) => Handler::InProcess(Box::new(Watched {
                handler,
                within,
                late: Arc::default(),
            })),
            declared @ Handler::Declared(_) => declared,
        };
        hook
    }

    /// Runs a dispatch; again where a handler hangs, with what the handlers have said so far.
    pub(super) fn run<T: Send + 'static>(&self, dispatch: &Again<T>) -> T {
        let mut known = Vec::new();
        loop {
            let idle = lock(&self.idle).pop();
            let Some(worker) = idle.or_else(Worker::start) else {
                return dispatch();
            };
            let run = Arc::new(Run::knowing(known));
            let place: Arc<Mutex<Option<T>>> = Arc::default();
            worker.give({
                let (run, place, dispatch) =
                    (Arc::clone(&run), Arc::clone(&place), Arc::clone(dispatch));
                Box::new(move || {
                    RUN.set(Some(run));
                    let done = catch_unwind(AssertUnwindSafe(|| dispatch()));
                    RUN.set(None);
                    *lock(&place) = done.ok();
                })
            });
            if worker.wait(&run) {
                let done = lock(&place).take();
                lock(&self.idle).push(worker);
                return done.unwrap_or_else(|| dispatch());
            }
            known = run.said();
        }
    }
}

/// One dispatch on one thread.
struct Run {
    /// When it began: times are counted from here.
    began: Instant,
    /// What the handlers said on a thread that was given up, in the order of asking.
    known: Vec<Said>,
    /// What they said here.
    said: Mutex<Vec<Said>>,
    /// Which asking is going on.
    asking: AtomicU64,
    /// When it has to be over, in nanoseconds.
    until: AtomicU64,
    /// How often the handler that is asked was given up.
    late: Mutex<Option<(Arc<AtomicU32>, Duration)>>,
}

impl Run {
    fn knowing(known: Vec<Said>) -> Self {
        Self {
            began: Instant::now(),
            known,
            said: Mutex::default(),
            asking: AtomicU64::new(NOBODY),
            until: AtomicU64::new(0),
            late: Mutex::default(),
        }
    }

    fn now(&self) -> u64 {
        nanos(self.began.elapsed())
    }

    /// Gives the thread up if a handler is over its time.
    fn give_up(&self) -> bool {
        let asking = self.asking.load(Ordering::Acquire);
        asking != NOBODY
            && self.now() > self.until.load(Ordering::Acquire)
            && self
                .asking
                .compare_exchange(asking, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
    }

    /// Returns what was said before the handler that hangs, and its fault.
    fn said(&self) -> Vec<Said> {
        let mut said = lock(&self.said).clone();
        let late = lock(&self.late).take();
        said.push(Err(Box::new(match late {
            Some((late, within)) => {
                let count = late.fetch_add(1, Ordering::Relaxed) + 1;
                let text = format!(
                    "it was abandoned after {within:?} ({count} of {PATIENCE} before it is off)"
                );
                Fault::new(FaultKind::TimedOut, text)
            }
            None => Fault::new(FaultKind::TimedOut, "it was abandoned"),
        })));
        said
    }

    /// Asks a handler, unless it is known what it says.
    fn ask(&self, watched: &Watched, event: &Event, asked: Asked) -> Said {
        let number = {
            let said = lock(&self.said);
            said.len()
        };
        let answer = match self.known.get(number) {
            Some(known) => known.clone(),
            None => match watched.off() {
                Some(fault) => Err(Box::new(fault)),
                None => self.ask_now(watched, event, asked, number),
            },
        };
        lock(&self.said).push(answer.clone());
        answer
    }

    fn ask_now(&self, watched: &Watched, event: &Event, asked: Asked, number: usize) -> Said {
        let asking = u64::try_from(number).unwrap_or(0) + 1;
        *lock(&self.late) = Some((Arc::clone(&watched.late), watched.within));
        let until = self.now().saturating_add(nanos(watched.within));
        self.until.store(until, Ordering::Release);
        self.asking.store(asking, Ordering::Release);
        // What a handler emits is part of its own time.
        let run = RUN.take();
        let ask = || match watched.handler.handle_as(event, asked) {
            Handled::Ready(said) => said,
            Handled::Pending(future) => pollster::block_on(future),
        };
        let answer = catch_unwind(AssertUnwindSafe(ask));
        RUN.set(run);
        let is_ours = self
            .asking
            .compare_exchange(asking, NOBODY, Ordering::AcqRel, Ordering::Acquire)
            .is_ok();
        if !is_ours {
            // The dispatch has gone on without this thread, which must not go on with it.
            loop {
                thread::park();
            }
        }
        answer.unwrap_or_else(|panic| Err(Box::new(Fault::of_panic(&*panic))))
    }
}

/// A handler that can be given up.
struct Watched {
    handler: Box<dyn HookHandler>,
    within: Duration,
    late: Arc<AtomicU32>,
}

impl Watched {
    /// Returns why it is not asked any more, if it is not.
    fn off(&self) -> Option<Fault> {
        let text = || format!("it is off: {PATIENCE} of its calls never came back in time");
        let is_off = self.late.load(Ordering::Relaxed) >= PATIENCE;
        is_off.then(|| Fault::new(FaultKind::NotStarted, text()))
    }
}

impl HookHandler for Watched {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        let run = RUN.with_borrow(Option::clone);
        match run {
            Some(run) => Handled::Ready(run.ask(self, event, asked)),
            // Nobody looks after this thread, or somebody looks after the handler that emits here.
            None => match self.off() {
                Some(fault) => Handled::Ready(Err(Box::new(fault))),
                None => self.handler.handle_as(event, asked),
            },
        }
    }
}

/// A thread that runs one dispatch after the other.
struct Worker {
    desk: Arc<Desk>,
    thread: Thread,
}

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Desk {
    state: AtomicU8,
    job: Mutex<Option<Job>>,
    waiter: Mutex<Option<Thread>>,
}

/// There is nothing to do.
const EMPTY: u8 = 0;
/// There is a job.
const GIVEN: u8 = 1;
/// It is done.
const DONE: u8 = 2;
/// There will never be one again.
const CLOSED: u8 = 3;

impl Worker {
    fn start() -> Option<Self> {
        let desk = Arc::new(Desk::default());
        let its = Arc::clone(&desk);
        let started = thread::Builder::new()
            .name("anyhook-lane".to_owned())
            .spawn(move || its.work());
        let thread = started.ok()?.thread().clone();
        Some(Self { desk, thread })
    }

    fn give(&self, job: Job) {
        *lock(&self.desk.job) = Some(job);
        self.desk.state.store(GIVEN, Ordering::Release);
        self.thread.unpark();
    }

    /// Waits until the job is done; returns false if it was given up.
    fn wait(&self, run: &Run) -> bool {
        let is_done = || self.desk.state.load(Ordering::Acquire) == DONE;
        if !eagerly(EAGER, is_done) {
            *lock(&self.desk.waiter) = Some(thread::current());
            while !is_done() {
                thread::park_timeout(LOOK);
                if run.give_up() {
                    return false;
                }
            }
            *lock(&self.desk.waiter) = None;
        }
        self.desk.state.store(EMPTY, Ordering::Release);
        true
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.desk.state.store(CLOSED, Ordering::Release);
        self.thread.unpark();
    }
}

impl Desk {
    fn work(&self) {
        loop {
            let state = || self.state.load(Ordering::Acquire);
            if !eagerly(READY, || matches!(state(), GIVEN | CLOSED)) {
                while !matches!(state(), GIVEN | CLOSED) {
                    thread::park();
                }
            }
            let Some(job) = lock(&self.job).take() else {
                return;
            };
            job();
            let done =
                self.state
                    .compare_exchange(GIVEN, DONE, Ordering::AcqRel, Ordering::Acquire);
            if done.is_err() {
                return;
            }
            if let Some(waiter) = lock(&self.waiter).take() {
                waiter.unpark();
            }
        }
    }
}

/// Looks for something for a moment, without sleeping.
fn eagerly(patience: Duration, is_there: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    loop {
        for _ in 0..32 {
            if is_there() {
                return true;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > patience {
            return false;
        }
        thread::yield_now();
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What is held is whole after every change, so a panic elsewhere spoils nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
