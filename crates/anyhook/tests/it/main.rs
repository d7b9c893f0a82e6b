//! The engine against the world: real processes, real files, several processes at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "tests"
)]

mod approvals;
mod athena;
mod background;
mod guarded;
mod halts;
mod installing;
mod layers;
mod limits;
mod lines;
mod loading;
mod looks;
mod models;
mod mounts;
mod processes;
mod projects;
mod session;
mod state;
mod stores;
mod terminal;
mod trust;
mod unheard;
