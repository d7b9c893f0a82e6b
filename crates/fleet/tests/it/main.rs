//! Policies, as leads, administrators and attackers make them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod apply;
mod attacks;
mod crash;
mod events;
mod fetching;
mod fleets;
mod members;
mod room;
mod shipping;
mod teams;
mod tls;
mod tools;
