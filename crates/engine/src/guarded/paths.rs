//! Which path a word means, and whether that path is protected.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell;

use super::ProtectionScope;
use crate::actions::{DiskCache, LastCall};
use crate::files::below::ScanScope;
use crate::files::links::{at_home, plain};
use crate::lists::{HELPERS, OUR_PROGRAMS};
use crate::processes::is_program;
use crate::shell::patterns::{self, GlobMatch};

/// The most names of a pattern that are looked at.
const MOST_PARTS: usize = 64;

/// What a path has to do with what is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PathRelation {
    /// Something protected lies below it, and it is the whole project, or holds it.
    Above,
    /// It is a directory inside the project or the home that holds something protected.
    Holds,
    /// It is protected.
    Is,
}

/// What happens to the files that a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileOperation {
    /// They are written, also one that is new.
    Writes,
    /// Those that are there are changed.
    Edits,
    /// Those that are there are removed.
    Removes,
    /// A text names them, of which it is not known what it does; nothing is there.
    Names,
}

/// What is protected, in the forms in which it is compared.
#[derive(Debug)]
pub(super) struct Guard {
    /// The files and folders.
    pub(super) targets: Vec<ProtectedPath>,
    programs: ShadowingPrograms,
    own: Option<String>,
    roots: Vec<String>,
    projects: [String; 2],
    seen: Arc<DiskCache>,
    /// Where the files are noted that are compared after the call.
    compared: Option<Arc<OnceLock<Vec<PathBuf>>>>,
    /// Where the agent stands, and the project.
    bases: [PathBuf; 2],
    home: Option<PathBuf>,
}

/// One protected path: absolute, in lower case.
#[derive(Debug)]
pub(super) struct ProtectedPath {
    pub(super) path: String,
    /// The same as it is written.
    at: PathBuf,
    pub(super) kind: ProtectedKind,
}

impl From<(PathBuf, ProtectedKind)> for ProtectedPath {
    fn from((at, kind): (PathBuf, ProtectedKind)) -> Self {
        Self {
            path: lower(&at),
            at,
            kind,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtectedKind {
    File,
    Folder,
    /// A program of this name would be found before the one that hooks start: it need not be there.
    Program,
}

impl ProtectedPath {
    /// The last name, and the one before it.
    pub(super) fn names(&self) -> (&str, &str) {
        let (above, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let parent = above.rsplit_once('/').map_or(above, |(_, parent)| parent);
        (parent, name)
    }
}

impl Guard {
    /// Makes the guard of one event, for which `seen` holds what was seen of the disk.
    pub(super) fn new(protected: ProtectionScope, last: &LastCall) -> Self {
        let seen = last.seen();
        let (project, home, cwd) = (protected.project, protected.home, protected.cwd);
        let is_there = |file: &PathBuf| project.join(file).symlink_metadata().is_ok();
        let present = protected.present.into_iter().filter(is_there);
        let files = protected.files.into_iter().chain(present);
        let files = files.map(|path| (path, ProtectedKind::File));
        let folders = protected.folders.into_iter();
        let folders = folders.map(|path| (path, ProtectedKind::Folder));
        let targets = targets(files.chain(folders), &project, &seen);
        let path = protected.path.iter().map(|folder| project.join(folder));
        let programs = ShadowingPrograms {
            path: path.collect(),
            lines: protected.lines,
            targets: OnceLock::new(),
        };
        let forms = |root: &PathBuf| [lower(&plain(root)), lower(&seen.real(root))];
        let roots = [&cwd, &project].into_iter().chain(&home);
        Self {
            targets,
            programs,
            own: protected.own.map(|path| lower(&path)),
            roots: roots.flat_map(forms).collect(),
            projects: forms(&project),
            seen,
            compared: protected.compared.then(|| Arc::clone(&last.brought)),
            home,
            bases: [cwd, project],
        }
    }

    /// Notes that the files are to be compared after the call, and tells whether they are.
    pub(super) fn compares(&self) -> bool {
        let is_here =
            |target: &ProtectedPath| self.projects.iter().any(|one| is_below(&target.path, one));
        let counts =
            |target: &&ProtectedPath| target.kind == ProtectedKind::File || is_here(target);
        let all = || self.targets.iter().filter(counts);
        let note = |noted: &Arc<OnceLock<_>>| {
            noted.get_or_init(|| all().map(|target| target.at.clone()).collect());
        };
        self.compared.as_ref().map(note).is_some()
    }

    /// Tells whether the project stands in the home.
    pub(super) fn is_at_home(&self) -> bool {
        let home = self.home.as_deref().map(lower);
        home.is_some_and(|home| self.projects.iter().any(|project| is_below(project, &home)))
    }

    /// Writes a path as a person knows it: from the project, if it is there.
    pub(super) fn shown(&self, path: &str) -> String {
        let [_, project] = &self.bases;
        let below = Path::new(path).strip_prefix(project).ok();
        let below = below
            .and_then(Path::to_str)
            .filter(|below| !below.is_empty());
        below.unwrap_or(path).to_owned()
    }

    /// Tells what a path has to do with what is protected; nothing in it stands for something else.
    pub(super) fn literal(&self, path: &str) -> Option<PathRelation> {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.contains('\0') {
            return None;
        }
        let path = at_home(path, self.home.as_deref());
        let is_path = path.as_os_str().as_encoded_bytes().contains(&b'/');
        let paths = self.bases.iter().map(|base| base.join(&path));
        // A program is named by a path, or it is there.
        let does = |path: &Path| {
            if is_path || path.symlink_metadata().is_ok() {
                FileOperation::Writes
            } else {
                FileOperation::Names
            }
        };
        paths.filter_map(|path| self.path(&path, does(&path))).max()
    }

    /// Tells what a path has to do with what is protected, as it is written and where its links lead.
    pub(super) fn path(&self, path: &Path, does: FileOperation) -> Option<PathRelation> {
        let first = self.compare(&lower(&plain(path)), does);
        let real = self.seen.elsewhere(path);
        first.max(real.and_then(|real| self.compare(&lower(&real), does)))
    }

    /// Returns the first file or folder in a folder that is protected, where any is there one that is.
    pub(super) fn first_in(&self, folder: &str) -> Option<String> {
        let folder = lower(&plain(Path::new(folder)));
        let all = self.protected(FileOperation::Writes);
        let inside = all.filter(|target| is_below(&target.path, &folder));
        let found = inside.min_by_key(|target| target.at.symlink_metadata().is_err());
        found.map(|target| target.at.to_string_lossy().into_owned())
    }

    /// Tells what a path has to do with our own program, as it is written and where its links lead.
    pub(super) fn own(&self, path: &Path) -> Option<PathRelation> {
        let own = self.own.as_ref()?;
        let touch = |path: &str| {
            let is_above = || is_below(own, path).then(|| self.above(path));
            (path == own).then_some(PathRelation::Is).or_else(is_above)
        };
        let real = self
            .seen
            .elsewhere(path)
            .and_then(|real| touch(&lower(&real)));
        touch(&lower(&plain(path))).max(real)
    }

    /// Returns what is protected: of programs what is written, for one that is removed is found no more before another one.
    fn protected(&self, does: FileOperation) -> impl Iterator<Item = &ProtectedPath> {
        let counts = matches!(does, FileOperation::Writes | FileOperation::Edits);
        let programs = counts.then(|| self.programs.targets(&self.seen));
        self.targets.iter().chain(programs.into_iter().flatten())
    }

    fn compare(&self, path: &str, does: FileOperation) -> Option<PathRelation> {
        let touches = self.protected(does).filter_map(|target| {
            if target.path == path
                || (target.kind == ProtectedKind::Folder && is_below(path, &target.path))
            {
                Some(PathRelation::Is)
            } else if is_below(&target.path, path) {
                Some(self.above(path))
            } else {
                None
            }
        });
        touches.max()
    }

    /// Tells what a pattern of absolute paths has to do with what is protected. It touches what it matches, a folder that it
    /// matches with everything in it, and what it would match in a protected folder.
    pub(super) fn pattern(&self, pattern: &str, does: FileOperation) -> Option<PathRelation> {
        let pattern = pattern.to_lowercase();
        let parts = pattern.split('/').filter(|part| *part != ".");
        let parts: Vec<&str> = parts.take(MOST_PARTS).collect();
        // A pattern of the shell stands for files that are there.
        let counts = |target: &&ProtectedPath| {
            let is_there = || target.at.symlink_metadata().is_ok();
            match (does, target.kind) {
                (FileOperation::Edits, _) => is_there(),
                (FileOperation::Writes, ProtectedKind::Program) => target.at.exists(),
                (_, _) => true,
            }
        };
        let touches = self.protected(does).filter(counts).filter_map(|target| {
            let names: Vec<&str> = target.path.split('/').collect();
            match patterns::covers(&parts, &names)? {
                GlobMatch::Whole => Some(PathRelation::Is),
                GlobMatch::Below if target.kind == ProtectedKind::Folder => {
                    let is_one = does == FileOperation::Writes || holds(&target.at, &parts);
                    is_one.then_some(PathRelation::Is)
                }
                GlobMatch::Below => None,
                GlobMatch::Above(left) => {
                    let count = names.len().saturating_sub(left);
                    Some(self.above(&names.get(..count)?.join("/")))
                }
            }
        });
        touches.max()
    }

    fn above(&self, path: &str) -> PathRelation {
        let is_around = |project: &String| path == project || is_below(project, path);
        if self.projects.iter().any(is_around) {
            PathRelation::Above
        } else if self.roots.iter().any(|root| is_below(path, root)) {
            PathRelation::Holds
        } else {
            PathRelation::Above
        }
    }
}

/// The files that would be found before a program that hooks start, or before ours; ours is one of them. They are looked up
/// for a call that writes something.
#[derive(Debug)]
struct ShadowingPrograms {
    /// Where they are looked up, in the order of that.
    path: Vec<PathBuf>,
    /// The command lines of hooks.
    lines: Vec<String>,
    targets: OnceLock<Vec<ProtectedPath>>,
}

impl ShadowingPrograms {
    fn targets(&self, seen: &DiskCache) -> &[ProtectedPath] {
        self.targets.get_or_init(|| {
            let all = programs(&self.path, &self.lines).into_iter();
            targets(
                all.map(|path| (path, ProtectedKind::Program)),
                Path::new("/"),
                seen,
            )
        })
    }
}

/// Returns paths as they are compared: as they are written, and where their links lead.
fn targets(
    paths: impl Iterator<Item = (PathBuf, ProtectedKind)>,
    project: &Path,
    seen: &DiskCache,
) -> Vec<ProtectedPath> {
    let mut targets = Vec::new();
    for (path, kind) in paths {
        let path = if path.is_absolute() {
            path
        } else {
            project.join(path)
        };
        if let Some(real) = seen.elsewhere(&path) {
            targets.push(ProtectedPath::from((real, kind)));
        }
        targets.push(ProtectedPath::from((plain(&path), kind)));
    }
    targets
}

fn programs(path: &[PathBuf], lines: &[String]) -> Vec<PathBuf> {
    // Most lines are the path of a script, which is found nowhere else.
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let is_path = |line: &&String| line.contains('/') && line.bytes().all(is_letter);
    let others = lines.iter().filter(|line| !is_path(line));
    let read = others.map(|line| shell::read(line, &Places::default(), &NoFiles));
    let started: BTreeSet<String> = read
        .flat_map(|done| done.commands)
        .filter_map(|command| Some(command.words.first()?.known()?.to_owned()))
        .filter(|name| !name.contains('/'))
        .collect();
    let helpers = HELPERS.iter().copied().map(|name| (name, false));
    let named = started.iter().map(|name| (name.as_str(), false));
    let ours = OUR_PROGRAMS.iter().map(|name| (*name, true));
    let mut all = Vec::new();
    for (name, is_ours) in helpers.chain(named).chain(ours) {
        let files: Vec<PathBuf> = path.iter().map(|folder| folder.join(name)).collect();
        // What is nowhere is not replaced.
        let Some(found) = files.iter().position(|file| is_program(file)) else {
            continue;
        };
        all.extend(files.into_iter().take(found + usize::from(is_ours)));
    }
    all
}

/// Tells whether a folder holds something that a pattern matches; of a very large one, it may.
fn holds(folder: &Path, pattern: &[&str]) -> bool {
    let tree = ScanScope::whole(folder).look();
    let mut paths = tree.entries.iter().map(|entry| lower(&entry.path));
    tree.more
        || paths.any(|path| {
            let names: Vec<&str> = path.split('/').collect();
            patterns::covers(pattern, &names) == Some(GlobMatch::Whole)
        })
}

fn is_below(path: &str, dir: &str) -> bool {
    let rest = path.strip_prefix(dir.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

fn lower(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}
