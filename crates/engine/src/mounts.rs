//! Modules: what a session mounts, from a plan that a person writes.
//!
//! ```text
//! plan.yaml ──> Plan ──> Catalogue::find ──> Mount::mount(session, config) ──> handlers of the session
//!               located  function, built-in,  under the plan's rules           and a cleanup
//!               errors   package, loader
//! ```
//!
//! A [`Plan`] lists modules. A [`Catalogue`] finds each of them: a function of the program, one that is built in, a package
//! of hooks in a folder or a repository, or what a [`Loader`] knows. Whatever a module registers through the session that
//! it is given is kept in an account, and taken back when it goes. A module that fails harms no other.
//!
//! ```
//! use std::fs;
//!
//! use anyhook::Session;
//! use anyhook::core::result::Kind;
//! use anyhook::mounts::{Catalogue, Plan};
//! use anyhook::session::{Begins, Setup};
//! use anyhook::world::World;
//! use serde_json::json;
//!
//! // A package of hooks, and a plan beside it.
//! let place = tempfile::tempdir()?;
//! fs::create_dir_all(place.path().join("frozen/hooks"))?;
//! fs::write(
//!     place.path().join("frozen/hooks/hooks.json"),
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
//!         {"type": "command", "command": "echo 'deploys are frozen' >&2; exit 2", "guard": true}
//!     ]}]}}"#,
//! )?;
//! let file = place.path().join("plan.json");
//! fs::write(&file, r#"{"hooks": [{"module": "frozen", "source": "./frozen", "priority": 10}]}"#)?;
//!
//! let plan = Plan::open(&file)?;
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let session = Session::with("s1", Setup { settings: plan.settings.clone(), ..Setup::default() });
//! let outcomes = Catalogue::new(world).mount_blocking(&session, &plan);
//! assert_eq!(outcomes[0].error(), None);
//! session.start_blocking(Begins::New);
//!
//! let said = session.emit_blocking("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "make deploy"}}));
//! assert_eq!(said.processed.result.verdict.kind(), Kind::Deny);
//! assert_eq!(said.processed.result.verdict.text(), "deploys are frozen");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod built_in;
mod catalogue;
mod checks;
mod digest;
mod fetch;
mod lock;
mod module;
mod mounting;
mod package;
mod plan;
mod sample;
mod source;
mod tree;
mod validate;
mod watch;

pub use catalogue::{Catalogue, Found, Loader, Locking, Packages, Wanted};
pub use checks::{CHECKS, Check, Judged, Weight};
pub use lock::{LOCK, Lock, LockError, Pinned};
pub use module::{Asking, Cleanup, IntoMounted, Mount, MountError, Mounting, Reason, Seen};
pub use mounting::{Became, Outcome};
pub use plan::{Entry, Plan, PlanError};
pub use source::{Git, Scheme, Source, SourceError};
pub use validate::{Checked, Validation};
pub use watch::Trial;
