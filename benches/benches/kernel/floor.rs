//! The floor: the least that a registry of this kind has to do, and nothing else. No faults, no matchers, no provenance,
//! no report, one verdict; the list behind an arc-swap, a shared payload, a time stamp, one boxed future for each handler
//! that answers later.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhook_core::event::Map;
use arc_swap::ArcSwap;
use foldhash::fast::RandomState;

/// What a handler may say; as large as a useful answer is.
pub(crate) enum Said {
    Continue,
    #[expect(dead_code, reason = "the floor's handlers never refuse")]
    Deny(Box<str>),
}

pub(crate) enum Answer<'a> {
    Ready(Said),
    Later(Pin<Box<dyn Future<Output = Said> + Send + 'a>>),
}

pub(crate) struct Event {
    pub(crate) data: Arc<Map>,
    #[expect(dead_code, reason = "stamped, as every registry does")]
    pub(crate) at: i64,
}

pub(crate) trait Handler: Send + Sync {
    fn call<'a>(&'a self, event: &'a Event) -> Answer<'a>;
}

pub(crate) struct Ready;
impl Handler for Ready {
    fn call<'a>(&'a self, _: &'a Event) -> Answer<'a> {
        Answer::Ready(Said::Continue)
    }
}

pub(crate) struct Boxed;
impl Handler for Boxed {
    fn call<'a>(&'a self, event: &'a Event) -> Answer<'a> {
        Answer::Later(Box::pin(async move {
            std::hint::black_box(&event.data);
            Said::Continue
        }))
    }
}

type List = Arc<[Arc<dyn Handler>]>;

#[derive(Default)]
pub(crate) struct Floor {
    lists: ArcSwap<HashMap<Box<str>, List, RandomState>>,
    written: Mutex<Vec<Arc<dyn Handler>>>,
}

impl Floor {
    pub(crate) fn with(event: &str, many: usize, handler: impl Fn() -> Arc<dyn Handler>) -> Self {
        let floor = Self::default();
        let list: List = (0..many).map(|_| handler()).collect();
        let lists = [(Box::from(event), list)].into_iter().collect();
        floor.lists.store(Arc::new(lists));
        floor
    }

    pub(crate) async fn emit(&self, event: &str, data: Arc<Map>) -> (Said, Arc<Map>) {
        let lists = self.lists.load();
        let Some(list) = lists.get(event).filter(|list| !list.is_empty()) else {
            return (Said::Continue, data);
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
        let event = Event { data, at };
        for handler in list.iter() {
            let said = match handler.call(&event) {
                Answer::Ready(said) => said,
                Answer::Later(future) => future.await,
            };
            if let Said::Deny(_) = said {
                return (said, event.data);
            }
        }
        (Said::Continue, event.data)
    }

    /// A list under a lock: the least that a registration costs.
    pub(crate) fn register(&self) {
        self.written
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Arc::new(Ready));
    }

    pub(crate) fn unregister(&self, at: usize) {
        let mut list = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if at < list.len() {
            drop(list.remove(at));
        }
    }
}
