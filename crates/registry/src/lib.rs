//! The hooks of a program, asked in its own process.
//!
//! A [`HookRegistry`] is what a program needs that is itself the agent: it keeps handlers, offers them what is about to
//! happen, and says what came of it. It reads no file, starts no process and needs no runtime. What an event, a hook and a
//! result are stands in [`anyhook_core`], which is here again as `core`.
//!
//! ```
//! use anyhook_registry::HookRegistry;
//! use anyhook_registry::core::event::Event;
//! use anyhook_registry::core::result::{HookResult, Kind};
//! use serde_json::json;
//!
//! let registry = HookRegistry::new();
//! registry.on("tool:pre", |event: &Event| match event.text("tool_name").as_deref() {
//!     Some("Write") => HookResult::deny("this session is read-only; say what you would change"),
//!     _ => HookResult::proceed(),
//! });
//!
//! let said = registry.emit_blocking("tool:pre", json!({"tool_name": "Write"})).result;
//! assert_eq!(said.verdict.kind(), Kind::Deny);
//! ```
//!
//! The crate `anyhook` has all of this under the same paths, and sessions, the hooks of a `hooks.json`, and
//! the agents that call from outside.

pub use anyhook_core as core;

pub use clock::SystemClock;
#[doc(hidden)]
pub use clock::millis_of;
pub use registry::HookRegistry;

mod clock;
pub mod drivers;
pub mod registry;
