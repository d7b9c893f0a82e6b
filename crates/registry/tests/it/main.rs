//! The registry against threads, executors and handlers that hang.

// `cfg(test)` is what clippy goes by: helpers of tests may unwrap as tests may.
#[cfg(test)]
mod registry;
