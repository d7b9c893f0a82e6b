//! The id of a hook.

use serde::{Deserialize, Serialize};

/// The place of a hook in the list that one dispatch walks.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Hooks};
/// use anyhook_core::result::{HookId, HookResult};
///
/// let hook = |name| Hook::in_process("tool:pre", name, |_: &Event| HookResult::proceed());
/// let hooks: Hooks = [hook("lint"), hook("secrets")].into_iter().collect();
/// assert_eq!(HookId(1).index(), 1);
/// assert_eq!(&*hooks.get(HookId(1)).unwrap().info.name, "secrets");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct HookId(pub u32);

impl HookId {
    /// Makes the id of an index.
    pub(crate) fn at(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
