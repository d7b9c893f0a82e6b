//! Modules that are built in: one file and one row each, for a session and for `hooks.json`.
//!
//! A [`Module`] is a description: what it is for, where it stands, and how it is made of settings. [`Module::made`] makes a
//! [`Made`] of it and of settings, which answers events and keeps nothing of its own between them. So a session mounts the
//! same thing that `{"type": "builtin", "module": …, "config": …}` asks in a process for each event.
//!
//! Three settings are every module's: `priority`, `enabled_events` and `log_level`.
//!
//! ```
//! use anyhook_engine::Session;
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::modules::{Cleanup, MODULES, Module, MountError, find};
//! use anyhook_engine::session::Setup;
//! use serde_json::json;
//!
//! assert!(MODULES.iter().all(|module| module.summary.ends_with('.')));
//! let guard: &Module = find("file-guard").ok_or("no such module")?;
//!
//! let session = Session::with("s1", Setup::default());
//! let cleanup: Option<Cleanup> = guard.mount(&session, &json!({"blocked_paths": [".env*"]}))?;
//! let write = json!({"tool_name": "Write", "tool_input": {"file_path": "a/../.env"}});
//! let said = session.emit_blocking("tool:pre", write.clone()).processed.result;
//! assert_eq!(said.verdict.kind(), Kind::Deny);
//!
//! // A module takes away what it brought.
//! cleanup.ok_or("nothing to clean up")?();
//! assert!(session.emit_blocking("tool:pre", write).processed.result.is_identity());
//!
//! // Settings that cannot be understood are all told at once, each with its place.
//! let Err(MountError::Config { errors, .. }) = guard.mount(&session, &json!({"bloked_paths": 1})) else {
//!     panic!()
//! };
//! assert_eq!(errors.0[0].pointer, "/bloked_paths");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # One of your own
//!
//! A module of a program is the same: a row, and what it does.
//!
//! ```
//! use std::sync::Arc;
//!
//! use anyhook_engine::Session;
//! use anyhook_engine::core::event::{Event, Map};
//! use anyhook_engine::core::handler::Said;
//! use anyhook_engine::core::hook::Role;
//! use anyhook_engine::core::result::HookResult;
//! use anyhook_engine::modules::{Around, BuiltIn, ConfigErrors, Made, Module, Stand};
//! use anyhook_engine::session::Setup;
//! use serde_json::json;
//!
//! struct Polite;
//! impl BuiltIn for Polite {
//!     fn answer(&self, _: &Event, around: &Around<'_>) -> Said {
//!         assert!(around.project.is_absolute());
//!         Ok(HookResult::proceed().notify("hello"))
//!     }
//! }
//!
//! static POLITE: Module = Module {
//!     name: "polite",
//!     aliases: &["hooks-polite"],
//!     summary: "Greets a new session.",
//!     stand: Stand { events: &["session:start"], priority: 0, role: Role::Decide, guard: false },
//!     make: |_: &Map| -> Result<Arc<dyn BuiltIn>, ConfigErrors> { Ok(Arc::new(Polite)) },
//! };
//!
//! let made: Made = POLITE.made(&Map::new())?;
//! assert_eq!((made.events(), made.priority()), (vec!["session:start".to_owned()], 0));
//!
//! let session = Session::with("s1", Setup::default());
//! POLITE.mount(&session, &json!({"language": "en"}))?;
//! let acted = session.emit_blocking("session:start", json!({}));
//! assert_eq!(&*acted.processed.result.effects.notify()[0].text, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approval;
mod check;
mod common;
mod config;
mod file_guard;
mod lines;
mod logging;
mod redaction;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use anyhook_core::event::{Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, HookHandler, Said};
use anyhook_core::hook::{Hook, Role};
use anyhook_core::manifest::Builtin;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::nearest;
use serde_json::Value;

pub(crate) use check::check;
use common::Common;
pub use config::{ConfigError, ConfigErrors};

use crate::Session;
use crate::registry::Handle;
use crate::world::Pass;
use crate::world::World;

/// Every module that is built in.
pub static MODULES: &[&Module] = &[
    &approval::ROW,
    &file_guard::ROW,
    &redaction::ROW,
    &logging::ROW,
];

/// One module: what it is, where it stands, what it can be told.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// Its names elsewhere, which are accepted.
    pub aliases: &'static [&'static str],
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Where it stands, unless it is told otherwise.
    pub stand: Stand,
    /// Makes one with these settings; whatever is wrong with them is told at once.
    pub make: fn(&Map) -> Result<Arc<dyn BuiltIn>, ConfigErrors>,
}

/// Where a module stands in a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stand {
    /// The events that it is asked about; a name may have a `*`.
    pub events: &'static [&'static str],
    /// Its priority; lower is asked earlier.
    pub priority: i32,
    /// Whether it decides, or sees what was decided.
    pub role: Role,
    /// Whether it guards: its own failure refuses.
    pub guard: bool,
}

/// What a module does about an event.
///
/// The implementer keeps nothing between two events that it would miss in another process. A panic is a fault.
pub trait BuiltIn: Send + Sync {
    /// Answers an event.
    fn answer(&self, event: &Event, around: &Around<'_>) -> Said;
}

/// What a module sees besides the event.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The world.
    pub world: &'a World,
    /// The project's folder.
    pub project: &'a Path,
    /// Whether it happens, or is only told: then nothing may be written.
    pub pass: Pass,
}

/// What is done when a module goes: it takes away what it brought.
pub type Cleanup = Box<dyn FnOnce() + Send>;

/// Why a module could not be mounted.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// It is not known.
    #[error("{}", unknown(name))]
    Unknown {
        /// The name that was asked for.
        name: String,
    },
    /// Its settings cannot be understood.
    #[error("module `{module}`: {errors}")]
    Config {
        /// The module.
        module: &'static str,
        /// Everything that is wrong.
        errors: ConfigErrors,
    },
    /// It panicked.
    #[error("module `{module}` panicked while it was mounted")]
    Panicked {
        /// The module.
        module: &'static str,
    },
}

/// A module with its settings: what a session or a runner asks.
///
/// ```
/// use anyhook_engine::core::event::{Event, Map};
/// use anyhook_engine::modules::{Around, Made, find};
/// use anyhook_engine::world::Pass;
/// use anyhook_engine::world::World;
/// use serde_json::json;
///
/// let made: Made = find("file-guard").ok_or("no such module")?.made(&Map::new())?;
/// let world = World::real();
/// let around = Around { world: &world, project: &world.cwd, pass: Pass::Told };
/// let read = json!({"tool_name": "Read", "tool_input": {"file_path": "src/main.rs"}});
/// let said = made.answer(&Event::new("tool:pre", read), &around);
/// assert!(said.unwrap().is_identity());
/// assert_eq!((made.events(), made.priority()), (vec!["tool:pre".to_owned()], 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Made {
    module: &'static Module,
    common: Common,
    inner: Arc<dyn BuiltIn>,
}

/// Returns a module by its name, or by one of its names elsewhere.
///
/// ```
/// use anyhook_engine::modules::find;
/// assert!(find("nothing").is_none());
/// assert_eq!(find("file-guard").map(|module| module.name), Some("file-guard"));
/// ```
pub fn find(name: &str) -> Option<&'static Module> {
    let is = |module: &&&Module| module.name == name || module.aliases.contains(&name);
    MODULES.iter().find(is).copied()
}

/// Says that a module is not known, in words for a person.
pub(crate) fn unknown(name: &str) -> String {
    let name = crate::text::plain(name);
    match near(&name) {
        Some(near) => format!("there is no built-in module `{name}`; did you mean `{near}`?"),
        None => format!("there is no built-in module `{name}`"),
    }
}

fn near(name: &str) -> Option<&'static str> {
    nearest(name, MODULES.iter().map(|module| module.name))
}

/// Returns where a module of a manifest stands. One that is not known counts as a guard: it may have been meant as one.
pub(crate) fn stand(builtin: &Builtin) -> Stand {
    find(&builtin.module).map_or(
        Stand {
            events: &[],
            priority: 0,
            role: Role::Decide,
            guard: true,
        },
        |module| module.stand,
    )
}

impl Module {
    /// Makes one with these settings. Its panic is an error like any other.
    pub fn made(&'static self, config: &Map) -> Result<Made, ConfigErrors> {
        let (common, own) = Common::split(config);
        let made = catch_unwind(AssertUnwindSafe(|| (self.make)(&own)));
        let made = made.unwrap_or_else(|_| Err(ConfigErrors::panicked()));
        match (common, made) {
            (Ok(common), Ok(inner)) => Ok(Made {
                module: self,
                common,
                inner,
            }),
            (common, made) => {
                let errors = common.err().into_iter().chain(made.err());
                let errors: Vec<ConfigError> = errors.flat_map(|errors| errors.0).collect();
                Err(ConfigErrors(errors))
            }
        }
    }

    /// Mounts it on a session, in the world of this process. The settings are an object, or `null` for none.
    pub fn mount(
        &'static self,
        session: &Session,
        config: &Value,
    ) -> Result<Option<Cleanup>, MountError> {
        self.mount_in(Arc::new(World::real()), session, config)
    }

    /// Mounts it on a session, in a given world. Mounted once more with the same settings it is there once: the second
    /// mount brings nothing, and has nothing to clean up.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use anyhook_engine::Session;
    /// use anyhook_engine::modules::find;
    /// use anyhook_engine::session::Setup;
    /// use anyhook_engine::world::World;
    /// use serde_json::{Value, json};
    ///
    /// let session = Session::with("s1", Setup::default());
    /// let (guard, world) = (find("file-guard").ok_or("no such module")?, Arc::new(World::real()));
    /// assert!(guard.mount_in(world.clone(), &session, &Value::Null)?.is_some());
    /// assert!(guard.mount_in(world, &session, &json!({}))?.is_none());
    /// assert_eq!(session.hooks().list_handlers(Some("tool:pre"))["tool:pre"], ["file-guard"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mount_in(
        &'static self,
        world: Arc<World>,
        session: &Session,
        config: &Value,
    ) -> Result<Option<Cleanup>, MountError> {
        let wrong = |errors| MountError::Config {
            module: self.name,
            errors,
        };
        let config = match config {
            Value::Null => Map::new(),
            Value::Object(config) => config.clone(),
            other => return Err(wrong(ConfigErrors::no_object(other))),
        };
        let made = self.made(&config).map_err(|errors| {
            if errors.is_panic() {
                MountError::Panicked { module: self.name }
            } else {
                wrong(errors)
            }
        })?;
        if !common::first_time(session, self.name, &config) {
            return Ok(None);
        }
        Ok(Some(made.register(world, session, config)))
    }
}

impl Made {
    /// Returns the events that it is asked about.
    pub fn events(&self) -> Vec<String> {
        self.common.events(&self.module.stand)
    }

    /// Returns its priority.
    pub fn priority(&self) -> i32 {
        self.common.priority.unwrap_or(self.module.stand.priority)
    }

    /// Answers an event. A panic is a fault, and an event that it is not enabled for is passed over.
    pub fn answer(&self, event: &Event, around: &Around<'_>) -> Said {
        if !self.common.is_enabled(&event.name) {
            return Ok(HookResult::proceed());
        }
        let caught = catch_unwind(AssertUnwindSafe(|| self.inner.answer(event, around)));
        let said = caught.unwrap_or_else(|panic| {
            let fault = Fault::of_panic(&*panic);
            Err(Box::new(fault))
        });
        said.map(|said| self.common.quieter(said))
    }

    fn register(self, world: Arc<World>, session: &Session, config: Map) -> Cleanup {
        let name = self.module.name;
        let events = self.events();
        let asked = Asked(Arc::new((self, world)));
        let hook = |event: &String| session.hooks().register(asked.hook(event));
        let handles: Vec<Handle> = events.iter().map(hook).collect();
        let mounted = common::mounted(session);
        Box::new(move || {
            for handle in &handles {
                handle.unregister();
            }
            common::forget(&mounted, name, &config);
        })
    }
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made")
            .field("module", &self.module.name)
            .field("common", &self.common)
            .finish_non_exhaustive()
    }
}

/// What a session asks.
#[derive(Clone)]
struct Asked(Arc<(Made, Arc<World>)>);

impl Asked {
    fn hook(&self, event: &str) -> Hook {
        let (made, _) = &*self.0;
        let stand = &made.module.stand;
        let hook =
            Hook::in_process(event, made.module.name, self.clone()).priority(made.priority());
        let hook = match stand.role {
            Role::Observe => hook.observing(),
            Role::Decide => hook,
        };
        if stand.guard { hook.guard() } else { hook }
    }
}

impl HookHandler for Asked {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        let (made, world) = &*self.0;
        let around = Around {
            world,
            project: &world.cwd,
            pass: Pass::Real,
        };
        Handled::Ready(made.answer(event, &around))
    }
}

/// Makes the fault of a module that cannot do what it is there for.
fn failed(why: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Errored, why)
}
