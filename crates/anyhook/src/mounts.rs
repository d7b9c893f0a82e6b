//! Modules: what a session mounts, from a plan that a person writes.
//!
//! ```text
//! plan.yaml ──> Plan ──> Catalogue::find ──> Mount::mount(session, config) ──> handlers of the session
//!               located  function, built-in,  under the plan's rules           and a cleanup
//!               errors   package
//! ```
//!
//! A [`Plan`] lists modules. A [`Catalogue`] finds each of them: a function of the program, one that is built in, or a
//! package of hooks in a folder or a repository. Whatever a module registers through the session that it is given is kept in
//! an account, and taken back when it goes. A module that fails harms no other.
//!
//! ```
//! use std::fs;
//!
//! use anyhook::Session;
//! use anyhook::core::result::Kind;
//! use anyhook::mounts::{Catalogue, Plan};
//! use anyhook::session::{SessionOrigin, Setup};
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
//! session.start_blocking(SessionOrigin::New);
//!
//! let said = session.emit_blocking("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "make deploy"}}));
//! assert_eq!(said.processed.result.verdict.kind(), Kind::Deny);
//! assert_eq!(said.processed.result.verdict.text(), "deploys are frozen");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where a module comes from
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook::Session;
//! use anyhook::mounts::{
//!     ExecutionMode, MountStatus, Catalogue, ModuleEntry, GitSource, MountOutcome, Plan, MountErrorKind, Scheme, ModuleSource,
//! };
//! use anyhook::session::Setup;
//! use serde_json::{Value, json};
//!
//! // A plan that makes no sense says where and why.
//! let plan = Plan::read(Path::new("plan.json"), r#"{"hooks": [{"source": "./x"}]}"#)?;
//! assert!(plan.has_errors());
//! let missing = Plan::open(Path::new("/nowhere/plan.json")).unwrap_err();
//! assert!(missing.message.starts_with("cannot be read"));
//!
//! // A repository is pinned by commit, under its source.
//! let ModuleSource::Git(git) = ModuleSource::read("git+https://example.com/hooks@v2#subdirectory=guard", Path::new(""))? else {
//!     panic!()
//! };
//! let GitSource { scheme, url, .. } = &git;
//! assert_eq!((scheme.name(), &**url), (Scheme::Https.name(), "https://example.com/hooks"));
//! assert_eq!(git.pin(), "git+https://example.com/hooks@v2");
//! let refused = ModuleSource::read("git+ssh://example.com/x", Path::new("")).unwrap_err();
//! assert!(refused.help.is_some());
//!
//! let catalogue = Catalogue::default().with("quiet", |_: &Session, _: &Value| ());
//! let entry = ModuleEntry::new("quiet", json!({}));
//! let found = catalogue.find(&entry, Path::new(""))?;
//! assert_eq!((found.kind, found.module.asking()), ("function", ExecutionMode::InProcess));
//! assert!(found.module.look().is_empty());
//!
//! let session = Session::with("s1", Setup::default());
//! let plan = vec![entry, ModuleEntry::new("loud", json!({}))].into();
//! let outcomes = catalogue.mount_blocking(&session, &plan);
//! let [MountOutcome { became: MountStatus::Mounted(_), .. }, MountOutcome { became: MountStatus::Failed(error), .. }] = &outcomes[..]
//! else {
//!     panic!()
//! };
//! assert_eq!(error.reason, MountErrorKind::NotFound);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Validating one
//!
//! ```
//! use anyhook::Session;
//! use anyhook::mounts::{CHECKS, Catalogue, CheckOutcome, ModuleEntry, TrialMode, Validation, Weight};
//! use serde_json::{Value, json};
//!
//! let catalogue = Catalogue::default().with("idle", |_: &Session, _: &Value| ());
//! let validation: Validation = catalogue.validate(&ModuleEntry::new("idle", json!({})), "".as_ref(), TrialMode::Look);
//! assert_eq!(validation.checks.len(), CHECKS.len());
//! assert_eq!(validation.failures(), ["registers"]);
//! let CheckOutcome { check, .. } = validation.failed(Weight::Required).next().unwrap();
//! assert!(!validation.is_good() && check.about == "It registers a handler.");
//! ```

mod built_in;
mod catalogue;
mod checks;
mod fetch;
mod load;
mod lock;
mod module;
mod mounting;
mod package;
mod plan;
mod sample;
mod source;
mod validate;
mod watch;

pub use catalogue::{Catalogue, FoundModule, PackageTrust};
pub use checks::{CHECKS, Check, CheckStatus, Weight};
pub use fetch::fetched;
pub use load::{LoadHooks, in_process};
pub use lock::PinnedCommit;
pub use module::{
    Cleanup, ExecutionMode, IntoCleanup, ModuleProblem, Mount, MountError, MountErrorKind,
    MountFuture,
};
pub use mounting::{MountOutcome, MountStatus};
pub(crate) use package::{HookPackage, as_handler};
pub use plan::{ModuleEntry, Plan};
pub use source::{GitSource, ModuleSource, Scheme};
pub use validate::{CheckOutcome, Validation};
pub use watch::TrialMode;
