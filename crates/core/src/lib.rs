//! The nouns and laws of Anyhook.

pub mod manifest;
pub mod matcher;
pub mod taxonomy;
pub mod transcript;
