//! Handlers and observers that can be given up: each has a seat, and the watcher of a dispatch reads from it how long they
//! may take.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::fault::Fault;
use anyhook_core::handler::{Handled, HookHandler, Said};
use anyhook_core::report::Asked;
use anyhook_core::result::HookResult;

use super::asking::{Part, ask};
use super::isolated::{abandoned, off, warn};
use super::lock;
use crate::drivers::future::{Within, wait};

/// The seats of a registry by their numbers: a thread writes down the number of whom it asks, and nothing else.
#[derive(Default)]
pub(super) struct Watches {
    last: AtomicU32,
    all: Mutex<HashMap<u32, Arc<Watch>>>,
}

/// How long a handler may take, and how many calls were given up and did not come back since.
pub(super) struct Watch {
    name: Box<str>,
    pub(super) within: Duration,
    /// Below zero for a moment where a call comes back while it is being given up.
    lost: AtomicI32,
}

impl Watch {
    /// Counts a call that did not come back.
    pub(super) fn abandoned(&self, within: Duration) -> Fault {
        let count = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
        warn(&format!("`{}`", self.name), count);
        abandoned(within, count)
    }
}

impl Watches {
    pub(super) fn get(&self, seat: u32) -> Option<Arc<Watch>> {
        lock(&self.all).get(&seat).cloned()
    }

    /// Takes a seat.
    pub(super) fn seat(self: &Arc<Self>, name: &str, within: Duration) -> Seat {
        let watch = Arc::new(Watch {
            name: name.into(),
            within,
            lost: AtomicI32::new(0),
        });
        let mut all = lock(&self.all);
        // After four thousand million registrations the numbers begin again; those that are still sat on are left out.
        let number = loop {
            let number = self.last.fetch_add(1, Ordering::Relaxed);
            if number != u32::MAX && !all.contains_key(&number) {
                break number;
            }
        };
        all.insert(number, Arc::clone(&watch));
        Seat {
            number,
            watch,
            watches: Arc::clone(self),
        }
    }
}

/// One seat; it is free again when its handler is gone.
pub(super) struct Seat {
    pub(super) number: u32,
    watch: Arc<Watch>,
    watches: Arc<Watches>,
}

impl Seat {
    /// Returns how long it is waited for where the errand says so much.
    fn time(&self, within: Within) -> Within {
        match within {
            Within::Any => Within::of(Some(self.watch.within)),
            Within::Ready => Within::Ready,
            Within::Time(time) => Within::of(Some(time.min(self.watch.within))),
        }
    }

    /// Returns why it is not asked any more, if it is not.
    #[inline]
    pub(super) fn off(&self) -> Option<Fault> {
        off(self.watch.lost.load(Ordering::Relaxed))
    }

    /// Takes the news that a call came back that had been given up.
    pub(super) fn comes_back(&self) {
        self.watch.lost.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.watches.all).remove(&self.number);
    }
}

/// A handler that can be given up.
pub(super) struct Watched {
    pub(super) handler: Box<dyn HookHandler>,
    pub(super) seat: Seat,
}

impl HookHandler for Watched {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        let call = |within| match self.handler.handle_as(event, asked) {
            Handled::Ready(said) => said,
            // What can be dropped when its time is over costs no thread, and is asked again the next time.
            Handled::Pending(future) => wait(future, self.seat.time(within)),
        };
        match ask(&self.seat, Part::Answers, call) {
            Ok(said) => Handled::Ready(said),
            // No watcher looks after this thread, or one looks after the handler that emits here.
            Err(_) => match self.seat.off() {
                Some(fault) => Handled::Ready(Err(Box::new(fault))),
                None => self.handler.handle_as(event, asked),
            },
        }
    }
}

/// Shows something to an observer that can be given up; returns its failure.
pub(super) fn shown(seat: &Seat, see: impl FnOnce()) -> Option<Box<Fault>> {
    let call = |_: Within| -> Said {
        see();
        Ok(HookResult::proceed())
    };
    match ask(seat, Part::Looks, call) {
        Ok(said) => said.err(),
        Err(call) => match seat.off() {
            Some(fault) => Some(Box::new(fault)),
            None => call(Within::Any).err(),
        },
    }
}
