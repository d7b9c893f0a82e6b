//! The one time of hooks that are asked once: it is taken before such a hook is asked, and given back if it passes the event
//! over.

use anyhook_core::handler::Said;
use anyhook_core::result::HookId;

/// What becomes of the one time of a hook that is asked once.
///
/// ```
/// use std::sync::Mutex;
///
/// use anyhook_registry::core::dispatch::{Dispatch, Policy};
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::hook::{Hook, Hooks};
/// use anyhook_registry::core::result::HookId;
/// use anyhook_registry::drivers::future::drive;
/// use anyhook_registry::drivers::once::OneTime;
///
/// let hooks: Hooks = [Hook::on("stop", |_: &Event| ()).once()].into_iter().collect();
/// let mut event = Event::new("stop", serde_json::json!({}));
/// let mut dispatch = Dispatch::begin(&hooks, &event, Policy::default());
/// let told = Mutex::new(Vec::new());
/// let once = |_: HookId, what: OneTime| {
///     told.lock().unwrap().push(what);
///     true
/// };
/// pollster::block_on(drive(&mut dispatch, &hooks, &mut event, &once));
/// assert_eq!(*told.lock().unwrap(), [OneTime::Taken, OneTime::Used]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneTime {
    /// A dispatch takes it, if it is still there: then it alone may ask.
    Taken,
    /// The hook was asked.
    Used,
    /// The hook said that the event is not for it, so it has its one time still before it.
    GivenBack,
}

/// Takes the one time of a hook and tells whether it was there, or is told what became of it.
pub type Once<'a> = &'a (dyn Fn(HookId, OneTime) -> bool + Sync);

/// The hooks whose one time a dispatch has. What became of it is told when the dispatch is over, also where it is dropped: a
/// hook that passed an event over may be asked about the same event as others rewrote it.
pub(crate) struct Turns<'a> {
    once: Once<'a>,
    all: Vec<(HookId, Turn)>,
}

#[derive(PartialEq, Eq)]
enum Turn {
    Asking,
    Asked,
    PassedOver,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(once: Once<'a>) -> Self {
        Self {
            once,
            all: Vec::new(),
        }
    }

    /// Takes a hook's one time, unless it is here already; tells whether the hook may be asked.
    pub(crate) fn take(&mut self, id: HookId) -> bool {
        if let Some((_, turn)) = self.all.iter_mut().find(|(one, _)| *one == id) {
            if *turn == Turn::PassedOver {
                *turn = Turn::Asking;
            }
            return true;
        }
        let is_ours = (self.once)(id, OneTime::Taken);
        if is_ours {
            self.all.push((id, Turn::Asking));
        }
        is_ours
    }

    /// Hears what a hook said that was asked; of the others nothing is kept.
    pub(crate) fn hear(&mut self, id: HookId, said: &Said) {
        let is_passed_over = matches!(said, Err(fault) if fault.why_not().is_some());
        if let Some((_, turn)) = self.all.iter_mut().find(|(one, _)| *one == id) {
            *turn = match turn {
                Turn::Asking | Turn::PassedOver if is_passed_over => Turn::PassedOver,
                Turn::Asking | Turn::PassedOver | Turn::Asked => Turn::Asked,
            };
        }
    }
}

impl Drop for Turns<'_> {
    fn drop(&mut self) {
        for (id, turn) in &self.all {
            let what = match turn {
                Turn::Asking | Turn::Asked => OneTime::Used,
                Turn::PassedOver => OneTime::GivenBack,
            };
            (self.once)(*id, what);
        }
    }
}
