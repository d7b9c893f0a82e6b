//! The progress of an event: what the watchdog knows if it has to answer instead of a stuck process.

use std::sync::{Arc, Mutex, PoisonError};

use anyhook_core::event::{Data, Event, Origin};

/// How far an event has come, written by the line and read by the watchdog.
///
/// ```
/// use anyhook_engine::core::event::Event;
/// use anyhook_engine::world::{Progress, Reached};
/// use serde_json::json;
///
/// let progress = Progress::default();
/// assert!(matches!(progress.reached(), Reached::Nothing));
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
/// progress.reach(Reached::event(&event));
/// assert!(matches!(progress.reached(), Reached::Event(event) if event.name.as_str() == "tool:pre"));
/// ```
#[derive(Debug, Default)]
pub struct Progress(Mutex<Reached>);

/// What is known of an event.
#[derive(Debug, Clone, Default)]
pub enum Reached {
    /// Nothing: it may be any event, and a guard may stand.
    #[default]
    Nothing,
    /// Which event it is, without its data. Which hooks hold is not known, so a guard may stand.
    Event(Arc<Event>),
    /// A hook that may refuse is asked, or has refused.
    Guarded(Arc<Event>),
    /// No hook is asked that could refuse, or the answer is one that lets the action go on.
    Open(Arc<Event>),
}

impl Progress {
    /// Says how far the event has come.
    pub fn reach(&self, reached: Reached) {
        // Nothing under this lock can panic halfway through a change.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reached;
    }

    /// Tells how far the event has come.
    pub fn reached(&self) -> Reached {
        let reached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reached.clone()
    }
}

impl Reached {
    /// Keeps which event it is. Its data stay where they are: a rewrite would copy data that has another holder.
    pub fn event(event: &Event) -> Self {
        Self::Event(bare(event))
    }

    /// Says of an event whether a hook stands in its way.
    pub(crate) fn asked(event: &Event, may_refuse: bool) -> Self {
        if may_refuse {
            Self::Guarded(bare(event))
        } else {
            Self::Open(bare(event))
        }
    }
}

fn bare(event: &Event) -> Arc<Event> {
    let origin = event.origin.as_deref().map(|origin| Origin {
        host: origin.host.clone(),
        native: origin.native.clone(),
        session: origin.session.clone(),
        project: origin.project.clone(),
        raw: None,
        tool: origin.tool.clone(),
    });
    Arc::new(Event {
        name: event.name.clone(),
        origin: origin.map(Box::new),
        subject: event.subject.clone(),
        also: event.also,
        data: Data::Json(Arc::default()),
        at: event.at,
    })
}
