//! The tokens that hooks may say to the model in one turn, counted where the session is remembered, so that two processes of
//! one session share them.

use crate::state::{INJECTED, Loaded, StateError};

use super::Limits;

/// What became of a text's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    /// They are within the budget.
    Within,
    /// With them so many tokens are spent, which is over the budget.
    Over(u64),
}

impl Limits<'_> {
    /// Spends tokens, in one step that no other thread and no other process sees half done. What is refused for being
    /// over the budget is not spent.
    pub(super) fn spend(&self, tokens: u64, budget: u64) -> Result<(Spent, Loaded), StateError> {
        let Some((key, state)) = self.kept else {
            let spent = spent(tokens, budget);
            return Ok((spent, Loaded::Fresh));
        };
        let mut came = Spent::Within;
        let loaded = state.update(key, &mut |state| {
            let before = state.counters.get(INJECTED).copied().unwrap_or_default();
            let after = before.saturating_add(tokens);
            came = spent(after, budget);
            if came == Spent::Within || !self.settings.strict {
                state.counters.insert(INJECTED.to_owned(), after);
            }
        })?;
        Ok((came, loaded))
    }
}

fn spent(all: u64, budget: u64) -> Spent {
    if all > budget {
        Spent::Over(all)
    } else {
        Spent::Within
    }
}
