//! Counting the tokens of a text.

/// Counts the tokens of a text, for the budget of a turn.
///
/// ```
/// use anyhook_engine::limits::{FourBytes, TokenEstimator};
/// assert_eq!(TokenEstimator::tokens(&FourBytes, "12345"), 2);
/// ```
pub trait TokenEstimator: Send + Sync {
    /// Returns how many tokens a text is at least likely to be.
    fn tokens(&self, text: &str) -> u64;
}

/// Four bytes a token, and never nothing for something.
///
/// ```
/// use anyhook_engine::limits::{FourBytes, TokenEstimator};
/// assert_eq!(FourBytes.tokens("1234"), 1);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FourBytes;

impl TokenEstimator for FourBytes {
    fn tokens(&self, text: &str) -> u64 {
        u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)
    }
}
