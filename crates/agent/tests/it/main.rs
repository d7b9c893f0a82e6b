//! The loop, from outside: scripted models, real tools, real hooks.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod athena;
mod athena_examples;
mod athena_gaps;
mod calls;
mod cancelling;
mod compaction;
mod kit;
mod laws;
mod nonsense;
mod orders;
mod scenarios;
mod tools;
mod worktrees;
