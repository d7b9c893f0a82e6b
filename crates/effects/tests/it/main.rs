//! The reader of shell lines against the shell itself.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::too_many_lines,
    reason = "a test stops at the first thing that is wrong, and says what it measured"
)]

mod bash;
mod differential;
mod everyday;
mod grammar;
mod judged;
mod login;
mod naming;
mod room;
mod traced;
