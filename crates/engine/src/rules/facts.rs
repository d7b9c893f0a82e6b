//! The facts that an expression may ask about: the event's fields, and the effects of a call.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhook_core::event::{Event, Map};
use anyhook_effects::call;
use anyhook_effects::effect::Effect;
use anyhook_effects::shell::LineAnalysis;
use anyhook_wires::tools::canonical;
use serde_json::Value;

use super::paths::EventFolders;
use super::searches::WalkGate;
use crate::actions::LastCall;
use crate::files::links::LONGEST_PATH;
use crate::state::Tally;
use crate::trust::worktree;

/// One event, as an expression sees it.
#[derive(Debug)]
pub struct Facts<'e> {
    event: &'e Event,
    data: Cow<'e, Map>,
    project: &'e Path,
    home: Option<&'e Path>,
    /// The folders that a path may count from, which conditions about fields alone never ask for.
    folders: OnceLock<EventFolders>,
    /// The whole payload as one value, which few expressions ask for.
    whole: OnceLock<Value>,
    last: LastCall,
    done: OnceLock<Arc<LineAnalysis>>,
    pub(super) walks: WalkGate,
    tally: Option<Arc<Tally>>,
}

impl<'e> Facts<'e> {
    /// Makes the facts of an event. `project` is where relative paths count from if the event does not say where it
    /// happened, and `home` is what `~` stands for.
    pub fn new(event: &'e Event, project: &'e Path, home: Option<&'e Path>) -> Self {
        Self {
            event,
            data: event.data.json(),
            project,
            home,
            folders: OnceLock::new(),
            whole: OnceLock::new(),
            last: LastCall::default(),
            done: OnceLock::new(),
            walks: WalkGate::default(),
            tally: None,
        }
    }

    pub(super) fn folders(&self) -> &EventFolders {
        self.folders.get_or_init(|| {
            let cwd = self.data.get("cwd").and_then(Value::as_str);
            let cwd = cwd.filter(|cwd| cwd.len() <= LONGEST_PATH);
            let cwd = cwd.map_or_else(|| self.project.to_owned(), |cwd| self.project.join(cwd));
            let worktree = (cwd != self.project).then(|| worktree(self.project, &cwd));
            let project = worktree.flatten();
            let project = project.unwrap_or_else(|| self.project.to_owned());
            EventFolders::new(cwd, project, self.home, self.last.seen())
        })
    }

    /// Finds a value by its name. `event` is the event's universal name, `host` the id of the host, and `data` the whole
    /// payload.
    pub(super) fn name(&self, name: &str) -> Option<Cow<'_, Value>> {
        let host = || self.event.origin.as_ref().map(|origin| &*origin.host);
        match name {
            "event" => Some(Cow::Owned(self.event.name.universal().into())),
            "host" => Some(Cow::Owned(host().unwrap_or_default().into())),
            "data" => {
                let whole = || Value::Object(self.data.clone().into_owned());
                Some(Cow::Borrowed(self.whole.get_or_init(whole)))
            }
            name => self.data.get(name).map(Cow::Borrowed),
        }
    }

    /// Finds a value by its path of names.
    pub(super) fn field(&self, path: &[String]) -> Option<Cow<'_, Value>> {
        let (first, rest) = path.split_first()?;
        match (&**first, rest) {
            ("data", [first, rest @ ..]) => self.look(first, rest),
            (first, []) => self.name(first),
            (first, rest) => self.look(first, rest),
        }
    }

    fn look(&self, first: &str, rest: &[String]) -> Option<Cow<'_, Value>> {
        let mut value = self.data.get(first)?;
        for name in rest {
            value = value.as_object()?.get(name)?;
        }
        Some(Cow::Borrowed(value))
    }

    /// Returns what a question about the whole call costs: it may look at folders, and it reads the command line.
    pub(super) fn steps(&self) -> usize {
        /// A command line costs one step for each so many bytes.
        const BYTES: usize = 16;
        500 + self.line().len() / BYTES
    }

    /// Returns the same event as if its call did this.
    pub(super) fn about(&self, done: LineAnalysis) -> Self {
        let facts = Self::new(self.event, self.project, self.home).sharing(&self.last);
        Self {
            tally: self.tally.clone(),
            done: OnceLock::from(Arc::new(done)),
            ..facts
        }
    }

    /// Returns what the call does; nothing for an event without one.
    pub(crate) fn done(&self) -> Option<Arc<LineAnalysis>> {
        self.is_call().then(|| Arc::clone(self.call()))
    }

    /// Returns the project's folder.
    pub(super) fn project(&self) -> &Path {
        &self.folders().project
    }

    /// Returns the command line of the call; empty where it has none.
    pub(super) fn line(&self) -> &str {
        let line = self.input().and_then(|input| input.get("command"));
        line.and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the command lines and the code of the call, as they were written.
    pub(crate) fn texts(&self) -> Vec<String> {
        let input = self.data.get("tool_input").unwrap_or(&Value::Null);
        call::texts(self.tool(), input, &self.folders().around().places())
    }

    pub(super) fn input(&self) -> Option<&Map> {
        self.data.get("tool_input")?.as_object()
    }

    pub(super) fn tool(&self) -> &str {
        let name = self.data.get("tool_name").and_then(Value::as_str);
        canonical(name.or(self.event.subject.as_deref()).unwrap_or_default())
    }

    /// Shares what a call does with the other rules that are asked about it.
    #[must_use]
    pub fn sharing(mut self, last: &LastCall) -> Self {
        self.last = last.clone();
        self
    }

    /// Remembers what the session has seen; nothing where that is not known.
    #[must_use]
    pub fn remembering(mut self, tally: Option<Arc<Tally>>) -> Self {
        self.tally = tally;
        self
    }

    /// Returns what the session has seen, with the event itself.
    pub(super) fn tally(&self) -> Option<(&Tally, &Event)> {
        Some((self.tally.as_deref()?, self.event))
    }

    /// Returns what the call does; nothing for an event without one.
    pub(super) fn call(&self) -> &Arc<LineAnalysis> {
        static NOTHING: Value = Value::Null;
        self.done.get_or_init(|| {
            if !self.is_call() {
                return Arc::default();
            }
            let input = self.data.get("tool_input").unwrap_or(&NOTHING);
            // One name stands for all shells, and this one has names of its own.
            let own = self.event.subject.as_deref();
            let is_own = own.is_some_and(|name| name.eq_ignore_ascii_case("powershell"));
            let tool = if is_own { "PowerShell" } else { self.tool() };
            self.last.done(tool, input, self.folders().around())
        })
    }

    pub(super) fn path_matches(&self, path: &str, pattern: &str) -> bool {
        self.folders().matches(path, pattern)
    }

    fn is_call(&self) -> bool {
        self.data.contains_key("tool_input") || self.data.contains_key("tool_name")
    }

    /// Returns every effect of the call, in order; nothing for an event without one.
    pub(crate) fn effects(&self) -> Option<Vec<Effect>> {
        self.is_call().then(|| self.call().effects.clone())
    }
}
