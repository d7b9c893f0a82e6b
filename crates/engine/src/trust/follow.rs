//! The files below a package root that its commands name, and those that the texts of these files name in turn.
//!
//! A word counts where it may be code: by its ending, without one as a path, as a program, as what an interpreter gets, and as
//! any file that a script reaches by its own folder. What is outside of the root is not covered.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::names::{NamedFiles, OWN, PACKAGE, PROJECT, VARIABLE};
use super::tree::PackageTree;
use super::unit::is_in_environment;
use crate::lists::{CODE_ENDINGS, MODULE_ENDINGS, MODULE_FILES};
use crate::shell::patterns;
use crate::text::plain;

/// A longer script is pinned, and not looked into: a program generated it.
const LONGEST: u64 = 512 * 1024;
/// So many names of a folder are held against the words of a text.
const MOST_LOOKED_AT: usize = 2000;
/// Endings of scripts for a shell, and of what is read as one.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "ksh", "mk"];
/// The folders of programs of the machine.
const OF_SYSTEM: &[&str] = &[
    "/bin", "/dev", "/etc", "/lib", "/proc", "/sbin", "/tmp", "/usr",
];

/// By which tree a file is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileOrigin {
    /// By the package, of which a copy runs.
    Copy,
    /// By the project's folder, where the live file stands.
    Live,
}

/// A folder from which words count.
type BaseFolder = (PathBuf, FileOrigin);

/// The folders from which the words of a text count.
struct BaseFolders {
    plain: Vec<BaseFolder>,
    /// Of what is behind the folder of the script; the first is that folder.
    own: Vec<BaseFolder>,
    /// Of what is behind something that is not known.
    unknown: Vec<BaseFolder>,
}

/// Collects the files below a root that something names.
pub(super) struct FileFollower<'r> {
    tree: &'r PackageTree,
    /// Whether a guard runs what is followed now: that of its build tools is held too.
    is_guard: bool,
    /// Scripts that were not looked into, and whether a guard runs them.
    open: Vec<(PathBuf, bool)>,
    /// The scripts of `package.json` that were looked into.
    scripts: BTreeSet<String>,
    all: FollowedFiles,
}

/// What was followed.
#[derive(Debug, Default)]
pub(super) struct FollowedFiles {
    /// All files that were found.
    pub(super) files: BTreeSet<PathBuf>,
    /// Those of them that the commands of the manifest name, or that stand in its folder.
    pub(super) first: BTreeSet<PathBuf>,
    /// Those of them that are reached by the folder of the project: a copy of the package does not stand in for them.
    pub(super) live: BTreeSet<PathBuf>,
    /// What is not covered, in words.
    pub(super) loose: BTreeSet<String>,
}

impl<'r> FileFollower<'r> {
    pub(super) fn new(tree: &'r PackageTree) -> Self {
        Self {
            tree,
            is_guard: false,
            open: Vec::new(),
            scripts: BTreeSet::new(),
            all: FollowedFiles::default(),
        }
    }

    /// Adds what command lines name, those of guards first, with the folders in which they may run.
    pub(super) fn lines(&mut self, lines: &BTreeSet<String>, folders: &[PathBuf], is_guard: bool) {
        self.is_guard = is_guard;
        for line in lines {
            self.text(line, true, live(folders), None);
        }
    }

    /// Follows what was found so far to its end, and returns all of it; it may hold one file more than `most`.
    pub(super) fn all(mut self, most: usize) -> FollowedFiles {
        self.all.first = self.all.files.clone();
        // What a guard runs comes first, with all that it names: a file is looked into once.
        self.open.reverse();
        let copied = self.tree.copy.iter().flat_map(|(_, files)| files);
        for path in [None].into_iter().chain(copied.map(Some)) {
            if let Some(path) = path {
                self.is_guard = false;
                self.add(path, FileOrigin::Copy);
            }
            while self.all.files.len() <= most
                && let Some((path, is_guard)) = self.open.pop()
            {
                self.is_guard = is_guard;
                self.script(&path);
            }
        }
        self.all
    }

    /// Reads a text from which words count from some folders: a command line, or that of a script in a folder, by which it is
    /// reached.
    fn text(
        &mut self,
        text: &str,
        is_shell: bool,
        plain: Vec<BaseFolder>,
        script: Option<(&Path, FileOrigin)>,
    ) {
        let names = NamedFiles::of(text, is_shell);
        let folder = script.map_or(Path::new(""), |(folder, _)| folder);
        let above: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
        let most = if names.is_above { above.len() } else { 1 };
        // In a command line `$0` is the shell, whose folder is said to be the one in which the line runs.
        let own = script.map_or_else(
            || plain.clone(),
            |(_, reach)| {
                let own = above.iter().take(most);
                own.map(|at| (at.clone(), reach)).collect()
            },
        );
        let unknown = live(&above);
        let mut bases = BaseFolders {
            plain,
            own,
            unknown,
        };
        for word in &names.folders {
            let found = self.meant(word, &bases);
            bases.plain.extend(found);
        }
        let words = names.words.iter().filter(|(word, _)| word.starts_with(OWN));
        let own = words.flat_map(|(word, _)| self.meant(word, &bases));
        let own: Vec<BaseFolder> = own.filter(|(path, _)| self.tree.is_folder(path)).collect();
        bases.own.extend(own);
        for (word, runs) in &names.words {
            self.word(word, &bases, *runs);
        }
        for word in &names.whole {
            self.whole(word, &bases);
        }
        for (base, reach) in if is_shell { &bases.plain } else { &bases.own } {
            // In the root stand the files of the project: a text that mentions one by its bare name does not run it.
            let is_root = base == Path::new("");
            let is_live = is_root && names.is_working;
            let is_all = names.is_computed && base == folder;
            self.beside(
                base,
                if is_live { FileOrigin::Live } else { *reach },
                &|part| {
                    let is_part = !is_shell && (is_all || names.parts.contains(part));
                    names.loaded.contains(part) || !is_root && is_part
                },
            );
        }
        for row in &names.built {
            self.built(row, &names, &bases);
        }
    }

    /// Adds a file that a build tool reads by itself, and what it runs by names that a text says.
    fn built(&mut self, row: &str, names: &NamedFiles, bases: &BaseFolders) {
        let (program, file) = row.split_once('=').unwrap_or_default();
        let what = if self.is_guard {
            "beside what its own files name"
        } else {
            "as its hook is no guard"
        };
        let what = format!("what `{program}` runs, {what}");
        self.all.loose.insert(what);
        if !self.is_guard {
            return;
        }
        for (base, reach) in &bases.plain {
            let path = base.join(file);
            self.add(&path, *reach);
            if file == "package.json" {
                self.package(&path, names, bases);
            }
        }
    }

    /// Adds what those scripts of a `package.json` run that a text names.
    fn package(&mut self, path: &Path, names: &NamedFiles, bases: &BaseFolders) {
        let text = self.tree.text(path, LONGEST).unwrap_or_default();
        let package: Value = serde_json::from_str(&text).unwrap_or_default();
        let scripts = package.get("scripts").and_then(Value::as_object);
        for (name, script) in scripts.into_iter().flatten() {
            let bare = name.strip_prefix("pre").or(name.strip_prefix("post"));
            let mut forms = [Some(&**name), bare].into_iter().flatten();
            let is_named = forms.any(|name| {
                let first = name.split(':').next().unwrap_or_default();
                names.words.contains(&(first.to_owned(), false))
            });
            if is_named && self.scripts.insert(name.clone()) {
                let line = script.as_str().unwrap_or_default();
                self.text(line, true, bases.plain.clone(), None);
            }
        }
    }

    /// Adds each file that may be code below a folder, or of those that a pattern stands for.
    fn whole(&mut self, word: &str, bases: &BaseFolders) {
        let mut open = self.meant(word, bases);
        while let Some((path, reach)) = open.pop() {
            if path == Path::new("") {
                let what = "each file of the project, which a hook looks for to run it";
                self.all.loose.insert(what.to_owned());
            } else if !self.tree.own_meta(&path).is_some_and(|own| own.is_dir()) {
                if self.may_run(&path) {
                    self.add(&path, reach);
                }
            } else if !is_in_environment(&path) && open.len() < MOST_LOOKED_AT {
                let entries = self.tree.entries(&path).into_iter().flatten().flatten();
                open.extend(entries.map(|entry| (path.join(entry.file_name()), reach)));
            }
        }
    }

    /// Adds the code in a folder that a text names: a file by its name or without its ending, and what is in folders that it
    /// names as well.
    fn beside(&mut self, folder: &Path, reach: FileOrigin, is_named: &dyn Fn(&str) -> bool) {
        let part = |part: Option<&OsStr>| part.and_then(OsStr::to_str).is_some_and(is_named);
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            let entries = self.tree.entries(&folder);
            for entry in entries.into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
                let path = folder.join(entry.file_name());
                let name = path.file_name();
                let is_module = folder != Path::new("")
                    && MODULE_FILES
                        .iter()
                        .any(|module| name == Some(OsStr::new(module)));
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if part(name) && !is_in_environment(&path) {
                        open.push(path);
                    }
                } else if has_ending_of_code(&path)
                    && (is_module || part(name) || part(path.file_stem()))
                {
                    self.add(&path, reach);
                }
            }
        }
    }

    /// Returns the paths below the root that a word may mean, whether they are there or not.
    fn meant(&self, word: &str, bases: &BaseFolders) -> Vec<BaseFolder> {
        let root = |reach| vec![(PathBuf::new(), reach)];
        let first = word.chars().next().unwrap_or(VARIABLE);
        let rest = word.get(first.len_utf8()..).unwrap_or_default();
        let (bases, word) = match first {
            PACKAGE => (&root(FileOrigin::Copy), rest),
            PROJECT => (&root(FileOrigin::Live), rest),
            OWN => (&bases.own, rest),
            '/' if word.starts_with(&*self.tree.root.to_string_lossy()) => {
                (&root(FileOrigin::Live), word)
            }
            '/' => (&bases.unknown, word),
            VARIABLE if rest.starts_with('/') => (&bases.unknown, rest),
            _ => (&bases.plain, word),
        };
        let word = Path::new(word);
        let word = word.strip_prefix(&self.tree.root).unwrap_or(word);
        let word = word.to_string_lossy();
        let word = word.trim_start_matches('/');
        let paths = bases.iter().filter_map(|(base, reach)| {
            let path = below(&self.tree.root, base, word)?;
            let matching = matching(self.tree, path).into_iter();
            Some(matching.map(|path| (path, *reach)))
        });
        paths.flatten().collect()
    }

    /// Adds the files that a word may mean, where they may be code. `runs` says that an interpreter gets it.
    fn word(&mut self, word: &str, bases: &BaseFolders, runs: bool) {
        let is_path = word.contains('/');
        if !is_path && !runs && !has_ending_of_code(Path::new(word)) {
            return;
        }
        let own = bases.own.first().map(|(folder, _)| folder);
        for (path, reach) in self.meant(word, bases) {
            // Whatever is beside the script counts.
            let is_own = word.starts_with(OWN) && own.is_some_and(|own| path.starts_with(own));
            let is_whole = runs || is_own || word.starts_with(PACKAGE);
            if is_whole || has_ending_of_code(&path) || (is_path && self.may_run(&path)) {
                self.add(&path, reach);
            }
            // `node hooks/guard` runs `hooks/guard.js`.
            if (is_path || runs) && path.extension().is_none() && !self.tree.is_file(&path) {
                for ending in MODULE_ENDINGS {
                    self.add(&path.with_extension(ending), reach);
                }
                for file in MODULE_FILES.iter().filter(|_| runs) {
                    self.add(&path.join(file), reach);
                }
            }
        }
        let outside = Path::new(word);
        if outside.is_absolute()
            && !outside.starts_with(&self.tree.root)
            && !OF_SYSTEM.iter().any(|folder| outside.starts_with(folder))
            && outside.is_file()
        {
            let shown: String = word.chars().take(80).collect();
            let what = format!("`{}`, outside of the package", plain(&shown));
            self.all.loose.insert(what);
        }
    }

    /// Tells whether a file that is named by a path may be run: by its ending, as a program, or as what has no ending.
    fn may_run(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_bare = name.is_some_and(|name| !name.starts_with('.') && !name.contains('.'));
        let is_program = |meta: Metadata| meta.is_file() && meta.permissions().mode() & 0o111 != 0;
        has_ending_of_code(path) || is_bare || self.tree.meta(path).is_some_and(is_program)
    }

    /// Adds a file, if it is there or in the trusted copy.
    pub(super) fn add(&mut self, path: &Path, reach: FileOrigin) {
        // Anything but a directory: what a link leads to is looked at when it is pinned.
        let is_there = match self.tree.own_meta(path) {
            Some(own) if own.is_symlink() => !self.tree.is_folder(path),
            own => own.is_some_and(|own| !own.is_dir()),
        };
        if !is_there && !self.tree.is_copied(path) {
            return;
        }
        // What runs where it stands takes along what it names, also if a copy of it runs elsewhere.
        let is_live = reach == FileOrigin::Live && self.all.live.insert(path.to_owned());
        let is_new = self.all.files.insert(path.to_owned());
        if (is_new || is_live) && !is_in_environment(path) {
            self.open.push((path.to_owned(), self.is_guard));
        }
    }

    /// Looks into a script, where that is a text of this package.
    fn script(&mut self, path: &Path) {
        let Some(text) = self.tree.text(path, LONGEST) else {
            return;
        };
        let first = text.strip_prefix("#!").and_then(|text| text.lines().next());
        let words = first.unwrap_or_default().split_whitespace();
        let mut programs = words.filter_map(|word| word.rsplit('/').next());
        let program =
            programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
        let ending = path.extension().and_then(|end| end.to_str());
        let is_shell = match (program, ending) {
            (Some(program), _) => program.ends_with("sh"),
            (None, Some(ending)) => SHELLS.contains(&ending),
            (None, None) => true,
        };
        if !is_shell && program.is_none() && !has_ending_of_code(path) {
            return;
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_live = self.all.live.contains(path);
        let reach = if is_live {
            FileOrigin::Live
        } else {
            FileOrigin::Copy
        };
        // Words count from the folder of the project; where a shell's script goes to its own, from that one.
        let mut plain = vec![(PathBuf::new(), FileOrigin::Live)];
        if is_shell && folder == Path::new("") {
            plain = vec![(PathBuf::new(), reach)];
        } else if is_shell {
            plain.insert(0, (folder.to_owned(), reach));
        }
        self.text(&text, is_shell, plain, Some((folder, reach)));
    }
}

fn live(folders: &[PathBuf]) -> Vec<BaseFolder> {
    folders
        .iter()
        .map(|at| (at.clone(), FileOrigin::Live))
        .collect()
}

/// Returns the path below the root that a word means, if it stays there.
pub(super) fn below(root: &Path, base: impl AsRef<Path>, word: &str) -> Option<PathBuf> {
    if word.contains('\0') {
        return None;
    }
    let word = match Path::new(word).strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        Err(_) => base.as_ref().join(word),
    };
    let mut path = PathBuf::new();
    for part in word.components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Returns a path, or the paths that it stands for as a pattern.
fn matching(tree: &PackageTree, path: PathBuf) -> Vec<PathBuf> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name.filter(|name| name.contains(['*', VARIABLE])) else {
        return vec![path];
    };
    let name = &*name.replace(VARIABLE, "*");
    // Of a name of which nothing is known any file of a folder may be meant, but not any file of the whole project.
    if name == "*" && parent == Path::new("") {
        return Vec::new();
    }
    let entries = tree.entries(parent);
    let names = entries.into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let fits = names.filter(|other| patterns::name_matches(other, name));
    fits.map(|name| parent.join(name)).collect()
}

/// Tells whether a name has an ending of code.
fn has_ending_of_code(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| MODULE_ENDINGS.contains(&end) || CODE_ENDINGS.contains(&end))
}
