//! The engine against the world: real processes, real files, several processes at once.

// `cfg(test)` is what clippy goes by: helpers of tests may unwrap as tests may.
#[cfg(test)]
mod approvals;
#[cfg(test)]
mod athena;
#[cfg(test)]
mod background;
#[cfg(test)]
mod guarded;
#[cfg(test)]
mod halts;
#[cfg(test)]
mod installing;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod loading;
#[cfg(test)]
mod looks;
#[cfg(test)]
mod models;
#[cfg(test)]
mod mounts;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod projects;
#[cfg(test)]
mod session;
#[cfg(test)]
mod state;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod trust;
#[cfg(test)]
mod unheard;
