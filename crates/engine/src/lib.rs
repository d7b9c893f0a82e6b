//! A lifecycle-hook engine for AI agents: one model, every agent.
//!
//! This crate touches the world: files, processes, sessions. What an event, a hook and a result *are* stands in
//! [`core`], how agents write them in [`wires`]; both are re-exported, so this is the crate to depend on.
//!
//! ```no_run
//! use anyhook::line::{Caller, Line};
//! use anyhook::load::Loading;
//! use anyhook::world::World;
//!
//! let world = World::real();
//! let line = Line {
//!     world: &world,
//!     host: anyhook::wires::host("claude-code").ok_or("no such host")?,
//!     caller: Caller::Host,
//!     hint: None,
//!     manifest: None,
//!     deadline: None,
//!     loading: Loading::default(),
//!     store: None,
//!     state: None,
//! };
//! let answered = line.run(br#"{"hook_event_name": "PreToolUse", "tool_name": "Bash"}"#);
//! print!("{}", answered.reply.stdout);
//! # Ok::<(), &'static str>(())
//! ```

pub use anyhook_core as core;
pub use anyhook_wires as wires;

pub use registry::HookRegistry;

pub mod approvals;
pub mod doctor;
pub mod drivers;
pub mod files;
pub mod guarded;
pub mod install;
pub mod line;
pub mod load;
pub mod processes;
pub mod registry;
pub mod rules;
pub mod runners;
pub mod state;
pub mod stores;
pub mod trust;
pub mod verify;
pub mod words;
pub mod world;

/// The pages of the documentation whose examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/from-amplifier.md")]
pub struct FromAmplifier;
