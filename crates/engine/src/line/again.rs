//! Asking the present hooks about an event that happened before.
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

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::hook::{Hook, Hooks};

use super::context::Context;
use super::understand::is_about;
use super::{Answered, Caller, Line, Stage};
use crate::guarded;
use crate::load::Loaded;
use crate::rules::LastCall;

/// The hooks that hold in one place, loaded once for many events of it.
#[derive(Debug)]
pub struct Held {
    hooks: Hooks,
    /// The same behind the guard of what guards; nothing where that is not asked.
    guarded: Option<Hooks>,
    /// Whether a hook is about some of the events of its own host only.
    speaks: bool,
    loaded: Loaded,
    last: LastCall,
}

impl Held {
    /// Returns the hooks that are asked, in order.
    pub fn hooks(&self) -> &[Arc<Hook>] {
        self.hooks.list()
    }

    /// Leaves the guard of what guards out: two that are compared both have it.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guarded = None;
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
        let mut loaded = self.look(&self.projects(Some(event)));
        let hooks = std::mem::take(&mut loaded.hooks);
        let last = LastCall::default();
        let own = (self.caller == Caller::Host)
            .then(|| Arc::new(self.guarding(&hooks, &loaded, event).hook(&last)));
        let hooks: Hooks = choose(hooks).into_iter().collect();
        let all = |own| Some(own).into_iter().chain(hooks.list().iter().cloned());
        Held {
            guarded: own.map(|own| all(own).collect()),
            speaks: hooks.list().iter().any(|hook| hook.speaks.is_some()),
            hooks,
            loaded,
            last,
        }
    }

    /// Answers an event that happened before, as [`Line::staged`] answers one that happens, without reading the files again.
    pub fn again(&self, mut event: Event, held: &Held, stage: &dyn Stage) -> Answered {
        let began = self.world.clock.since();
        let guarded = held.guarded.as_ref();
        let all = guarded.filter(|_| event.name.as_str() == guarded::EVENT);
        let all = all.unwrap_or(&held.hooks);
        let about = || {
            let about = all.list().iter().filter(|hook| is_about(hook, &event));
            about.cloned().collect()
        };
        let hooks: Cow<'_, Hooks> = if held.speaks {
            Cow::Owned(about())
        } else {
            Cow::Borrowed(all)
        };
        let context = Context {
            hooks: &hooks,
            loaded: &held.loaded,
            last_call: &held.last,
            stage,
            cache: stage.cache(),
            began,
            id: (self.world.ids)(),
            can: self.host.can(&event),
            late: RefCell::default(),
        };
        self.answer(&mut event, context, None)
    }
}
