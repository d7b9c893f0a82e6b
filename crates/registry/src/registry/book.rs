//! The list of what is registered, and the list of hooks for each event that is made from it.
//!
//! Writers hold a lock on the book and throw away the lists that they change; the next emit makes them anew. A thread that
//! else emits takes no lock: it reads a list that does not change any more. So a dispatch sees the handlers of the moment when
//! it began, and a thousand registrations make one list.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use anyhook_core::event::{Data, EventName, Map};
use anyhook_core::hook::{Hook, Hooks};
use arc_swap::{ArcSwap, Guard};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::drivers::future::ClaimChange;

/// So many spellings of events are remembered with their lists. More than that are made up, and each emit of
/// one makes its list anew.
const SPELLINGS: usize = 4096;

/// A place in the order of asking: by priority, then as registered. No two registrations have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PriorityKey {
    pub(super) priority: i32,
    pub(super) number: u64,
}

impl PriorityKey {
    /// The place of nothing: no registration ever has it.
    pub(super) const NONE: Self = Self {
        priority: i32::MAX,
        number: u64::MAX,
    };
}

/// Everything about one event, or one pattern, in order.
type BookPage = BTreeMap<PriorityKey, Arc<Hook>>;

/// Whom one event is offered to: what a dispatch walks.
pub(super) struct HookList {
    pub(super) name: EventName,
    pub(super) hooks: Hooks,
    pub(super) keys: Vec<PriorityKey>,
    pub(super) defaults: Option<Arc<Map>>,
}

impl HookList {
    pub(super) fn is_empty(&self) -> bool {
        self.hooks.list().is_empty()
    }

    /// Adds the defaults to the data of an event, unless it has no listeners.
    #[inline]
    pub(super) fn fill(&self, data: &mut Data) {
        if let Some(defaults) = self.defaults.as_ref().filter(|_| !self.is_empty()) {
            data.fill(defaults);
        }
    }
}

/// One event. Its list is made when it is first emitted, and never changes: a change of the book puts a new row in
/// its place.
pub(super) struct EventRow {
    name: EventName,
    list: OnceLock<HookList>,
}

impl EventRow {
    fn new(name: EventName) -> Arc<Self> {
        let list = OnceLock::new();
        Arc::new(Self { name, list })
    }
}

/// The rows by every spelling that was emitted. All spellings of one event share a row.
pub(super) type EventRows = HashMap<Arc<str>, Arc<EventRow>, RandomState>;

/// The registrations, and the lists made from them.
#[derive(Default)]
pub(super) struct RegistrationBook {
    rows: ArcSwap<EventRows>,
    written: Mutex<Registrations>,
}

#[derive(Default)]
pub(super) struct Registrations {
    pages: IndexMap<Box<str>, (EventName, BookPage), RandomState>,
    last: u64,
    defaults: Option<Arc<Map>>,
}

impl RegistrationBook {
    /// Returns the rows of this moment, and room for one that is not among them. Held by a program that emits: without a lock, and
    /// without a count that all threads would write to.
    #[inline]
    pub(super) fn read(&self) -> (Guard<Arc<EventRows>>, Option<Arc<EventRow>>) {
        (self.rows.load(), None)
    }

    /// Returns the list of an event, in any spelling.
    #[inline]
    pub(super) fn list<'a>(
        &self,
        rows: &'a EventRows,
        other: &'a mut Option<Arc<EventRow>>,
        event: &str,
    ) -> &'a HookList {
        let row = match rows.get(event) {
            Some(row) => row,
            None => other.insert(self.open(event)),
        };
        self.list_of(row)
    }

    /// Returns the list of a row.
    pub(super) fn list_of<'a>(&self, row: &'a EventRow) -> &'a HookList {
        row.list.get().unwrap_or_else(|| self.make(row))
    }

    /// Makes a list. It is put in its place before the lock goes, or a change in between would not know that it is wrong.
    #[cold]
    fn make<'a>(&self, row: &'a EventRow) -> &'a HookList {
        let written = self.lock();
        row.list.get_or_init(|| written.list(&row.name))
    }

    /// Remembers a spelling.
    #[cold]
    fn open(&self, event: &str) -> Arc<EventRow> {
        let _writing = self.lock();
        let name = EventName::new(event);
        let rows = self.rows.load();
        let known = rows.get(name.as_str()).cloned();
        let row = known.unwrap_or_else(|| EventRow::new(name.clone()));
        if rows.len() < SPELLINGS {
            let mut more = EventRows::clone(&rows);
            more.insert(name.as_str().into(), Arc::clone(&row));
            more.insert(event.into(), Arc::clone(&row));
            self.rows.store(Arc::new(more));
        }
        row
    }

    pub(super) fn add_hook(&self, hook: Hook) -> PriorityKey {
        let (event, priority) = (hook.event.clone(), hook.info.priority);
        let mut written = self.lock();
        written.last += 1;
        let key = PriorityKey {
            priority,
            number: written.last,
        };
        let page = written.pages.entry(event.as_str().into());
        let (_, page) = page.or_insert_with(|| (event.clone(), BookPage::default()));
        page.insert(key, Arc::new(hook));
        self.forget(|name| event.covers(name));
        key
    }

    /// Removes one registration, and tells whether it was still there.
    pub(super) fn remove(&self, event: &EventName, key: PriorityKey) -> bool {
        let mut written = self.lock();
        let Some((_, page)) = written.pages.get_mut(event.as_str()) else {
            return false;
        };
        let hook = page.remove(&key);
        let removed = hook.is_some();
        if removed {
            self.forget(|name| event.covers(name));
        }
        // What a handler owns may use the registry when it is dropped, so the lock goes first.
        drop(written);
        drop(hook);
        removed
    }

    /// Takes a registration for one time out, and tells whether it was there; or puts it back in its place.
    pub(super) fn once(&self, hook: &Arc<Hook>, key: PriorityKey, what: ClaimChange) -> bool {
        match what {
            ClaimChange::Taken => self.remove(&hook.event, key),
            ClaimChange::GivenBack => {
                let mut written = self.lock();
                if let Some((_, page)) = written.pages.get_mut(hook.event.as_str()) {
                    page.insert(key, Arc::clone(hook));
                }
                self.forget(|name| hook.event.covers(name));
                true
            }
        }
    }

    /// Removes the newest registration of a name, and tells whether there was one.
    pub(super) fn remove_named(&self, name: &str) -> bool {
        let newest = self.lock().newest(name);
        newest.is_some_and(|(event, key)| self.remove(&event, key))
    }

    pub(super) fn set_defaults(&self, defaults: Map) {
        let mut written = self.lock();
        written.defaults = (!defaults.is_empty()).then(|| Arc::new(defaults));
        self.forget(|_| true);
    }

    /// Puts new rows in the place of those whose list a change made wrong. The caller holds the lock.
    fn forget(&self, is_wrong: impl Fn(&EventName) -> bool) {
        let rows = self.rows.load();
        let is_wrong = |row: &EventRow| row.list.get().is_some() && is_wrong(&row.name);
        if !rows.values().any(|row| is_wrong(row)) {
            return;
        }
        let mut fresh: HashMap<&str, Arc<EventRow>, RandomState> = HashMap::default();
        let renewed = rows.iter().map(|(spelling, row)| {
            let row = if is_wrong(row) {
                let fresh = fresh.entry(row.name.as_str());
                Arc::clone(fresh.or_insert_with(|| EventRow::new(row.name.clone())))
            } else {
                Arc::clone(row)
            };
            (Arc::clone(spelling), row)
        });
        self.rows.store(Arc::new(renewed.collect()));
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Registrations> {
        // Nothing under this lock can panic halfway through a change.
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registrations {
    fn list(&self, name: &EventName) -> HookList {
        let pages = self.pages.values().filter(|(event, _)| event.covers(name));
        let hooks: BookPage = pages.flat_map(|(_, page)| page.clone()).collect();
        HookList {
            name: name.clone(),
            keys: hooks.keys().copied().collect(),
            hooks: hooks.into_values().collect(),
            defaults: self.defaults.clone(),
        }
    }

    pub(super) fn names(&self, event: &EventName) -> Vec<String> {
        let list = self.list(event);
        let hooks = list.hooks.list().iter();
        hooks.map(|hook| hook.info.name.to_string()).collect()
    }

    pub(super) fn all_names(&self) -> BTreeMap<String, Vec<String>> {
        let events = self.pages.values().map(|(event, _)| event);
        events
            .map(|event| (event.as_str().to_owned(), self.names(event)))
            .collect()
    }

    fn newest(&self, name: &str) -> Option<(EventName, PriorityKey)> {
        let all = self.pages.values().flat_map(|(event, page)| {
            let named = page.iter().filter(|(_, hook)| &*hook.info.name == name);
            named.map(move |(key, _)| (event, *key))
        });
        all.max_by_key(|(_, key)| key.number)
            .map(|(event, key)| (event.clone(), key))
    }
}
