//! Counting the tokens of a text.

/// Counts four bytes a token, and never nothing for something.
///
/// ```
/// use anyhook_engine::limits::tokens;
/// assert_eq!((tokens("1234"), tokens("12345")), (1, 2));
/// ```
pub fn tokens(text: &str) -> u64 {
    u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)
}
