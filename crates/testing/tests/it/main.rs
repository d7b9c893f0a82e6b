//! Tests of the test runner: packages on disk, real scripts, and what is told about them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod blessing;
mod broken;
mod coordinator;
mod coverage;
mod guide;
mod isolation;
mod merged;
mod mutate;
mod package;
mod packages;
mod people;
mod replaying;
mod seed;
mod weak;
mod words;
