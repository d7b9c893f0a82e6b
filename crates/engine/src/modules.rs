//! Modules that are built in: one file and one row each, for a session and for `hooks.json`.
//!
//! A [`Module`] is a description: what it is for, where it stands, and how it is made of settings. What is made answers events
//! and keeps nothing of its own between them. So a session mounts the same thing that
//! `{"type": "builtin", "module": …, "config": …}` asks in a process for each event.
//!
//! Three settings are every module's: `priority`, `enabled_events` and `log_level`.
//!
//! ```
//! use anyhook_engine::Session;
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::modules::{MODULES, Module, find};
//! use anyhook_engine::session::Setup;
//! use serde_json::json;
//!
//! assert!(MODULES.iter().all(|module| module.summary.ends_with('.')));
//! let guard: &Module = find("file-guard").ok_or("no such module")?;
//!
//! let session = Session::with("s1", Setup::default());
//! let handles = guard.mount(&session, &json!({"blocked_paths": [".env*"]}))?;
//! let write = json!({"tool_name": "Write", "tool_input": {"file_path": "a/../.env"}});
//! let said = session.emit_blocking("tool:pre", write.clone()).processed.result;
//! assert_eq!(said.verdict.kind(), Kind::Deny);
//!
//! // What it brought goes by its handles.
//! handles.iter().for_each(|handle| handle.unregister());
//! assert!(session.emit_blocking("tool:pre", write).processed.result.is_identity());
//!
//! // Settings that cannot be understood are all told at once.
//! let errors = guard.mount(&session, &json!({"bloked_paths": 1})).err().ok_or("it is understood")?;
//! assert!(errors.0[0].starts_with("`bloked_paths` cannot be read"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approval;
mod check;
mod config;
mod file_guard;
mod logging;
mod redaction;

use std::path::Path;
use std::sync::Arc;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::{HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::{Hook, HookRole};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::nearest;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use check::check;
pub use config::ConfigErrors;

use crate::Session;
use crate::registry::{Handle, Rules};
use crate::rules::Facts;
use crate::text::plain;
use crate::world::RunMode;
use crate::world::World;

/// Every module that is built in.
pub static MODULES: &[&Module] = &[
    &approval::ROW,
    &file_guard::ROW,
    &redaction::ROW,
    &logging::ROW,
];

/// The names of the settings that every module has.
const COMMON: [&str; 3] = ["priority", "enabled_events", "log_level"];

/// One module: what it is, where it stands, what it can be told.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// Its names elsewhere, which are accepted.
    pub aliases: &'static [&'static str],
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The events that it is asked about; a name may have a `*`.
    pub events: &'static [&'static str],
    /// Its priority unless it is told otherwise; lower is asked earlier.
    pub priority: i32,
    /// Whether it decides, or sees what was decided.
    pub role: HookRole,
    /// Whether it guards: its own failure refuses.
    pub guard: bool,
    /// Makes one with these settings; whatever is wrong with them is told at once.
    make: fn(&Map) -> Result<Box<dyn BuiltInModule>, ConfigErrors>,
}

/// What a module does about an event. It keeps nothing between two events that it would miss in another process.
trait BuiltInModule: Send + Sync {
    /// Answers an event.
    fn answer(&self, event: &Event, around: &ModuleContext<'_>) -> HandlerResult;
}

/// What a module sees besides the event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModuleContext<'a> {
    /// The world.
    pub(crate) world: &'a World,
    /// The project's folder.
    pub(crate) project: &'a Path,
    /// Whether it happens, or is only told: then nothing may be written.
    pub(crate) pass: RunMode,
}

impl<'a> ModuleContext<'a> {
    /// Returns what a condition may ask about an event.
    fn facts(&self, event: &'a Event) -> Facts<'a> {
        Facts::new(event, self.project, self.world.home())
    }
}

/// A module with its settings: what a session or a runner asks.
pub(crate) struct ConfiguredModule {
    rules: Rules,
    inner: Box<dyn BuiltInModule>,
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
    let name = plain(name);
    match nearest(&name, MODULES.iter().map(|module| module.name)) {
        Some(near) => format!("there is no built-in module `{name}`; did you mean `{near}`?"),
        None => format!("there is no built-in module `{name}`"),
    }
}

/// Makes a module whose settings are all that it is.
fn of_settings<T: DeserializeOwned + BuiltInModule + 'static>(
    config: &Map,
) -> Result<Box<dyn BuiltInModule>, ConfigErrors> {
    Ok(Box::new(config::read::<T>(config)?))
}

impl Module {
    /// Makes one with these settings.
    pub(crate) fn made(&self, config: &Map) -> Result<ConfiguredModule, ConfigErrors> {
        let config = config.clone().into_iter();
        let (common, own): (Map, Map) = config.partition(|(name, _)| COMMON.contains(&&**name));
        match (config::read(&common), (self.make)(&own)) {
            (Ok(rules), Ok(inner)) => Ok(ConfiguredModule { rules, inner }),
            (rules, inner) => {
                let errors = rules.err().into_iter().chain(inner.err());
                Err(ConfigErrors(errors.flat_map(|errors| errors.0).collect()))
            }
        }
    }

    /// Mounts it on a session, in the world of this process. The settings are an object, or `null` for none.
    pub fn mount(&self, session: &Session, config: &Value) -> Result<Vec<Handle>, ConfigErrors> {
        self.mount_in(Arc::new(World::real()), session, config)
    }

    /// Mounts it on a session, in a given world.
    pub fn mount_in(
        &self,
        world: Arc<World>,
        session: &Session,
        config: &Value,
    ) -> Result<Vec<Handle>, ConfigErrors> {
        let config = match config {
            Value::Null => &Map::new(),
            Value::Object(config) => config,
            other => {
                let found = plain(&other.to_string());
                let wrong = format!("its settings must be an object, found `{found}`");
                return Err(ConfigErrors(vec![wrong]));
            }
        };
        let made = self.made(config)?;
        let priority = made.rules.priority.unwrap_or(self.priority);
        let asked = ModuleHandler(Arc::new((made, world)));
        let hook = |event: &&str| {
            let hook = Hook::in_process(event, self.name, asked.clone()).priority(priority);
            let hook = match self.role {
                HookRole::Observe => hook.observing(),
                HookRole::Decide => hook,
            };
            let hook = if self.guard { hook.guard() } else { hook };
            session.hooks().register(hook)
        };
        Ok(self.events.iter().map(hook).collect())
    }
}

impl ConfiguredModule {
    /// Answers an event. An event that it is not enabled for is passed over.
    pub(crate) fn answer(&self, event: &Event, around: &ModuleContext<'_>) -> HandlerResult {
        if !self.rules.enables(event.name.as_str()) {
            return Ok(HookResult::proceed());
        }
        let said = self.inner.answer(event, around);
        said.map(|said| self.rules.log.quieter(said))
    }
}

/// What a session asks.
#[derive(Clone)]
struct ModuleHandler(Arc<(ConfiguredModule, Arc<World>)>);

impl HookHandler for ModuleHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        let (made, world) = &*self.0;
        let around = ModuleContext {
            world,
            project: &world.cwd,
            pass: RunMode::Real,
        };
        HandlerReply::Ready(made.answer(event, &around))
    }
}
