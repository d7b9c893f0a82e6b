//! Recording events: what a session or a registry emitted, in order.

use std::sync::{Arc, Mutex};

use anyhook::HookRegistry;
use anyhook::core::event::{Data, Event, EventName, Map};
use anyhook::core::handler::{HandlerReply, HookHandler};
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use anyhook::registry::Handle;

use crate::mocks::lock;

/// The name of a recorder among the handlers.
pub(crate) const NAME: &str = "event-recorder";

/// Keeps every event that it hears, with a copy of its data. Clones are one recorder.
///
/// It is a handler as well: registered on a registry it says nothing, and hears what it is registered for.
///
/// ```
/// use anyhook::HookRegistry;
/// use anyhook_testing::EventRecorder;
/// use serde_json::json;
///
/// // By hand.
/// let recorder = EventRecorder::new();
/// recorder.record("tool:pre", json!({"tool_name": "write_file"}));
/// let events = recorder.get_events(None);
/// assert_eq!(events.len(), 1);
/// assert_eq!(events[0].0, "tool:pre");
///
/// // Or whatever a registry emits.
/// recorder.clear();
/// let hooks = HookRegistry::new();
/// let handle = recorder.listen(&hooks, "*");
/// hooks.emit_blocking("tool:pre", json!({"tool_name": "Read"}));
/// hooks.emit_blocking("PostToolUse", json!({"tool_name": "Read"}));
/// hooks.emit_blocking("stop", json!({}));
/// assert_eq!(recorder.names(), ["tool:pre", "tool:post", "stop"]);
/// assert_eq!(recorder.get_events(Some("tool:*")).len(), 2);
/// assert_eq!(recorder.filter(|event, data| event != "stop" && data["tool_name"] == "Read").len(), 2);
///
/// handle.unregister();
/// hooks.emit_blocking("stop", json!({}));
/// assert_eq!(recorder.names().len(), 3);
/// ```
#[derive(Debug, Clone, Default)]
pub struct EventRecorder {
    kept: Arc<Mutex<Vec<(String, Map)>>>,
}

impl EventRecorder {
    /// Makes one that heard nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps an event, and says that the action may go on. Its name is kept as the catalogue writes it.
    pub fn record(&self, event: &str, data: impl Into<Data>) -> HookResult {
        self.keep(&Event::new(event, data));
        HookResult::proceed()
    }

    fn keep(&self, event: &Event) {
        let data = event.json().into_owned();
        lock(&self.kept).push((event.name.as_str().to_owned(), data));
    }

    /// Returns what was heard, in order: of all events, or of one, in any spelling and with `*`.
    pub fn get_events(&self, event: Option<&str>) -> Vec<(String, Map)> {
        let wanted = event.map(EventName::new);
        self.filter(|name, _| {
            let wanted = wanted.as_ref();
            wanted.is_none_or(|wanted| wanted.covers(&EventName::new(name)))
        })
    }

    /// Returns what was heard and is wanted, in order.
    pub fn filter(&self, is_wanted: impl Fn(&str, &Map) -> bool) -> Vec<(String, Map)> {
        let all = lock(&self.kept).clone();
        let wanted = all.into_iter();
        wanted
            .filter(|(name, data)| is_wanted(name, data))
            .collect()
    }

    /// Returns the names of what was heard, in order.
    pub fn names(&self) -> Vec<String> {
        lock(&self.kept)
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Forgets everything.
    pub fn clear(&self) {
        lock(&self.kept).clear();
    }

    /// Listens to the events that a name or a pattern covers, behind everybody else: it keeps what they made of the data.
    pub fn listen(&self, hooks: &HookRegistry, event: &str) -> Handle {
        hooks.register(
            Hook::on(event, self.clone())
                .named(NAME)
                .priority(i32::MAX)
                .observing(),
        )
    }
}

impl HookHandler for EventRecorder {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        self.keep(event);
        HandlerReply::Ready(Ok(HookResult::proceed()))
    }
}
