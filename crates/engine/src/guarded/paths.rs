//! Which path a word means, and whether that path is protected.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::Protected;
use super::patterns::{self, Word};

/// The most symbolic links that are followed on the way to one file, as in the kernel.
const MOST_LINKS: usize = 40;

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
            match text.filter(|path| is_plain(path)) {
                Some(text) => {
                    add(Path::new(text));
                    if let Some(real) = links.other(text) {
                        add(&real);
                    }
                }
                None => {
                    add(&plain(&path));
                    add(&links.real(&path));
                }
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

/// Takes `.` and `..` out of a path by its text alone.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        step(&mut plain, part);
    }
    plain
}

fn step(path: &mut PathBuf, part: Component<'_>) {
    match part {
        Component::ParentDir => {
            path.pop();
        }
        Component::CurDir => {}
        Component::Normal(_) | Component::RootDir | Component::Prefix(_) => path.push(part),
    }
}

/// Follows every symbolic link of a path, also one to a file that does not exist yet: writing through it makes that file.
pub(crate) fn real(path: &Path) -> PathBuf {
    Links::default().real(path)
}

/// What stands on the way to several paths, as it was when each step was looked at for the first time.
#[derive(Default)]
pub(crate) struct Links {
    steps: HashMap<PathBuf, Stands, RandomState>,
    folders: HashMap<String, Folder, RandomState>,
}

/// A folder on the way to a path.
#[derive(Clone)]
struct Folder {
    /// Where it really is; nothing where it is where its name says.
    real: Option<PathBuf>,
    /// Whether something may be in it.
    is_there: bool,
}

/// What stands at one step.
#[derive(Clone)]
enum Stands {
    /// A symbolic link that leads there.
    Link(PathBuf),
    /// Nothing: so there is nothing below it either, and no link.
    Nothing,
    /// Something else, or nobody may know.
    Other,
}

impl Links {
    /// Follows every symbolic link of a path; what is not there is taken as it is written.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        let mut at = PathBuf::new();
        let mut rest: Vec<PathBuf> = vec![path.to_owned()];
        let mut links = 0;
        // The step at which nothing stands, while we are below it.
        let mut nothing: Option<PathBuf> = None;
        while let Some(next) = rest.pop() {
            let mut parts = next.components();
            let Some(part) = parts.next() else { continue };
            let after = parts.as_path().to_owned();
            if !after.as_os_str().is_empty() {
                rest.push(after);
            }
            step(&mut at, part);
            nothing = nothing.filter(|nothing| at.starts_with(nothing));
            if nothing.is_some() || !matches!(part, Component::Normal(_)) {
                continue;
            }
            match self.look(&at) {
                Stands::Link(target) => {
                    links += 1;
                    if links > MOST_LINKS {
                        break;
                    }
                    at.pop();
                    rest.push(target);
                }
                Stands::Nothing => nothing = Some(at.clone()),
                Stands::Other => {}
            }
        }
        at
    }

    /// Returns where a path of names really leads, if that is not what is written: as [`Links::real`] does, but for many
    /// paths below the same folders, each of which is gone through once.
    fn other(&mut self, path: &str) -> Option<PathBuf> {
        let (above, name) = path.rsplit_once('/')?;
        let folder = self.folder(above);
        let there = folder.real.map(|real| real.join(name));
        if !folder.is_there {
            return there;
        }
        let at = there.as_deref().unwrap_or(Path::new(path));
        match self.look(at) {
            Stands::Link(_) => Some(self.real(at)),
            Stands::Nothing | Stands::Other => there,
        }
    }

    fn folder(&mut self, path: &str) -> Folder {
        if path.is_empty() {
            return Folder {
                real: None,
                is_there: true,
            };
        }
        if let Some(known) = self.folders.get(path) {
            return known.clone();
        }
        let real = self.other(path);
        let at = real.as_deref().unwrap_or(Path::new(path));
        // What was not looked at stands below nothing; at the root nobody needs to look.
        let is_there = match self.steps.get(at) {
            Some(Stands::Link(_) | Stands::Other) => true,
            Some(Stands::Nothing) | None => at.parent().is_none(),
        };
        let folder = Folder { real, is_there };
        self.folders.insert(path.to_owned(), folder.clone());
        folder
    }

    fn look(&mut self, at: &Path) -> Stands {
        if let Some(known) = self.steps.get(at) {
            return known.clone();
        }
        let stands = match fs::read_link(at) {
            Ok(target) => Stands::Link(target),
            Err(error) if error.kind() == ErrorKind::NotFound => Stands::Nothing,
            Err(_) => Stands::Other,
        };
        self.steps.insert(at.to_owned(), stands.clone());
        stands
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn below_nothing_nothing_is_looked_at_and_beside_it_links_are_followed() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir(place.join("folder")).unwrap();
        symlink("folder", place.join("link")).unwrap();
        symlink("link/later", place.join("before")).unwrap();
        let mut links = Links::default();
        let cases = [
            ("gone/a/b/c", "gone/a/b/c"),
            ("gone/../link/file", "folder/file"),
            ("gone/../../TOP/link", "folder"),
            ("before/settings.json", "folder/later/settings.json"),
        ];
        let name = place.file_name().unwrap().to_str().unwrap();
        for (path, real) in cases {
            let path = place.join(path.replace("TOP", name));
            assert_eq!(links.real(&path), place.join(real));
        }
        let mut looked: Vec<&Path> = links
            .steps
            .keys()
            .filter_map(|at| at.strip_prefix(&place).ok())
            .collect();
        looked.sort();
        let names = [
            "",
            "before",
            "folder",
            "folder/file",
            "folder/later",
            "gone",
            "link",
        ];
        assert_eq!(looked, names.map(Path::new));
    }
    #[test]
    fn many_paths_together_lead_where_each_of_them_does() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir_all(place.join("a/b")).unwrap();
        fs::write(place.join("a/file"), "").unwrap();
        let away = tempfile::tempdir().unwrap();
        for (link, to) in [
            ("to-b", "a/b"),
            ("a/b/up", ".."),
            ("a/top", "/"),
            ("gone", "no/where/at/all"),
            ("round", "round"),
            ("out", away.path().to_str().unwrap()),
            ("twice", "to-b/up/top"),
        ] {
            symlink(to, place.join(link)).unwrap();
        }
        symlink(place.join("a/b"), away.path().join("back")).unwrap();
        let inside = place.strip_prefix("/").unwrap().to_str().unwrap();
        let mut links = Links::default();
        for path in [
            "a/b/x",
            "a/b/x/y/z",
            "to-b/up/file",
            "to-b/up/file/below",
            "to-b/up/b/up/top/TOP/to-b/x",
            "a/top/TOP/to-b",
            "twice/TOP/a/top/TOP/out/back/up/file",
            "gone/x/y",
            "gone",
            "out/back/x",
            "out/new/x",
        ] {
            let path = place.join(path.replace("TOP", inside));
            let text = path.to_str().unwrap();
            let together = links.other(text).unwrap_or_else(|| path.clone());
            assert_eq!(together, real(&path), "{text}");
        }
        // Nobody can go round for ever; what is protected there is protected by its name.
        let round = place.join("round/x");
        assert!(
            links
                .other(round.to_str().unwrap())
                .is_none_or(|real| real == round)
        );
    }
}
