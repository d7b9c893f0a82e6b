//! The engine against the world: real processes and real files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on may panic"
)]

mod processes;
