//! Placeholder, replaced in the next commit.

pub mod processes;
pub mod words;
