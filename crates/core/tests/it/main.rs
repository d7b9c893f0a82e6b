//! The kernel's laws and its decisions, from outside: everything here uses the public API only.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of tests fail loudly, as tests do"
)]

mod any;
mod dispatch;
mod fit;
mod json;
mod laws_dispatch;
mod laws_fit;
mod laws_then;
mod stage;
mod table;

use proptest::test_runner::Config;

/// Says how a law is tried: as often as `PROPTEST_CASES` says, which is 10,000 times in CI.
fn config() -> Config {
    Config {
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    }
}
