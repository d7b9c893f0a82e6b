//! Hooks on events that no agent has and no program sends: most often a slip, and such a hook is never asked.

use anyhook_core::event::EventName;
use anyhook_core::taxonomy::suggest;

use super::{HookRegistry, lock};

/// A hook on an event that no agent has and that the program did not declare.
///
/// ```
/// use anyhook_registry::HookRegistry;
/// use anyhook_registry::core::event::Event;
/// use anyhook_registry::core::hook::Hook;
/// use anyhook_registry::registry::UnknownEvent;
///
/// let registry = HookRegistry::new();
/// registry.register(Hook::on("sesion:start", |_: &Event| ()).named("greet"));
/// let slip: &UnknownEvent = &registry.unknown_events()[0];
/// assert_eq!(slip.to_string(), "the hook `greet` waits for the event `sesion:start`, which no agent sends; did you mean `session:start`?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The event, as it was registered.
    pub event: EventName,
    /// The name of the hook.
    pub hook: Box<str>,
    /// The event that was probably meant.
    pub did_you_mean: Option<&'static str>,
}

impl HookRegistry {
    /// Declares an event of the program's own, so that hooks on it are not taken for slips.
    pub fn declare(&self, event: &str) {
        lock(&self.inner.declared).push(EventName::new(event));
    }

    /// Lists the hooks on events that no agent has and that the program did not declare. Registering one also logs a warning
    /// through the `log` crate. A program's own test asserts that there are none.
    ///
    /// ```
    /// use anyhook_registry::HookRegistry;
    /// use anyhook_registry::core::event::Event;
    /// use anyhook_registry::registry::UnknownEvent;
    ///
    /// let registry = HookRegistry::new();
    /// registry.on("deploy:start", |_: &Event| ());
    /// registry.declare("deploy:start");
    /// registry.on("tool_pre", |_: &Event| ());
    /// let all = registry.unknown_events();
    /// let [UnknownEvent { event, did_you_mean, .. }] = all.as_slice() else { panic!("{all:?}") };
    /// assert_eq!((event.as_str(), *did_you_mean), ("tool_pre", Some("tool:pre")));
    /// ```
    pub fn unknown_events(&self) -> Vec<UnknownEvent> {
        let all = self.describe().into_iter();
        let unknown = all.filter_map(|one| self.unknown(&one.event, &one.info.name));
        unknown.collect()
    }

    pub(super) fn warn_of_unknown(&self, event: &EventName, hook: &str) {
        if let Some(unknown) = self.unknown(event, hook) {
            log::warn!("{unknown}");
        }
    }

    fn unknown(&self, event: &EventName, hook: &str) -> Option<UnknownEvent> {
        let is_known = event.spec().is_some()
            || event.stands_for_known()
            || lock(&self.inner.declared)
                .iter()
                .any(|one| event.covers(one));
        (!is_known).then(|| UnknownEvent {
            event: event.clone(),
            hook: hook.into(),
            did_you_mean: suggest(event.as_str()),
        })
    }
}

impl std::fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (event, hook) = (&self.event, &self.hook);
        write!(
            f,
            "the hook `{hook}` waits for the event `{event}`, which no agent sends"
        )?;
        match self.did_you_mean {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => write!(
                f,
                "; if your program sends it, declare it: `registry.declare(\"{event}\")`"
            ),
        }
    }
}
