//! The regular expression of `matches`, whose cost is bounded.

use regex_lite::{Regex, RegexBuilder};

/// The bounds of a compiled pattern in bytes, each with what a byte of a text costs under it: a search may look at every
/// part of the pattern for every byte.
const SIZES: [(usize, usize); 3] = [(4 << 10, 1), (16 << 10, 4), (64 << 10, 16)];

/// A text costs one step for each so many bytes, with a small pattern.
const BYTES: usize = 32;

/// A pattern that was compiled.
#[derive(Debug)]
pub(super) struct WeightedRegex {
    regex: Regex,
    weight: usize,
}

impl WeightedRegex {
    /// Compiles a pattern.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut wrong = String::new();
        for (size, weight) in SIZES {
            match RegexBuilder::new(text).size_limit(size).build() {
                Ok(regex) => return Ok(Self { regex, weight }),
                Err(error) => wrong = error.to_string(),
            }
        }
        Err(format!("the pattern cannot be read: {wrong}"))
    }

    /// Returns how many steps a search in a text of this length costs.
    pub(super) fn steps(&self, length: usize) -> usize {
        (1 + length / BYTES).saturating_mul(self.weight)
    }

    /// Tells whether it matches somewhere in a text.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}
