//! The model requests of a session, how many it may make, and how many are left.

use serde::{Deserialize, Serialize};

use super::StateError;

/// How many requests a session may make.
///
/// ```
/// assert_eq!(anyhook_engine::state::CALLS, 50);
/// ```
pub const CALLS: u64 = 50;

/// How many tokens its requests and their answers may have together.
///
/// ```
/// assert_eq!(anyhook_engine::state::TOKENS, 100_000);
/// ```
pub const TOKENS: u64 = 100_000;

/// Why a request may not be made.
///
/// ```
/// use anyhook_engine::state::BudgetError;
///
/// let error = BudgetError::Tokens { wanted: 2500, left: 1000 };
/// assert_eq!(
///     error.to_string(),
///     "it would take about 2500 tokens, and this session has 1000 of 100000 left"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// All calls are used up.
    #[error(
        "the hooks of this session have asked a model {CALLS} times already, which is all that a session may"
    )]
    Calls,
    /// The request is larger than what is left.
    #[error("it would take about {wanted} tokens, and this session has {left} of {TOKENS} left")]
    Tokens {
        /// What the request and its answer may take.
        wanted: u64,
        /// What is left.
        left: u64,
    },
    /// What is spent cannot be counted: then no model is asked.
    #[error("the calls of this session cannot be counted")]
    State(#[from] StateError),
}

/// What the hooks of a session asked of a model.
///
/// ```
/// use anyhook_engine::state::{BudgetError, CALLS, ModelUsage, TOKENS};
///
/// let mut models = ModelUsage::default();
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
pub struct ModelUsage {
    /// How many requests were made.
    pub calls: u64,
    /// How many tokens they and their answers had, or may have where that is not known yet.
    pub tokens: u64,
}

impl ModelUsage {
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
