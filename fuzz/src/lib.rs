//! `fn target(bytes: &[u8])`: laws of everything that reads bytes, one function each.
//!
//! A [`Target`] takes any bytes and returns, or panics with the law that does not hold. Three things call it: the tests of
//! this crate with the corpus, `.ci/nightly fuzz` with inputs that are made of the corpus ([`generate`]), and cargo-fuzz
//! with inputs that it finds itself. How to run them stands in `fuzz/README.md`.
//!
//! ```
//! use anyhook_fuzz::{Target, target};
//!
//! let Target { name, run, .. } = target("when").unwrap();
//! assert_eq!(*name, "when");
//! run(b"tool_name == 'Bash' && runs('rm', '-rf')");
//! ```

#![allow(
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a law that does not hold is told by a panic: that is what a target is for"
)]

pub mod corpus;
pub mod explore;
pub mod generate;
mod targets;

pub use targets::{TARGETS, Target, target};
