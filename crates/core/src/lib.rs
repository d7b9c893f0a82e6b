//! The nouns and laws of Anyhook.

pub mod transcript;
