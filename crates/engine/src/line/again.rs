//! Asking again: the hooks that hold now about an event that happened before (D53).
//!
//! ```
//! use std::fs;
//!
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::result::Kind;
//! use anyhook_engine::line::{Caller, Line, Real};
//! use anyhook_engine::load::Loading;
//! use anyhook_engine::world::World;
//! use serde_json::json;
//!
//! let place = tempfile::tempdir()?;
//! let manifest = place.path().join("hooks.json");
//! fs::write(
//!     &manifest,
//!     r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
//!     {"type": "rule", "when": "pushes('force')", "then": {"deny": "no forced push"}}
//! ]}]}}"#,
//! )?;
//! let world = World { cwd: place.path().into(), places: None, ..World::real() };
//! let line = Line {
//!     world: &world,
//!     host: anyhook_engine::wires::host("claude-code").ok_or("no such host")?,
//!     caller: Caller::Again,
//!     hint: None,
//!     manifest: Some(manifest),
//!     deadline: None,
//!     loading: Loading::default(),
//!     store: None,
//!     state: None,
//! };
//! let event = |command| Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
//! let held = line.hold(&event("ls"), &mut |hooks| hooks);
//! assert!(held.hooks().len() == 1 && held.files().len() == 1);
//! let kind = |command| line.again(event(command), &held, &Real).report.result.verdict.kind();
//! assert_eq!((kind("git push"), kind("git push -f")), (Kind::Continue, Kind::Deny));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::{Hook, Hooks};

use super::understand::is_about;
use super::{Answered, Cache, Caller, Line, Stage};
use crate::guarded::{self, Protected};
use crate::load::Loaded;
use crate::rules::LastCall;

/// The hooks that hold in one place, loaded once for many events of it.
#[derive(Debug)]
pub struct Held {
    hooks: Vec<Arc<Hook>>,
    loaded: Loaded,
    /// What the guard of what guards protects there; nothing where it is not asked.
    protected: Option<Protected>,
}

impl Held {
    /// Returns the hooks that are asked, in order.
    pub fn hooks(&self) -> &[Arc<Hook>] {
        &self.hooks
    }

    /// Leaves the guard of what guards out: two that are compared both have it.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.protected = None;
        self
    }

    /// Returns the files that were looked at.
    pub fn files(&self) -> &[PathBuf] {
        &self.loaded.files
    }

    /// Returns what a person should know of these files.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let remarks = self.loaded.remarks.iter();
        remarks.map(|remark| remark.text.as_str())
    }
}

impl Line<'_> {
    /// Loads the hooks that hold where an event happened; `choose` says which of them are asked. Under a host the guard of
    /// what guards is asked before them.
    pub fn hold(&self, event: &Event, choose: &mut dyn FnMut(Vec<Hook>) -> Vec<Hook>) -> Held {
        let mut loaded = self.load(&self.projects(Some(event)), &Cache::default());
        let hooks = std::mem::take(&mut loaded.hooks);
        let protected = (self.caller == Caller::Host)
            .then(|| self.guarding(&hooks, &loaded, event).protected());
        Held {
            hooks: choose(hooks).into_iter().map(Arc::new).collect(),
            loaded,
            protected,
        }
    }

    /// Answers an event that happened before, as [`Line::staged`] answers one that happens, without reading the files again.
    pub fn again(&self, mut event: Event, held: &Held, stage: &dyn Stage) -> Answered {
        let began = self.world.clock.since();
        let last = LastCall::default();
        let is_guarded = event.name == EventName::new(guarded::EVENT);
        let protected = held.protected.as_ref().filter(|_| is_guarded);
        let own = protected.map(|protected| Arc::new(guarded::hook(protected.clone(), &last)));
        let about = held.hooks.iter().filter(|hook| is_about(hook, &event));
        let hooks: Hooks = own.into_iter().chain(about.cloned()).collect();
        self.answer(
            &mut event,
            (hooks, last, None),
            &held.loaded,
            (stage, stage.cache(), began),
        )
    }
}
