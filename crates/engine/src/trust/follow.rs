//! The files below a package root that its commands run, and those that the texts of these files name.
//!
//! Of a command counts what it runs: its program, and the scripts, texts and modules that this runs in turn. A shell reads a script
//! like commands. In any other text counts a path from its own folder that has the ending of code, and what stands on a line that
//! loads something. Whatever else a text mentions is not covered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhook_effects::command::Input;
use anyhook_effects::word::Word;

use super::commands;
use super::loads;
use super::named::{PACKAGE, PROJECT, Reach, Where, below};
use super::programs::{self, Ran};
use super::scripts::{braced, roots};
use super::unit::is_in_environment;
use crate::files;
use crate::lists::{CODE_ENDINGS, MODULE_ENDINGS, MODULE_FILES};
use crate::text::plain;

/// A longer script is pinned, and not looked into: a program generated it.
const LONGEST: u64 = 512 * 1024;
/// As deep are texts in texts followed.
const DEEPEST: usize = 8;
/// Endings of scripts for a shell.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "ksh"];

/// Collects the files below a root that something runs.
pub(super) struct Following<'r> {
    root: &'r Path,
    /// Scripts that were not looked into, and whether a shell reads them.
    open: Vec<(PathBuf, bool)>,
    /// Whether the commands of the manifest are read, and not those of a script.
    is_first: bool,
    all: Followed,
}

/// What was followed.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The files that may be executed.
    pub(super) runs: BTreeSet<PathBuf>,
    /// Those of them that the commands of the manifest run, or that stand in its folder.
    pub(super) first: BTreeSet<PathBuf>,
    /// All of them, and the files that belong to them.
    pub(super) files: BTreeSet<PathBuf>,
    /// Those of them that are reached by the folder of the project: a copy of the package does not stand in for them.
    pub(super) live: BTreeSet<PathBuf>,
    /// What is not covered, in words.
    pub(super) loose: BTreeSet<String>,
}

impl<'r> Following<'r> {
    pub(super) fn new(root: &'r Path) -> Self {
        Self {
            root,
            open: Vec::new(),
            is_first: true,
            all: Followed::default(),
        }
    }

    /// Follows what was found so far to its end, and returns all of it; it may hold one file more than `most`.
    pub(super) fn all(mut self, most: usize) -> Followed {
        self.is_first = false;
        while let Some((path, is_shell)) = self.open.pop() {
            if self.all.runs.len() > most {
                break;
            }
            self.script(&path, is_shell);
        }
        self.all.files.extend(self.all.runs.iter().cloned());
        self.all
    }

    /// Adds what a command line executes.
    pub(super) fn line(&mut self, line: &str, bases: &[PathBuf]) {
        self.shell(line, &at(bases), 0);
    }

    /// Adds what a program and its arguments execute.
    pub(super) fn call(&mut self, call: &[String], bases: &[PathBuf]) {
        self.each(&programs::executed(call, &Input::Inherited), &at(bases), 0);
    }

    /// Adds a file of the folder of hooks, which something runs by a name that is not known here.
    pub(super) fn own(&mut self, file: &Path) {
        self.add(file, false, Reach::Copy);
    }

    /// Adds what a variable of the environment has a program execute.
    pub(super) fn variable(&mut self, name: &str, value: &str, bases: &[PathBuf]) {
        self.each(&programs::by_variable(name, value), &at(bases), 0);
    }

    fn shell(&mut self, text: &str, at: &Where, depth: usize) {
        if depth > DEEPEST {
            let what = format!("a command in commands, more than {DEEPEST} deep");
            self.all.loose.insert(what);
            return;
        }
        let (stated, is_rough) = commands::of(text);
        let all: Vec<&Vec<String>> = stated.all.iter().map(|call| &call.words).collect();
        let mut ran = Vec::new();
        for words in &all {
            ran.extend(programs::executed(words, &Input::Inherited));
        }
        for (words, text) in &stated.inputs {
            ran.extend(programs::executed(words, &Input::Text(text.clone())));
        }
        for (words, file) in &stated.redirected {
            let file = Input::File(Word::text(file.as_str()));
            ran.extend(programs::executed(words, &file));
        }
        let is_program =
            |words: &[String]| programs::executed(words, &Input::unknown()).contains(&Ran::Piped);
        let piped = stated.piped.iter().filter(|(_, to)| is_program(to));
        let doubtful =
            all.iter().copied().flatten().filter(|word| {
                is_rough && (word.contains('/') || has_ending_of_code(Path::new(word)))
            });
        let doubtful = piped.flat_map(|(from, _)| from).chain(doubtful);
        ran.extend(doubtful.cloned().map(Ran::File));
        let mut at = at.clone();
        for (name, values) in stated.values {
            at.values.entry(name).or_default().extend(values);
        }
        for folder in &ran {
            if let Ran::Folder(folder) = folder {
                at.bases.extend(at.named(self.root, folder));
            }
        }
        for word in all.iter().copied().flatten() {
            self.add_own(word, &at);
        }
        self.each(&ran, &at, depth);
    }

    fn each(&mut self, all: &[Ran], at: &Where, depth: usize) {
        for ran in all {
            match ran {
                Ran::Program(word) if !at.is_file(word) => {}
                Ran::Program(word) | Ran::File(word) => self.word(word, false, at),
                Ran::Script(word) => self.word(word, true, at),
                Ran::Shell(text) => self.shell(text, at, depth + 1),
                Ran::Code(text) => {
                    for (base, reach) in &at.bases {
                        self.names(text, base, *reach);
                    }
                }
                Ran::Module(module) => {
                    for (base, reach) in &at.bases {
                        self.loaded(module, base, *reach);
                    }
                }
                Ran::Piped | Ran::Folder(_) => {}
            }
        }
    }

    fn word(&mut self, word: &str, is_shell: bool, at: &Where) {
        let mut is_there = false;
        let named = at.named(self.root, word);
        for (path, reach) in &named {
            is_there |=
                self.add(path, is_shell, *reach) || self.root.join(path).symlink_metadata().is_ok();
        }
        if !is_there && !is_shell {
            for (path, reach) in &named {
                is_there |= self.spelled(path, *reach);
            }
        }
        if !is_there && word.contains('/') && !word.starts_with("/dev/") {
            let is_outside = Path::new(word).is_absolute();
            let why = if is_outside {
                ", outside of the package"
            } else {
                ""
            };
            self.all.loose.insert(format!("`{}`{why}", shown(word)));
        }
    }

    /// Adds a file that a script names by its own folder or by its package: it has to be in the copy.
    fn add_own(&mut self, word: &str, at: &Where) {
        if at.is_own(word) {
            let named = at.named(self.root, word).into_iter();
            let files = named.map(|(path, _)| path);
            let root = self.root;
            self.all
                .files
                .extend(files.filter(|path| is_file(&root.join(path))));
        }
    }

    /// Adds a file, and tells whether it is there.
    fn add(&mut self, path: &Path, is_shell: bool, reach: Reach) -> bool {
        if !is_file(&self.root.join(path)) {
            return false;
        }
        if reach == Reach::Live {
            self.all.live.insert(path.to_owned());
        }
        if self.is_first {
            self.all.first.insert(path.to_owned());
        }
        if self.all.runs.insert(path.to_owned()) && !is_in_environment(path) {
            self.open.push((path.to_owned(), is_shell));
        }
        true
    }

    /// Adds the files that a name may mean which leaves its ending out, and tells whether there is one.
    fn spelled(&mut self, path: &Path, reach: Reach) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return false;
        };
        let mut is_there = self.add(path, false, reach);
        for ending in MODULE_ENDINGS {
            let file = path.with_file_name(format!("{name}.{ending}"));
            is_there |= self.add(&file, false, reach);
        }
        // A script in TypeScript names what it will be compiled to.
        if let Some(source) = name.strip_suffix("js") {
            is_there |= self.add(&path.with_file_name(format!("{source}ts")), false, reach);
        }
        for file in MODULE_FILES {
            is_there |= self.add(&path.join(file), false, reach);
        }
        // What stands above a module runs before it.
        for folder in path.ancestors().skip(1).filter(|_| is_there) {
            self.add(&folder.join("__init__.py"), false, reach);
        }
        is_there
    }

    /// Adds a path, or a module with dots.
    fn loaded(&mut self, name: &str, base: &Path, reach: Reach) {
        let path = below(self.root, base, name.trim_start_matches('/'));
        let module = module_below(self.root, base, name);
        for path in path.into_iter().chain(module) {
            self.spelled(&path, reach);
        }
    }

    /// Looks into a script, where that is a text of this package.
    fn script(&mut self, path: &Path, is_told: bool) {
        let real = self.root.join(path).canonicalize();
        let Some(real) = real.ok().filter(|real| real.starts_with(self.root)) else {
            return;
        };
        let bytes = files::read_unlinked(&real, LONGEST).ok();
        let Some(text) = bytes.and_then(|(bytes, _)| String::from_utf8(bytes).ok()) else {
            return;
        };
        let first = text.strip_prefix("#!").and_then(|text| text.lines().next());
        let words = first.unwrap_or_default().split_whitespace();
        let mut programs = words.filter_map(|word| word.rsplit('/').next());
        let program =
            programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='));
        let ending = path.extension().and_then(|end| end.to_str());
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if is_told
            || ending.is_some_and(|end| SHELLS.contains(&end))
            || program.is_some_and(|program| program.ends_with("sh"))
        {
            // Words count from the folder of the project; where a script goes to its own, from that one.
            let mut bases = vec![(folder.clone(), Reach::Copy), (PathBuf::new(), Reach::Live)];
            bases.dedup_by(|one, other| one.0 == other.0);
            let at = Where {
                bases,
                script: Some(folder),
                ..at(&[])
            };
            self.shell(&braced(&text), &at, 0);
        } else if (program.is_some() || has_ending_of_code(path))
            && self.names(&text, &folder, Reach::Copy)
        {
            let file = shown(&path.to_string_lossy());
            self.all
                .loose
                .insert(format!("what `{file}` loads by a computed name"));
        }
    }

    /// Adds what a text names that is none for a shell, and tells whether it loads by computed names.
    fn names(&mut self, text: &str, folder: &Path, reach: Reach) -> bool {
        let names = loads::names(text);
        let mut bases = BTreeSet::from([folder.to_owned()]);
        for above in folder.ancestors().filter(|_| names.folders.is_some()) {
            let added = names.folders.iter().flatten();
            bases.extend(added.filter_map(|word| below(self.root, above, word)));
            bases.insert(above.to_owned());
        }
        for name in &names.loaded {
            for base in &bases {
                self.loaded(name, base, reach);
            }
        }
        // In the root stand the files of the project: a text that mentions one does not run it.
        for name in names.paths.iter().filter(|_| folder != Path::new("")) {
            let path = below(self.root, folder, name.trim_start_matches('/'));
            if let Some(path) = path.filter(|path| has_ending_of_code(path)) {
                self.add(&path, false, reach);
            }
        }
        names.is_computed
    }
}

/// Returns where a module with dots stands: `a.b` is `a/b`, and each point before it but the first is a folder above.
fn module_below(root: &Path, base: &Path, word: &str) -> Option<PathBuf> {
    let name = word.trim_start_matches('.');
    if word.contains('/') {
        return None;
    }
    let up = (word.len() - name.len()).saturating_sub(1);
    below(root, base.ancestors().nth(up)?, &name.replace('.', "/"))
}

/// Writes a word for a person: no longer than one line.
fn shown(word: &str) -> String {
    plain(&word.chars().take(80).collect::<String>())
}

/// Where a line of the manifest stands, with the variables that name the package and the project.
fn at(bases: &[PathBuf]) -> Where {
    let named = |(name, reach)| {
        let root = match reach {
            Reach::Copy => PACKAGE,
            Reach::Live => PROJECT,
        };
        (String::from(name), BTreeSet::from([root.to_owned()]))
    };
    Where {
        bases: bases
            .iter()
            .map(|base| (base.clone(), Reach::Live))
            .collect(),
        values: roots().map(named).collect::<BTreeMap<_, _>>(),
        ..Where::default()
    }
}

/// Anything but a directory: what a link leads to is looked at when it is pinned.
fn is_file(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => !path.is_dir(),
        Ok(meta) => !meta.is_dir(),
        Err(_) => false,
    }
}

/// Tells whether a name has an ending of code.
pub(super) fn has_ending_of_code(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| MODULE_ENDINGS.contains(&end) || CODE_ENDINGS.contains(&end))
}
