//! The naive registry: what one writes first. One lock over everything, the payload cloned for every handler, a future in a
//! box for each, and a whole new payload for every rewrite.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhook_core::event::Map;
use serde_json::Value;

pub(crate) enum Said {
    Continue,
    Modify(Map),
}

type Handler = Arc<dyn Fn(String, Map) -> Pin<Box<dyn Future<Output = Said> + Send>> + Send + Sync>;

#[derive(Clone)]
struct Entry {
    priority: i32,
    name: String,
    handler: Handler,
}

#[derive(Default)]
pub(crate) struct Naive {
    handlers: Mutex<HashMap<String, Vec<Entry>>>,
}

impl Naive {
    pub(crate) fn register(
        &self,
        event: &str,
        name: &str,
        handler: impl Fn(String, Map) -> Said + Send + Sync + 'static,
    ) {
        let handler = Arc::new(handler);
        let boxed: Handler = Arc::new(move |event, data| {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler(event, data) })
        });
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        let list = handlers.entry(event.to_owned()).or_default();
        list.push(Entry {
            priority: 0,
            name: name.to_owned(),
            handler: boxed,
        });
        list.sort_by_key(|entry| entry.priority);
    }

    pub(crate) fn unregister(&self, event: &str, name: &str) {
        let mut handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = handlers.get_mut(event) {
            list.retain(|entry| entry.name != name);
        }
    }

    pub(crate) async fn emit(&self, event: &str, mut data: Map) -> Map {
        let list = {
            let handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
            handlers.get(event).cloned().unwrap_or_default()
        };
        if list.is_empty() {
            return data;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0));
        data.insert("timestamp".to_owned(), Value::from(at));
        for entry in list {
            match (entry.handler)(event.to_owned(), data.clone()).await {
                Said::Continue => {}
                Said::Modify(changed) => data = changed,
            }
        }
        data
    }
}
