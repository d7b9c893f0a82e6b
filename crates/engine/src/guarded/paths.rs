//! Which path a word means, and whether that path is protected.

use std::path::{Path, PathBuf};

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::Protected;
use crate::files::links::{Links, plain, real};
use crate::shell::patterns::{self, Word};

/// What a path has to do with what is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    /// Something protected lies below it, and so does the whole project.
    Above,
    /// It is a directory inside the project or the home that holds something protected.
    Holds,
    /// It is protected.
    Is,
}

/// What is protected, in the forms in which it is compared.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) targets: Vec<Target>,
    roots: Vec<String>,
    bases: Vec<PathBuf>,
    home: Option<PathBuf>,
}

/// One protected path: absolute, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) path: String,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    File,
    Folder,
}

impl Target {
    /// The last name, and the one before it.
    pub(super) fn names(&self) -> (&str, &str) {
        let (above, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let parent = above.rsplit_once('/').map_or(above, |(_, parent)| parent);
        (parent, name)
    }
}

impl Guard {
    pub(super) fn new(protected: Protected) -> Self {
        let Protected {
            files,
            folders,
            project,
            home,
            cwd,
        } = protected;
        let files = files.into_iter().map(|path| (path, Kind::File));
        let folders = folders.into_iter().map(|path| (path, Kind::Folder));
        let mut targets: IndexSet<Target, RandomState> = IndexSet::default();
        // A hundred files of a few folders: each step on the way to them is looked at once.
        let mut links = Links::default();
        for (path, kind) in files.chain(folders) {
            let path = project.join(path);
            let mut add = |path: &Path| {
                targets.insert(Target {
                    path: lower(path),
                    kind,
                })
            };
            let text = path.to_str().map(|path| path.trim_end_matches('/'));
            if let Some(text) = text.filter(|path| is_plain(path)) {
                add(Path::new(text));
                if let Some(real) = links.other(text) {
                    add(&real);
                }
            } else {
                add(&plain(&path));
                add(&links.real(&path));
            }
        }
        let roots = [&cwd, &project].into_iter().chain(&home);
        let roots = roots.flat_map(|root| [lower(&plain(root)), lower(&links.real(root))]);
        Self {
            targets: targets.into_iter().collect(),
            roots: roots.collect(),
            home,
            bases: vec![cwd, project],
        }
    }

    /// Returns the directories that a name may be relative to, the event's own first.
    pub(super) fn bases(&self, own: &[&str]) -> Vec<PathBuf> {
        let mut bases: Vec<PathBuf> = Vec::new();
        let own = own.iter().filter_map(|dir| self.at_home(dir));
        for base in own.chain(self.bases.iter().cloned()) {
            let base = self
                .bases
                .first()
                .map_or(base.clone(), |cwd| cwd.join(&base));
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
        bases
    }

    /// Tells what a path has to do with what is protected; nothing in it stands for something else.
    pub(super) fn literal(&self, bases: &[PathBuf], path: &str) -> Option<Touch> {
        let path = self.at_home(path)?;
        let paths = bases.iter().map(|base| base.join(&path));
        paths.filter_map(|path| self.path(&path)).max()
    }

    /// Tells what a word of a shell has to do with what is protected, if it is a path.
    pub(super) fn touch(&self, bases: &[PathBuf], word: &str) -> Option<Touch> {
        let words = patterns::braces(word);
        words.iter().filter_map(|w| self.one(bases, w)).max()
    }

    fn one(&self, bases: &[PathBuf], word: &str) -> Option<Touch> {
        match Word::of(word) {
            Word::Plain(word) => self.literal(bases, word),
            Word::Pattern(word) => {
                let path = self.at_home(&word)?;
                let paths = bases.iter().map(|base| lower(&plain(&base.join(&path))));
                paths.filter_map(|pattern| self.pattern(&pattern)).max()
            }
            Word::Tail(tail) => {
                let tail = tail.to_lowercase();
                let is = |target: &&Target| patterns::ends_with(&target.path, &tail);
                self.targets.iter().find(is).map(|_| Touch::Is)
            }
            Word::Nothing => None,
        }
    }

    fn path(&self, path: &Path) -> Option<Touch> {
        let plain = plain(path);
        let real = real(path);
        let first = self.compare(&lower(&plain));
        if real == plain {
            first
        } else {
            first.max(self.compare(&lower(&real)))
        }
    }

    fn compare(&self, path: &str) -> Option<Touch> {
        let touches = self.targets.iter().filter_map(|target| {
            if target.path == path || (target.kind == Kind::Folder && is_below(path, &target.path))
            {
                Some(Touch::Is)
            } else if is_below(&target.path, path) {
                Some(self.above(path))
            } else {
                None
            }
        });
        touches.max()
    }

    /// A pattern touches what it matches, and a directory that it matches holds what is in it.
    fn pattern(&self, pattern: &str) -> Option<Touch> {
        let depth = pattern.split('/').count();
        let touches = self.targets.iter().filter_map(|target| {
            let names: Vec<&str> = target.path.split('/').collect();
            if depth > names.len() {
                let above = patterns::head(pattern, names.len());
                let is_in = target.kind == Kind::Folder && patterns::matches(&target.path, above);
                return is_in.then_some(Touch::Is);
            }
            let head = names.get(..depth)?.join("/");
            if !patterns::matches(&head, pattern) {
                None
            } else if depth == names.len() {
                Some(Touch::Is)
            } else {
                Some(self.above(&head))
            }
        });
        touches.max()
    }

    fn above(&self, path: &str) -> Touch {
        if self.roots.iter().any(|root| is_below(path, root)) {
            Touch::Holds
        } else {
            Touch::Above
        }
    }

    fn at_home(&self, word: &str) -> Option<PathBuf> {
        let word = word.strip_prefix("file://").unwrap_or(word);
        if word.contains('\0') {
            return None;
        }
        match (word.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => Some(home.clone()),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                Some(home.join(rest.trim_start_matches('/')))
            }
            _ => Some(PathBuf::from(word)),
        }
    }
}

fn is_below(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

fn lower(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// Tells whether a path is absolute, and each of its parts a name.
fn is_plain(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("") && parts.all(|part| !matches!(part, "" | "." | ".."))
}
