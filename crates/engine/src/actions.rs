//! What a tool call does, with the scripts of the project that it runs.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use anyhook_effects::call;
use anyhook_effects::effect::Effect;
use anyhook_effects::places::{Files, Places, TrackedNames, is_plain};
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::tools::ToolHints;
use serde_json::Value;

use crate::brings::{self, CommandOrder};
use crate::files::below::{
    MOST, MOST_OF_PROJECT, ScanScope, ScannedTree, TreeEntry, is_below_others,
};
use crate::files::links::{LinkResolver, real};
use crate::rules::{CurrentBranch, alias_of, checked_out};
use crate::{files, lock};

/// The longest script that is read, in bytes.
const LONGEST_SCRIPT: u64 = 64 << 10;

/// Where a call happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallFolders<'a> {
    /// The folder in which it starts.
    pub(crate) folder: &'a Path,
    /// The project.
    pub(crate) project: &'a Path,
    /// The person's home.
    pub(crate) home: Option<&'a Path>,
}

impl CallFolders<'_> {
    /// The same as the reader of lines knows it.
    pub(crate) fn places(&self) -> Places {
        Places {
            folder: self.folder.to_owned(),
            project: self.project.to_owned(),
            home: self.home.map(Path::to_owned),
            ..Places::default()
        }
    }

    /// Reads what a call does; what was seen of the disk for it stays known.
    pub(crate) fn done(&self, tool: &str, input: &Value, seen: &DiskCache) -> LineAnalysis {
        let (scripts, places) = (ProjectScripts::of(*self), self.places());
        let mut done = call::read(tool, input, ToolHints::default(), &places, &scripts);
        // A script runs its own commands in an order that is not in the text of the line.
        let order = if scripts.is_read.load(Ordering::Relaxed) {
            CommandOrder::Other
        } else {
            CommandOrder::OfText
        };
        let text = call::texts(tool, input, &places).join("\n");
        brings::settle(&mut done, &text, order, *self, seen);
        done
    }
}

/// What the last call does that was asked about, for the guard of what guards and all rules of one event.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_engine::core::event::Event;
/// use anyhook_engine::rules::{Facts, LastCall, CompiledCondition};
/// use serde_json::json;
///
/// let event = Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "rm x"}}));
/// let last = LastCall::default();
/// for rule in ["deletes()", "runs('rm')"] {
///     let facts = Facts::new(&event, Path::new("/p"), None).sharing(&last);
///     assert!(CompiledCondition::read(rule).unwrap().decide(&facts).unwrap().holds);
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct LastCall {
    last: Arc<Mutex<Option<CallRecord>>>,
    seen: Arc<DiskCache>,
    /// The files that git may change without telling it before, where the call is let go on for that.
    pub(crate) brought: Arc<OnceLock<Vec<PathBuf>>>,
}

/// What was seen of the disk for one call: no tree is walked twice, no link is followed twice, and no index is compared twice.
#[derive(Debug, Default)]
pub(crate) struct DiskCache(Mutex<DiskLookups>);

#[derive(Debug, Default)]
struct DiskLookups {
    trees: HashMap<ScanScope, Arc<ScannedTree>>,
    links: LinkResolver,
    indexes: HashMap<PathBuf, Option<ChangedNames>>,
    addable: HashMap<PathBuf, Option<Arc<[PathBuf]>>>,
}

/// The names of an index that may be other files on the disk.
pub(crate) type ChangedNames = Arc<BTreeSet<String>>;

impl DiskCache {
    /// Returns what is below a folder.
    pub(crate) fn tree(&self, below: ScanScope) -> Arc<ScannedTree> {
        let mut looks = lock(&self.0);
        let tree = looks.trees.entry(below);
        Arc::clone(tree.or_insert_with_key(|below| Arc::new(below.look())))
    }

    /// Returns where the links of a path lead.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        lock(&self.0).links.real(path)
    }

    /// Returns the same where a link stands on the way.
    pub(crate) fn elsewhere(&self, path: &Path) -> Option<PathBuf> {
        lock(&self.0).links.elsewhere(path)
    }

    /// Returns the files around a folder that git neither keeps nor ignores. Nothing if git cannot be asked.
    pub(crate) fn addable(&self, folder: &Path) -> Option<Arc<[PathBuf]>> {
        let mut looks = lock(&self.0);
        let known = looks.addable.entry(folder.to_owned());
        known
            .or_insert_with(|| brings::git::addable(folder).map(Arc::from))
            .clone()
    }

    /// Returns the files of an index that may be others on the disk. Nothing if a link is one of them, or if there are other
    /// repositories in this one.
    pub(crate) fn changed(&self, index: &Path, top: &Path) -> Option<ChangedNames> {
        let look = || files::tracked::changed(index, top).map(Arc::new);
        let mut looks = lock(&self.0);
        let indexes = looks.indexes.entry(index.to_owned());
        indexes.or_insert_with(look).clone()
    }

    fn forget(&self) {
        *lock(&self.0) = DiskLookups::default();
    }
}

/// A call, and what it does.
#[derive(Debug)]
struct CallRecord {
    tool: String,
    input: Value,
    folder: PathBuf,
    project: PathBuf,
    done: Arc<LineAnalysis>,
}

impl CallRecord {
    fn is(&self, tool: &str, input: &Value, around: CallFolders<'_>) -> bool {
        (&*self.tool, &self.input) == (tool, input)
            && (&*self.folder, &*self.project) == (around.folder, around.project)
    }
}

impl LastCall {
    /// Returns what was seen of the disk for the last call.
    pub(crate) fn seen(&self) -> Arc<DiskCache> {
        Arc::clone(&self.seen)
    }

    #[cfg(test)]
    pub(crate) fn knows(&self, tool: &str, input: &Value, around: CallFolders<'_>) -> bool {
        let last = lock(&self.last);
        last.as_ref()
            .is_some_and(|known| known.is(tool, input, around))
    }

    /// Returns what a call does; reads it if the last one was another.
    pub(crate) fn done(
        &self,
        tool: &str,
        input: &Value,
        around: CallFolders<'_>,
    ) -> Arc<LineAnalysis> {
        let mut last = lock(&self.last);
        if let Some(known) = &*last
            && known.is(tool, input, around)
        {
            return Arc::clone(&known.done);
        }
        if last.is_some() {
            self.seen.forget();
        }
        let done = Arc::new(around.done(tool, input, &self.seen));
        *last = Some(CallRecord {
            tool: tool.to_owned(),
            input: input.clone(),
            folder: around.folder.to_owned(),
            project: around.project.to_owned(),
            done: Arc::clone(&done),
        });
        done
    }
}

/// The scripts of a project: the agent may have written them, so a line does what they say.
struct ProjectScripts<'p> {
    project: &'p Path,
    home: Option<&'p Path>,
    /// Whether one was read.
    is_read: AtomicBool,
}

impl<'p> ProjectScripts<'p> {
    fn of(CallFolders { project, home, .. }: CallFolders<'p>) -> Self {
        Self {
            project,
            home,
            is_read: AtomicBool::new(false),
        }
    }
}

impl Files for ProjectScripts<'_> {
    fn script(&self, path: &Path) -> Option<String> {
        self.is_read.store(true, Ordering::Relaxed);
        self.settings(path)
    }

    fn settings(&self, path: &Path) -> Option<String> {
        let path = real(path);
        // Agents write scripts there, and run them with the next call.
        let temporary = ["/tmp", "/var/tmp"]
            .iter()
            .any(|folder| path.starts_with(folder));
        let is_own = temporary || path.starts_with(real(self.project));
        let bytes = is_own.then(|| files::read_up_to(&path, LONGEST_SCRIPT).ok());
        String::from_utf8(bytes.flatten()?).ok()
    }

    fn is_nowhere(&self, path: &Path) -> bool {
        self.is_read.store(true, Ordering::Relaxed);
        files::is_nowhere(path)
    }

    /// Where there is no folder, there is no name; of one that cannot be read, or has too many, nothing is known.
    fn plain_names(&self, folder: &Path, deep: bool) -> bool {
        let most = if folder.starts_with(self.project) {
            MOST_OF_PROJECT
        } else {
            MOST
        };
        let below = ScanScope {
            depth: (!deep).then_some(1),
            most,
            ..ScanScope::whole(folder)
        };
        let tree = below.look();
        let is_plain = |entry: &TreeEntry| {
            let name = entry.path.file_name().and_then(OsStr::to_str);
            name.is_some_and(|name| is_plain(name, deep))
                && entry.kind.is_some()
                && !(deep
                    && entry.is_link()
                    && entry.path.is_dir()
                    && !is_below_others(&entry.path))
        };
        !tree.more && !tree.unread && tree.entries.iter().all(is_plain)
    }

    fn branch(&self, folder: &Path) -> Option<String> {
        match checked_out(folder) {
            CurrentBranch::Branch(name) => Some(name),
            CurrentBranch::Nothing | CurrentBranch::Unknown => None,
        }
    }

    fn alias(&self, folder: &Path, verb: &str) -> Option<String> {
        let text = alias_of(folder, self.home, verb)?;
        self.is_read.store(true, Ordering::Relaxed);
        Some(text)
    }

    fn names_of_git(&self, folder: &Path, commits: &[String]) -> TrackedNames {
        const MOST: usize = 1_000;
        let is_whole = |name: &String| name.split('/').all(|part| is_plain(part, false));
        let Some(others) = brings::names_in(folder, commits) else {
            return TrackedNames::Unknown;
        };
        if !files::tracked::has_plain_names(folder) || !others.iter().all(is_whole) {
            return TrackedNames::Unknown;
        }
        let name = |path: PathBuf| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned());
        let all = files::tracked::files(folder).unwrap_or_default();
        match all.len() + others.len() {
            1..=MOST => {
                let names: Option<BTreeSet<String>> = all.into_iter().map(name).collect();
                names.map_or(TrackedNames::Plain, |names| {
                    TrackedNames::All(names.union(&others).cloned().collect())
                })
            }
            _ => TrackedNames::Plain,
        }
    }
}

/// Writes effects as the value of a variable: more than it holds are not known.
pub(crate) fn as_variable(effects: &[Effect], longest: usize) -> Option<String> {
    let text = serde_json::to_string(effects).ok()?;
    if text.len() <= longest {
        return Some(text);
    }
    let unknown = Effect::anything("more effects than a variable holds");
    serde_json::to_string(&Vec::from_iter(unknown)).ok()
}

#[cfg(test)]
mod tests {
    use anyhook_effects::effect::{Certainty, EffectKind, Target};

    use super::*;

    #[test]
    fn more_effects_than_a_variable_holds_are_unknown() {
        let effect = |at: usize| Effect {
            kind: EffectKind::Write,
            object: Target::Path(format!("/p/{at:0100}").into()),
            certainty: Certainty::Likely,
            through: "git switch".to_owned(),
        };
        let all: Vec<Effect> = (0..10).map(effect).collect();
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(as_variable(&all, text.len()).as_ref(), Some(&text));
        let text = as_variable(&all, text.len() - 1).unwrap();
        let all: Vec<Value> = serde_json::from_str(&text).unwrap();
        let unknown = all.iter().filter(|one| one["object"] == "unknown");
        assert_eq!(
            (unknown.count(), all.len()),
            (EffectKind::ALL.len(), EffectKind::ALL.len())
        );
    }
}
