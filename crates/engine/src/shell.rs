//! Paths in a text, and patterns of them. What a line does is read by `anyhook_effects`.
//!
//! ```
//! use anyhook_engine::shell::runs;
//!
//! assert!(runs("curl -o'a/b' x").contains("a/b"));
//! ```

pub(crate) mod globs;
pub mod patterns;

use std::collections::BTreeSet;

/// Everything in a text that may be a path, without regard to what is quoted.
pub fn runs(text: &str) -> BTreeSet<&str> {
    let is_between = |c: char| c.is_whitespace() || "'\"\\<>|&;(),=:#!".contains(c);
    let runs = text.split(is_between).filter(|run| !run.is_empty());
    let mut all: BTreeSet<&str> = runs.collect();
    let options = all.iter().filter(|run| run.starts_with(['-', '@', '+']));
    let attached: Vec<&str> = options
        .flat_map(|run| [run.get(1..), run.get(2..)])
        .flatten()
        .collect();
    all.extend(attached);
    all
}
