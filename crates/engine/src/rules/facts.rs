//! What an expression may ask about: the event's fields, the files that a call names, the command line that it runs.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhook_core::event::{Event, Map};
use anyhook_wires::payload::named_files;
use serde_json::Value;

use super::paths::Folders;
use super::{branch, shell};

/// One event, as an expression sees it.
#[derive(Debug)]
pub struct Facts<'e> {
    event: &'e Event,
    data: Cow<'e, Map>,
    folders: Folders,
    /// The whole payload as one value, which few expressions ask for.
    whole: OnceLock<Value>,
}

impl<'e> Facts<'e> {
    /// Makes the facts of an event. `project` is where relative paths count from if the event does not say where it
    /// happened, and `home` is what `~` stands for.
    pub fn new(event: &'e Event, project: &Path, home: Option<&Path>) -> Self {
        let data = event.data.json();
        let cwd = data.get("cwd").and_then(Value::as_str).map(PathBuf::from);
        Self {
            event,
            folders: Folders {
                cwd: cwd.unwrap_or_else(|| project.to_owned()),
                project: project.to_owned(),
                home: home.map(Path::to_owned),
            },
            data,
            whole: OnceLock::new(),
        }
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
        100 + self.command().map_or(0, str::len) / BYTES
    }

    fn input(&self) -> Option<&Map> {
        self.data.get("tool_input")?.as_object()
    }

    fn files(&self) -> Vec<String> {
        self.input().map(named_files).unwrap_or_default()
    }

    fn command(&self) -> Option<&str> {
        self.input()?.get("command")?.as_str()
    }

    pub(super) fn path_matches(&self, path: &str, pattern: &str) -> bool {
        self.folders.matches(path, pattern)
    }

    pub(super) fn touches(&self, patterns: &[String]) -> bool {
        self.touched(patterns, &[]).is_some()
    }

    /// Returns the first path that the call names and a pattern matches, with that pattern; one that the exceptions hold
    /// in every form is passed over. A file too many is refused once more; one too few would pass a guard. So every word of
    /// a command line that could be a path counts.
    pub(crate) fn touched<'p>(
        &self,
        patterns: &'p [String],
        except: &[String],
    ) -> Option<(String, &'p str)> {
        let files = self.files();
        let file = files
            .iter()
            .find_map(|file| self.matched(file, patterns, except));
        if file.is_some() {
            return file;
        }
        let words = shell::words(self.command()?);
        words.iter().find_map(|word| {
            let mut all = patterns.iter();
            let found = all.find(|pattern| self.folders.could_be(word, pattern))?;
            let is_excepted = self.is_inside(word, except);
            (!is_excepted).then(|| (word.clone(), found.as_str()))
        })
    }

    /// Returns a path with the pattern that matches it, unless the exceptions hold it in every form.
    pub(crate) fn matched<'p>(
        &self,
        path: &str,
        patterns: &'p [String],
        except: &[String],
    ) -> Option<(String, &'p str)> {
        let mut all = patterns.iter();
        let found = all.find(|pattern| self.folders.matches(path, pattern))?;
        let is_excepted = self.is_inside(path, except);
        (!is_excepted).then(|| (path.to_owned(), found.as_str()))
    }

    fn is_inside(&self, path: &str, patterns: &[String]) -> bool {
        patterns
            .iter()
            .any(|pattern| self.folders.is_inside(path, pattern))
    }

    /// What approves must be sure: all files match in both their forms, and there is no command line.
    pub(crate) fn stays_in(&self, patterns: &[String]) -> bool {
        let files = self.files();
        let inside = |file: &String| self.is_inside(file, patterns);
        self.command().is_none() && !files.is_empty() && files.iter().all(inside)
    }

    pub(super) fn runs(&self, words: &[String]) -> bool {
        self.command()
            .is_some_and(|command| shell::runs(command, words))
    }

    pub(super) fn on_branch(&self, names: &[String]) -> bool {
        branch::is_one_of(&self.folders.cwd, names)
    }

    pub(super) fn only_runs(&self, beginnings: &[String]) -> bool {
        self.command()
            .is_some_and(|command| shell::only_runs(command, beginnings))
    }
}
