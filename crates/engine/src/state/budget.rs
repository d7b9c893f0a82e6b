//! The budget of model requests of a session.

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
