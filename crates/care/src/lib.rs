//! What people ask for, never an event: what is wrong with a `hooks.json`, how an agent comes to call us, and whether it does.
//!
//! No event waits for anything of this crate. So a change of a lint builds this crate anew and those that stand on it, and
//! neither the engine nor the registry. A program depends on `anyhook`, which has every module of this crate under the same
//! name.

pub mod doctor;
pub mod install;
pub mod lint;
pub mod packages;
pub mod record;
pub mod survey;
pub mod transcripts;
pub mod verify;

#[cfg(test)]
mod tests;
