//! The tokens that hooks may say to the model in one turn (D18), counted where the session is remembered, so that two
//! processes of one session share them.

use crate::state::{Loaded, StateError};

use super::Session;

/// The counter in the session's state.
const INJECTED: &str = "injected_tokens";

/// What became of a text's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    /// They are within the budget.
    Within,
    /// With them so many tokens are spent, which is over the budget.
    Over(u64),
}

impl Session {
    /// Begins a turn: all of its budget is there again. [`Session::emit`] does so at `prompt:submit`; whoever emits
    /// through the registry says it here.
    pub fn reset_turn(&self) -> Result<Loaded, StateError> {
        self.inner.state.update(&self.inner.key, &mut |state| {
            state.turn = state.turn.saturating_add(1);
            state.counters.remove(INJECTED);
        })
    }

    /// Returns how many tokens hooks have said to the model in this turn.
    pub fn injected_tokens(&self) -> Result<u64, StateError> {
        let mut spent = 0;
        // Of what cannot be read nothing is known to be spent; whoever spends next tells of it.
        let _: Loaded = self.inner.state.update(&self.inner.key, &mut |state| {
            spent = state.counters.get(INJECTED).copied().unwrap_or_default();
        })?;
        Ok(spent)
    }

    /// Spends tokens, in one step that no other thread and no other process sees half done. What is refused for being
    /// over the budget is not spent.
    pub(super) fn spend(&self, tokens: u64) -> Result<(Spent, Loaded), StateError> {
        let settings = &self.inner.settings;
        let mut spent = Spent::Within;
        let loaded = self.inner.state.update(&self.inner.key, &mut |state| {
            let before = state.counters.get(INJECTED).copied().unwrap_or_default();
            let after = before.saturating_add(tokens);
            let over = settings
                .injection_budget_per_turn
                .is_some_and(|most| after > most);
            spent = if over {
                Spent::Over(after)
            } else {
                Spent::Within
            };
            if !(over && settings.strict) {
                state.counters.insert(INJECTED.to_owned(), after);
            }
        })?;
        Ok((spent, loaded))
    }
}
