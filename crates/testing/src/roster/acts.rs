//! The actions of a hook that a test has to see, besides that it was asked.

use anyhook::core::hook::HookRole;
use anyhook::core::manifest::Action;
use anyhook::core::taxonomy::Class;

use super::TestedHook;
use crate::exercise::Sighting;

/// What a hook has to be seen to do besides being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredAction {
    /// Nothing: it cannot stop the event, or says what it says whenever it is asked.
    No,
    /// Anything but let pass.
    Somehow,
    /// Refuse, or want a person to decide.
    Refuse,
}

/// Tells what has to be seen of a hook. Whether a program refuses is known by a case alone; a rule says it in the file, and
/// a module that only looks on says so itself.
pub(crate) fn must_act(tested: &TestedHook) -> RequiredAction {
    let is_program = !matches!(tested.hook.action(), Some(Action::Rule(_)))
        && tested.hook.role == HookRole::Decide;
    match tested.hook.event.class() {
        _ if !is_program => RequiredAction::No,
        _ if tested.hook.info.guard => RequiredAction::Refuse,
        Class::Gate | Class::Continuation if !tested.is_observer => RequiredAction::Somehow,
        Class::Gate | Class::Continuation | Class::After | Class::Notice => RequiredAction::No,
    }
}

impl RequiredAction {
    /// Tells whether some case shows it.
    pub(crate) fn is_shown(self, shown: &[&Sighting]) -> bool {
        match self {
            Self::No => true,
            Self::Somehow => shown.iter().any(|one| one.has_acted()),
            Self::Refuse => shown.iter().any(|one| one.has_refused()),
        }
    }
}
