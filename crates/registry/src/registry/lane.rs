//! The threads for hooks that may hang.
//!
//! An event that is emitted by a [carried](super::carried()) program needs none of them. Every other one is handed over:
//! it is a program of its own, which asks about this event and is over. The caller waits for it, and watches.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhook_core::fault::Fault;
use anyhook_core::handler::Handler;
use anyhook_core::hook::Hook;

use super::asking::{Asking, Told};
use super::carried::{Asks, carry};
use super::lock;
use super::watched::{Seat, Watched, Watches};

/// How long a dispatch is looked for before the caller sleeps: one of ready handlers is over by then.
const EAGER: Duration = Duration::from_micros(50);

/// How long a thread looks for its next dispatch before it sleeps: being woken costs more than all the handlers of most
/// events, and an agent at work has the next event by then. While it waits for a model, the thread sleeps.
const READY: Duration = Duration::from_micros(300);

/// What a registry has whose handlers may hang.
pub(super) struct Lanes {
    within: Duration,
    pub(super) watches: Arc<Watches>,
    workers: Workers,
}

impl Lanes {
    pub(super) fn new(within: Duration) -> Self {
        Self {
            within,
            watches: Arc::default(),
            workers: Workers::default(),
        }
    }

    /// Lets a hook's handler be given up after its deadline.
    pub(super) fn watch(&self, mut hook: Hook) -> Hook {
        // The watcher keeps the time.
        let within = hook.deadline.take().unwrap_or(self.within);
        hook.handler = match hook.handler {
            Handler::InProcess(handler) => Handler::InProcess(Box::new(Watched {
                handler,
                seat: self.watches.seat(&hook.info.name, within),
            })),
            declared @ Handler::Declared(_) => declared,
        };
        hook
    }

    /// Makes a seat for a handler without a deadline of its own.
    pub(super) fn seat(&self, name: &str) -> Seat {
        self.watches.seat(name, self.within)
    }
}

/// Asks on another thread, and waits for it on this one.
pub(super) fn hand_over(asking: &Arc<Asking>) -> Told {
    let Some(lanes) = &asking.registry.inner.lanes else {
        return asking.refused("its registry has no threads");
    };
    let told = carry(
        &lanes.workers,
        Box::pin(Asks::from(Arc::clone(asking))),
        EAGER,
    );
    told.unwrap_or_else(|panic| asking.refused(&Fault::of_panic(&*panic).text))
}

/// Threads, and those of them that have nothing to do.
#[derive(Default)]
pub(super) struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// A thread that does one thing after the other, until this is dropped.
pub(super) struct Worker {
    give: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Workers {
    /// Has something done on a thread, if one is to be had.
    pub(super) fn give(&self, job: Job) -> Option<Worker> {
        let idle = lock(&self.idle).pop();
        let worker = idle.or_else(Worker::start)?;
        worker.give.send(job).ok()?;
        Some(worker)
    }

    /// Takes a thread back that has done what it was given.
    pub(super) fn take_back(&self, worker: Option<Worker>) {
        lock(&self.idle).extend(worker);
    }
}

impl Worker {
    fn start() -> Option<Self> {
        let (give, jobs) = channel();
        let started = thread::Builder::new()
            .name("anyhook-hooks".to_owned())
            .spawn(move || work(&jobs));
        started.ok().map(|_| Self { give })
    }
}

fn work(jobs: &Receiver<Job>) {
    loop {
        let mut next = Err(TryRecvError::Empty);
        eagerly(READY, || {
            next = jobs.try_recv();
            !matches!(next, Err(TryRecvError::Empty))
        });
        let job = match next {
            Ok(job) => job,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => match jobs.recv() {
                Ok(job) => job,
                Err(_) => return,
            },
        };
        job();
    }
}

/// Looks for something for a moment, without sleeping.
pub(super) fn eagerly(patience: Duration, mut is_there: impl FnMut() -> bool) {
    let began = Instant::now();
    loop {
        for _ in 0..32 {
            if is_there() {
                return;
            }
            std::hint::spin_loop();
        }
        if began.elapsed() > patience {
            return;
        }
        thread::yield_now();
    }
}
