//! Attacks with real programs: each works unconfined, and the kernel refuses it to the same program when it is confined.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says when it is skipped"
)]

mod calls;
mod files;
mod helper;
mod limits;
mod network;
mod processes;
mod room;
