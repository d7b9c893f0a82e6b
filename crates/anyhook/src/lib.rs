//! `payload -> Event -> Hook* -> HookResult -> reply`: lifecycle hooks for every AI agent.
//!
//! This crate touches the world: files, processes, sessions. What an event, a hook and a result *are* stands in
//! [`anyhook_core`], and how agents write them in [`anyhook_wires`]. Both are here again as `core` and `wires`, so this is
//! the crate to depend on.
//!
//! # Two ways in
//!
//! **Your own program is the agent.** It keeps a [`HookRegistry`], offers it what is about to happen, and acts on what
//! comes back:
//!
//! ```
//! use anyhook::HookRegistry;
//! use anyhook::core::event::Event;
//! use anyhook::core::result::{HookResult, Kind};
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
//! **An agent calls you.** It starts a process for each event, with a payload on its standard input. A
//! [`Context`](event::Context) takes one payload all the way to the bytes that this agent reads:
//!
//! ```text
//!  stdin ──> read_event ──> dispatch ──> fit ──> write_result ──> stdout, exit code
//!            wires          core         core    wires
//!               │              │          │
//!               │              │          └── state, stores: remember the session, keep the report
//!               │              └── runners, processes: ask the hooks
//!               └── load, trust: which manifests hold, and which of them may run
//! ```
//!
//! # Chapters, in reading order
//!
//! - In process: [`registry`], and [`drivers`], which do the asking; the [`session`](mod@session) that acts on what hooks
//!   say, and the [`approvers`] that put their questions to a person.
//! - What a session is mounted with: [`mounts`], plans and where modules come from, and the [`modules`] that are built in.
//! - One event of an agent: [`event`](mod@event), the [`world`] that it sees, the [`layers`] of its files and a [`survey`] of them,
//!   [`load`] and [`trust`], and [`guarded`], our own hook.
//! - What a manifest declares: [`runners`], the [`words`] of a command, [`processes`], [`rules`] without one, [`models`] that
//!   judge, and what is wrong with it ([`lint`](mod@lint)). What happened, in plain words: [`record`].
//! - The tables of `ex_athena`: [`athena`](mod@athena).
//! - Hooks in the background: [`background`].
//! - Memory: the [`state`] of a session, its [`limits`], [`approvals`] of a person, [`stores`] of reports, and the private [`files`] below both.
//! - Below everything: [`text`] for people, [`files`], [`processes`].
//!
//! In which crate they are stands in `docs/design.md`. The examples of a module name the crate that it comes from: `anyhook_engine::`,
//! `anyhook_registry::` and `anyhook_care::` are the paths that `anyhook::` has here.

pub use anyhook_core as core;
pub use anyhook_wires as wires;

#[doc(inline)]
pub use anyhook_care::{doctor, install, lint, packages, record, survey, transcripts, verify};
#[doc(inline)]
pub use anyhook_engine::yaml;
#[doc(inline)]
pub use anyhook_engine::{
    Session, approvals, approvers, background, config, event, files, guarded, layers, limits, load,
    models, modules, notify, passphrase, policy, processes, remote, rules, runners, sandbox,
    search, session, state, stores, text, trust, undo, words, world,
};
#[doc(inline)]
pub use anyhook_registry::{HookRegistry, drivers, registry};

pub mod athena;
pub mod mounts;

/// The pages of the documentation whose examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/from-amplifier.md")]
#[doc = include_str!("../../../docs/session.md")]
#[doc = include_str!("../../../docs/modules.md")]
#[doc = include_str!("../../../docs/mounts.md")]
#[doc = include_str!("../../../docs/security.md")]
pub struct Pages;
