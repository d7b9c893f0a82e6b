//! The tokens that hooks may say to the model in one turn, counted where the session is remembered, so that two processes of
//! one session share them.

use crate::state::{INJECTED, Loaded, StateError};

use super::Limits;

impl Limits<'_> {
    /// Spends tokens, and tells how many that makes where it is over the budget, in one step that no other thread and no other process sees half done. What is refused for being
    /// over the budget is not spent.
    pub(super) fn spend(
        &self,
        tokens: u64,
        budget: u64,
    ) -> Result<(Option<u64>, Loaded), StateError> {
        let over = |all: u64| Some(all).filter(|all| *all > budget);
        let Some((key, state)) = self.kept else {
            return Ok((over(tokens), Loaded::Fresh));
        };
        let mut came = None;
        let loaded = state.update(key, &mut |state| {
            let before = state.counters.get(INJECTED).copied().unwrap_or_default();
            let after = before.saturating_add(tokens);
            came = over(after);
            if came.is_none() || !self.settings.strict {
                state.counters.insert(INJECTED.to_owned(), after);
            }
        })?;
        Ok((came, loaded))
    }
}
