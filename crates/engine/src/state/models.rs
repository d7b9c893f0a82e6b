//! The model requests of a session, and how many are left.

use serde::{Deserialize, Serialize};

use super::{BudgetError, CALLS, TOKENS};

/// What the hooks of a session asked of a model.
///
/// ```
/// use anyhook_engine::state::{BudgetError, CALLS, Models, TOKENS};
///
/// let mut models = Models::default();
/// models.take(3000)?;
/// models.settle(3000, 400);
/// assert_eq!((models.calls, models.tokens), (1, 400));
///
/// // What a request may need has to be there before it is made.
/// assert!(matches!(models.take(TOKENS), Err(BudgetError::Tokens { left: 99_600, .. })));
/// models.calls = CALLS;
/// assert!(matches!(models.take(1), Err(BudgetError::Calls)));
/// # Ok::<(), BudgetError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Models {
    /// How many requests were made.
    pub calls: u64,
    /// How many tokens they and their answers had, or may have where that is not known yet.
    pub tokens: u64,
}

impl Models {
    /// Takes one request and the tokens that it may need, or says why the session may not make it.
    pub fn take(&mut self, tokens: u64) -> Result<u64, BudgetError> {
        if self.calls >= CALLS {
            return Err(BudgetError::Calls);
        }
        let left = TOKENS.saturating_sub(self.tokens);
        if tokens > left {
            return Err(BudgetError::Tokens {
                wanted: tokens,
                left,
            });
        }
        self.calls = self.calls.saturating_add(1);
        self.tokens = self.tokens.saturating_add(tokens);
        Ok(tokens)
    }

    /// Corrects what was taken for a request to what it needed.
    pub fn settle(&mut self, taken: u64, used: u64) {
        self.tokens = self.tokens.saturating_sub(taken).saturating_add(used);
    }
}
