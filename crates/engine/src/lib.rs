//! One event, from the bytes of an agent to its answer; and the session of a program that is itself the agent.
//!
//! This crate touches the world: files, processes, models. A program depends on `anyhook`, which has every module of this
//! crate under the same name.
//!
//! ```
//! use anyhook_engine::Session;
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::result::{HookResult, Kind};
//! use anyhook_engine::session::Setup;
//! use serde_json::json;
//!
//! let session = Session::with("s1", Setup::default());
//! session.hooks().on("tool:pre", |_: &Event| HookResult::deny("this session is read-only"));
//! let said = session.emit_blocking("tool:pre", json!({"tool_name": "Write"}));
//! assert_eq!(said.processed.result.verdict.kind(), Kind::Deny);
//! ```
//!
//! The way of one event, and which crate stands on which, is in `docs/design.md`.

pub use anyhook_core as core;
pub use anyhook_registry::{HookRegistry, drivers, registry};
pub use anyhook_wires as wires;

pub use session::Session;

mod actions;
pub mod approvals;
pub mod approvers;
pub mod background;
mod brings;
pub mod config;
pub mod event;
pub mod files;
#[doc(hidden)]
pub mod folders;
pub mod guarded;
pub mod layers;
pub mod limits;
mod lists {
    include!(concat!(env!("OUT_DIR"), "/lists.rs"));
}
pub mod load;
pub mod models;
pub mod modules;
pub mod notify;
pub mod passphrase;
pub mod policy;
pub mod processes;
pub mod remote;
pub mod rules;
pub mod runners;
pub mod sandbox;
pub mod search;
pub mod session;
#[doc(hidden)]
pub mod shell;
pub mod state;
pub mod stores;
#[cfg(test)]
mod tests;
pub mod text;
pub mod trust;
pub mod undo;
pub mod words;
pub mod world;
pub mod yaml;

/// Locks, also after a panic of who held it: nothing under these locks is left half done.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    let held = mutex.lock();
    held.unwrap_or_else(std::sync::PoisonError::into_inner)
}
