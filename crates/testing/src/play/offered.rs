//! The hooks that took part in an event of a case.

use std::sync::Arc;

use anyhook::core::event::Event;
use anyhook::core::hook::{Hook, HookInfo};
use anyhook::core::matcher::{Hit, Matcher};

/// A hook that took part in the event of a case.
#[derive(Debug, Clone)]
pub(crate) struct OfferedHook {
    /// Its place among all entries of the manifest.
    pub(crate) entry: usize,
    /// Who it is; the report holds the same one.
    pub(crate) info: Arc<HookInfo>,
    /// Whether the event is one of its own.
    pub(crate) is_about: bool,
    /// Whether its matcher selects the subject; nothing where the case passes the matcher over, or there is none.
    pub(crate) selects: Option<bool>,
    /// Those names of its matcher that select the subject.
    pub(crate) names: Vec<Box<str>>,
}

impl OfferedHook {
    pub(crate) fn new(entry: usize, hook: &Hook, event: &Event) -> Self {
        let subject = event.subject();
        let picks = |matcher: &Matcher| matcher.selects(subject.as_ref()) != Hit::No;
        let is_picked = |name: &str| Matcher::parse(name).is_ok_and(|one| picks(&one));
        let has_branches = subject.is_some() && !hook.when.is_all();
        Self {
            entry,
            info: Arc::clone(&hook.info),
            is_about: hook.event.covers(&event.name),
            selects: has_branches.then(|| picks(&hook.when)),
            names: if has_branches {
                let names = hook.when.names().iter();
                names.filter(|name| is_picked(name)).cloned().collect()
            } else {
                Vec::new()
            },
        }
    }
}
