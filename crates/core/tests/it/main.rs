//! The kernel's laws and its decisions, from outside: everything here uses the public API only.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of tests fail loudly, as tests do"
)]

mod any;
mod dispatch;
mod dispatch_end;
mod fit;
mod json;
mod laws_dispatch;
mod laws_fit;
mod laws_then;
mod ready;
mod stage;
mod table;

use proptest::test_runner::Config;

/// Says how many cases a law is tried with: what `PROPTEST_CASES` says, 10,000 in CI, else 1,000.
fn config() -> Config {
    let said = std::env::var_os("PROPTEST_CASES").is_some();
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let cases = match (said, in_ci) {
        (true, _) => Config::default().cases,
        (false, true) => 10_000,
        (false, false) => 1_000,
    };
    Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    }
}
