//! The server, as clients and attackers reach it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]

mod attacks;
mod browser;
mod chromium;
mod client;
mod described;
mod events;
mod home;
mod inbox;
mod killed;
mod life;
mod node;

mod page;
mod real_agents;
