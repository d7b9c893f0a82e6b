//! One dispatch that can go on without the thread that it runs on: what was said is remembered, and no handler is asked twice.
//!
//! The thread writes down which handler it asks, and what a handler said that had something to say. The watching thread
//! ([`carried`](super::carried)) gives the thread up where a handler does not come back; the dispatch then runs again
//! elsewhere. There the handlers before that one are not called: what they said is known. It itself has failed.
//!
//! On the way back from a handler nothing is allocated and no clock is read, unless the handler has something to say.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhook_core::event::{Datum, Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::Said;
use anyhook_core::report::{Became, Report, Step};
use anyhook_core::result::{HookId, HookResult};
use anyhook_core::taxonomy::Class;

use super::book::{List, Row};
use super::watched::Seat;
use super::{HookRegistry, Patience, lock, story, wait};
use crate::drivers::future::{Within, depth, inside};
use crate::drivers::once::OneTime;

/// No handler is running.
const NONE: u64 = 0;

/// The thread was given up.
const GIVEN_UP: u64 = u64::MAX;

/// So much longer a thread is waited for than a hook: one that waits for an answer drops it in time, and is not lost.
const SLACK: Duration = Duration::from_millis(50);

/// Every dispatch has a number of its own.
static LAST: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The dispatch that this thread runs; nothing while a handler is running, because what it emits is part of its own
    /// time.
    static HERE: Cell<Option<Here>> = const { Cell::new(None) };
}

/// What a dispatch came to.
pub(super) struct Told {
    pub(super) event: Event,
    pub(super) report: Report,
    pub(super) replies: Vec<Datum>,
}

/// What is wanted of the hooks.
#[derive(Clone, Copy)]
pub(super) enum Errand {
    /// One answer of all together.
    Dispatches,
    /// The answer of each, within a time.
    Collects(Patience),
}

impl Errand {
    /// How long each may take, whatever its own time.
    fn within(self) -> Within {
        match self {
            Self::Dispatches => Within::Any,
            Self::Collects(patience) => Within::of(Some(patience.within())),
        }
    }
}

/// A dispatch, on one thread.
pub(super) struct Asking {
    pub(super) number: u64,
    pub(super) registry: HookRegistry,
    row: Arc<Row>,
    given: Given,
    began: Instant,
    errand: Errand,
    /// How many handlers were on the stack of the emitter.
    depth: u32,
    known: Known,
    /// Who is asked now: the how manieth asking, and the seat.
    current: AtomicU64,
    /// What was said here that is not nothing, by the number of the asking.
    said: Mutex<Vec<(u32, Said)>>,
    /// Whose one time was taken for this dispatch.
    taken: Mutex<Vec<HookId>>,
}

/// The event as it was emitted.
enum Given {
    Here(Event),
    /// It is the first thread's, and is not copied for each.
    Before(Arc<Asking>),
}

/// What is known from a thread on which this dispatch ran before.
#[derive(Default)]
struct Known {
    /// So many were asked.
    asked: u32,
    /// What they said; of those who are not here, nothing.
    said: Vec<(u32, Said)>,
    /// The failures of those who were given up, and how long each was waited for.
    late: Vec<(Fault, Duration)>,
    /// Why no other handler is asked.
    broken: Option<Box<str>>,
}

impl Known {
    #[inline]
    fn said(&self, number: u32) -> Option<Said> {
        if number >= self.asked {
            return None;
        }
        let found = self.said.binary_search_by_key(&number, |(at, _)| *at).ok();
        let said = found.and_then(|at| self.said.get(at));
        Some(said.map_or_else(|| Ok(HookResult::proceed()), |(_, said)| said.clone()))
    }
}

impl Asking {
    pub(super) fn new(
        registry: &HookRegistry,
        row: Arc<Row>,
        given: Event,
        errand: Errand,
    ) -> Arc<Self> {
        Arc::new(Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            registry: registry.bare(),
            row,
            given: Given::Here(given),
            began: Instant::now(),
            errand,
            depth: depth(),
            known: Known::default(),
            current: AtomicU64::new(NONE),
            said: Mutex::default(),
            taken: Mutex::default(),
        })
    }

    /// Runs it on this thread. Where it breaks down outside of a handler it has to be run again: those who have answered
    /// keep their answers, and everybody else has failed.
    pub(super) fn run(self: &Arc<Self>) -> Result<Told, Arc<Self>> {
        let outside = HERE.replace(Some(Here {
            asking: Arc::clone(self),
            number: 0,
        }));
        let told = inside(self.depth, || {
            catch_unwind(AssertUnwindSafe(|| self.tell()))
        });
        let here = HERE.replace(outside);
        told.or_else(|panic| {
            let why = Fault::of_panic(&*panic).text;
            match here {
                Some(here) if self.known.broken.is_none() => {
                    Err(self.again(here.number, None, Some(why)))
                }
                Some(_) | None => Ok(self.refused(&why)),
            }
        })
    }

    fn tell(&self) -> Told {
        let list = self.registry.inner.book.list_of(&self.row);
        let mut event = self.given().clone();
        let once = |id, what| self.once(list, id, what);
        let (report, replies) = match self.errand {
            Errand::Dispatches => {
                let report = wait(self.registry.tell_once(list, &mut event, &once));
                (report, Vec::new())
            }
            Errand::Collects(patience) => {
                let collected = wait(self.registry.collect(list, &event, (patience, &once)));
                (collected.report, collected.replies)
            }
        };
        Told {
            event,
            report: self.timed(report),
            replies,
        }
    }

    /// Corrects the times of a dispatch that went on elsewhere: it began before, and who was given up was waited for there.
    fn timed(&self, mut report: Report) -> Report {
        if matches!(self.given, Given::Before(_)) {
            report.took = Some(self.began.elapsed());
        }
        for (late, waited) in &self.known.late {
            let mut steps = report.steps.iter_mut();
            let is_its = |step: &&mut Step| matches!(&step.became, Became::Failed { fault, .. } if **fault == *late);
            if let Some(step) = steps.find(is_its) {
                step.took = Some(*waited);
            }
        }
        report
    }

    /// Keeps a hook's one time; what was taken on another thread is ours already, and what becomes of it is told by the
    /// thread that ends the dispatch.
    fn once(&self, list: &List, id: HookId, what: OneTime) -> bool {
        if self.is_given_up() {
            return false;
        }
        let mut taken = lock(&self.taken);
        let is_known = what == OneTime::Taken && taken.contains(&id);
        let is_ours = is_known || self.registry.once(list, id, what);
        if what == OneTime::Taken && is_ours && !is_known {
            taken.push(id);
        }
        is_ours
    }

    /// What stands where not even the answers that are known could be put together: a gate is shut.
    pub(super) fn refused(&self, why: &str) -> Told {
        let given = catch_unwind(AssertUnwindSafe(|| self.given().clone()));
        let name = || self.given().name.clone();
        let event = given.unwrap_or_else(|_| Event::named(name(), Map::new()));
        // It was none of the handlers.
        let why = why.strip_prefix("the handler panicked: ").unwrap_or(why);
        let text = format!("the hooks could not be asked: {why}");
        let mut report = story(self.registry.inner.book.list_of(&self.row), &event);
        report.remarks.push(text.as_str().into());
        match event.name.class() {
            Class::Gate => report.result = HookResult::deny(text),
            Class::Continuation | Class::After | Class::Notice => {}
        }
        Told {
            event,
            report,
            replies: Vec::new(),
        }
    }

    fn given(&self) -> &Event {
        match &self.given {
            Given::Here(event) => event,
            Given::Before(first) => first.given(),
        }
    }

    fn is_given_up(&self) -> bool {
        self.current.load(Ordering::Acquire) == GIVEN_UP
    }

    /// Gives the thread of this dispatch up, if a handler is over its time; returns the dispatch that goes on.
    pub(super) fn given_up(self: &Arc<Self>, seen: &mut Option<Seen>) -> Option<Arc<Self>> {
        let current = self.current.load(Ordering::Acquire);
        let is_same = |seen: &&Seen| seen.asking == self.number && seen.current == current;
        let Some(seen) = seen.as_ref().filter(is_same) else {
            *seen = Some(Seen {
                asking: self.number,
                current,
                since: Instant::now(),
            });
            return None;
        };
        let (number, seat) = unpacked(current)?;
        let watch = self.registry.inner.lanes.as_ref()?.watches.get(seat)?;
        let within = match self.errand.within() {
            // What is not ready is not waited for; what blocks all the same has its own time.
            Within::Any | Within::Ready => watch.within,
            Within::Time(time) => watch.within.min(time),
        };
        if seen.since.elapsed() < within.saturating_add(SLACK) {
            return None;
        }
        let given_up =
            self.current
                .compare_exchange(current, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire);
        given_up.ok()?;
        let late = (watch.abandoned(within), seen.since.elapsed());
        Some(self.again(number, Some(late), None))
    }

    /// Makes the dispatch that goes on after so many askings, and one that failed.
    fn again(
        self: &Arc<Self>,
        asked: u32,
        late: Option<(Fault, Duration)>,
        broken: Option<Box<str>>,
    ) -> Arc<Self> {
        let mut known = Known {
            asked,
            said: self.known.said.clone(),
            late: self.known.late.clone(),
            broken,
        };
        known.said.append(&mut lock(&self.said));
        if let Some((fault, waited)) = late {
            known.said.push((asked, Err(Box::new(fault.clone()))));
            known.late.push((fault, waited));
            known.asked += 1;
        }
        Arc::new(Self {
            number: self.number,
            registry: self.registry.clone(),
            row: Arc::clone(&self.row),
            given: Given::Before(Arc::clone(self)),
            began: self.began,
            errand: self.errand,
            depth: self.depth,
            known,
            current: AtomicU64::new(NONE),
            said: Mutex::default(),
            taken: Mutex::new(lock(&self.taken).clone()),
        })
    }

    /// Calls a handler; returns nothing if the dispatch has gone on without this thread meanwhile.
    #[inline]
    fn call(&self, number: u32, seat: &Seat, call: impl FnOnce(Within) -> Said) -> Option<Said> {
        let current = packed(number, seat.number);
        self.current.store(current, Ordering::Release);
        let said = catch_unwind(AssertUnwindSafe(|| call(self.errand.within())));
        let is_ours =
            self.current
                .compare_exchange(current, NONE, Ordering::AcqRel, Ordering::Acquire);
        is_ours.ok()?;
        Some(said.unwrap_or_else(|panic| Err(Box::new(Fault::of_panic(&*panic)))))
    }
}

/// Where a thread is in its dispatch.
pub(super) struct Here {
    asking: Arc<Asking>,
    /// How many were asked.
    number: u32,
}

/// Asks a handler on a seat, if this thread runs a dispatch that is watched; else returns the call.
#[inline]
pub(super) fn ask<C: FnOnce(Within) -> Said>(seat: &Seat, part: Part, call: C) -> Result<Said, C> {
    let Some(mut here) = HERE.take() else {
        return Err(call);
    };
    let said = here.ask(seat, part, call);
    HERE.set(Some(here));
    Ok(said)
}

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A handler.
    Answers,
    /// An observer.
    Looks,
}

impl Here {
    #[inline]
    fn ask(&mut self, seat: &Seat, part: Part, call: impl FnOnce(Within) -> Said) -> Said {
        let (number, asking) = (self.number, &*self.asking);
        self.number += 1;
        if let Some(known) = asking.known.said(number) {
            return known;
        }
        let failed = asking.unasked(part).or_else(|| seat.off());
        let said = if let Some(fault) = failed {
            Err(Box::new(fault))
        } else if let Some(said) = asking.call(number, seat, call) {
            said
        } else {
            seat.comes_back();
            // No code reads what this thread still does.
            return Err(Box::new(gone()));
        };
        if !matches!(&said, Ok(said) if said.is_identity()) {
            lock(&asking.said).push((number, said.clone()));
        }
        said
    }
}

impl Asking {
    /// Returns why no handler is asked any more in this dispatch, if that is so.
    #[inline]
    fn unasked(&self, part: Part) -> Option<Fault> {
        if self.is_given_up() {
            return Some(gone());
        }
        let why = self.known.broken.as_ref().filter(|_| part == Part::Answers);
        why.map(|why| {
            let text = format!("it was not asked, because the dispatch broke down: {why}");
            Fault::new(FaultKind::NotStarted, text)
        })
    }
}

fn gone() -> Fault {
    Fault::new(FaultKind::NotStarted, "its dispatch has gone on elsewhere")
}

/// What a watcher saw last, and since when.
pub(super) struct Seen {
    asking: u64,
    current: u64,
    since: Instant,
}

/// The number of an asking and a seat, in one word that is never [`NONE`] nor [`GIVEN_UP`].
fn packed(number: u32, seat: u32) -> u64 {
    (u64::from(number.wrapping_add(1)) << 32) | u64::from(seat)
}

fn unpacked(current: u64) -> Option<(u32, u32)> {
    if matches!(current, NONE | GIVEN_UP) {
        return None;
    }
    let number = u32::try_from(current >> 32).ok()?.wrapping_sub(1);
    let seat = u32::try_from(current & u64::from(u32::MAX)).ok()?;
    Some((number, seat))
}
