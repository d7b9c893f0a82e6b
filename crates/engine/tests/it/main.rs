//! What the engine's modules do together, and with real files and processes.

// `cfg(test)` is what clippy goes by: helpers of tests may unwrap as tests may.
#[cfg(test)]
mod guarded;
#[cfg(test)]
mod state;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod trust;
