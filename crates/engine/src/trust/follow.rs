//! The files that a command line executes below a package root: programs, scripts, and what these source and import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::commands;
use super::data::Data;
use super::environments::Imported;
use super::loads;
use super::named::{PACKAGE, PROJECT, Reach, Where, below};
use super::programs::{self, Language, Ran};
use super::unit::is_in_environment;
use crate::files;
use crate::text::plain;

/// A longer script is pinned, and not looked into: a program generated it.
const LONGEST: u64 = 512 * 1024;
/// As deep are texts in texts followed.
const DEEPEST: usize = 8;
/// Endings that a name in JavaScript, Ruby or PHP leaves out.
const ENDINGS: &[&str] = &[
    "js",
    "mjs",
    "cjs",
    "ts",
    "mts",
    "cts",
    "tsx",
    "jsx",
    "json",
    "rb",
    "php",
    "lua",
    "pl",
    "pm",
    "index.js",
    "index.mjs",
    "index.cjs",
    "index.ts",
];
/// Endings by which a word of a text that cannot be read passes for a script.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "ps1", "awk",
    "jq", "bat", "cmd",
];

/// Programs that run files of a project by rules of their own.
const BY_RULES: &[&str] = &[
    "make", "gmake", "just", "ant", "gradle", "mvn", "rake", "npm", "pnpm", "yarn", "bun", "cargo",
    "tox", "nox", "task",
];

/// Collects the files below a root that something executes.
pub(super) struct Following<'r> {
    root: &'r Path,
    found: BTreeSet<PathBuf>,
    open: Vec<(PathBuf, Option<Language>)>,
    /// Files that are read and not run.
    read: BTreeSet<PathBuf>,
    live: BTreeSet<PathBuf>,
    imported: Imported,
    /// The interpreters, as they are named.
    interpreters: BTreeSet<String>,
    loose: BTreeSet<String>,
}

/// What was followed.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The files that are executed.
    pub(super) runs: BTreeSet<PathBuf>,
    /// Those, and the files that belong to them.
    pub(super) files: BTreeSet<PathBuf>,
    /// Those of them that are reached by the folder of the project: a copy of the package does not stand in for them.
    pub(super) live: BTreeSet<PathBuf>,
    /// Folders of packages that a package manager wrote, of which no copy is made.
    pub(super) linked: BTreeSet<PathBuf>,
    /// The interpreters that run it, as they are named.
    pub(super) interpreters: BTreeSet<String>,
    /// What could not be followed, in words.
    pub(super) loose: BTreeSet<String>,
    /// What the manifest calls data.
    pub(super) data: Data,
}

impl Followed {
    /// Counts the files of packages that a package manager wrote.
    pub(super) fn linked_files(&self) -> usize {
        let is_one = |file: &&PathBuf| self.linked.iter().any(|folder| file.starts_with(folder));
        self.files.iter().filter(is_one).count()
    }
}

impl<'r> Following<'r> {
    pub(super) fn new(root: &'r Path) -> Self {
        Self {
            root,
            found: BTreeSet::new(),
            open: Vec::new(),
            read: BTreeSet::new(),
            live: BTreeSet::new(),
            imported: Imported::default(),
            interpreters: BTreeSet::new(),
            loose: BTreeSet::new(),
        }
    }

    /// Follows what was found so far to its end, and returns all of it; it may hold one file more than `most`.
    pub(super) fn all(mut self, most: usize) -> Followed {
        while let Some((path, told)) = self.open.pop() {
            if self.found.len() > most {
                break;
            }
            self.script(&path, told);
        }
        let imported = self.imported.files(self.root);
        let (compared, linked) = imported.unwrap_or_else(|too_much| {
            self.loose.insert(too_much);
            Default::default()
        });
        Followed {
            runs: self.found.clone(),
            files: self
                .found
                .into_iter()
                .chain(self.read)
                .chain(compared)
                .collect(),
            live: self.live,
            linked,
            interpreters: self.interpreters,
            loose: self.loose,
            data: Data::default(),
        }
    }

    /// Adds what a command line executes.
    pub(super) fn line(&mut self, line: &str, bases: &[PathBuf]) {
        self.shell(line, &at(bases), 0);
    }

    /// Adds what a program and its arguments execute.
    pub(super) fn call(&mut self, call: &[String], bases: &[PathBuf]) {
        self.each(&programs::executed(call), &at(bases), 0);
    }

    /// Adds a file of the folder of hooks, which something runs by a name that is not known here.
    pub(super) fn own(&mut self, file: &Path) {
        self.add(file.to_owned(), None, Reach::Copy);
    }

    /// Adds what a variable of the environment has a program execute.
    pub(super) fn variable(&mut self, name: &str, value: &str, bases: &[PathBuf]) {
        self.each(&programs::by_variable(name, value), &at(bases), 0);
    }

    fn shell(&mut self, text: &str, at: &Where, depth: usize) {
        if depth > DEEPEST {
            let what = format!("a command in commands, more than {DEEPEST} deep");
            self.loose.insert(what);
            return;
        }
        let (commands, rough) = commands::of(text);
        let all: Vec<&Vec<String>> = commands.all.iter().map(|call| &call.words).collect();
        let ran = all.iter().flat_map(|words| programs::executed(words));
        let mut ran: Vec<Ran> = ran.collect();
        for (command, text) in &commands.inputs {
            let language = programs::reads_program(command);
            ran.extend(language.map(|language| Ran::Text(text.clone(), language)));
        }
        for (command, file) in &commands.redirected {
            let language = programs::reads_program(command);
            ran.extend(language.map(|language| Ran::File(file.clone(), Some(language))));
        }
        let piped = commands.piped.iter();
        let piped = piped.filter(|(_, to)| programs::reads_program(to).is_some());
        let mut doubtful: Vec<&String> = piped.flat_map(|(from, _)| from).collect();
        if rough {
            let is_script = |word: &&String| {
                word.contains('/') || ending(word).is_some_and(|end| SCRIPTS.contains(&end))
            };
            doubtful.extend(all.iter().copied().flatten().filter(is_script));
        }
        ran.extend(
            doubtful
                .into_iter()
                .map(|word| Ran::File(word.clone(), None)),
        );
        let mut at = at.clone();
        for (name, values) in commands.values {
            at.values.entry(name).or_default().extend(values);
        }
        for word in all.iter().copied().flatten().filter(|word| at.is_own(word)) {
            self.data(word, &at);
        }
        for folder in &ran {
            if let Ran::Folder(folder) = folder {
                at.bases.extend(at.named(self.root, folder));
            }
        }
        self.each(&ran, &at, depth);
    }

    fn each(&mut self, all: &[Ran], at: &Where, depth: usize) {
        for ran in all {
            match ran {
                Ran::Program(word) if !at.is_file(word) => self.program(word),
                Ran::Program(word) => self.word(word, None, at),
                Ran::File(word, language) => self.word(word, *language, at),
                Ran::Text(text, Language::Shell) => self.shell(text, at, depth + 1),
                Ran::Text(text, language) => {
                    for base in &at.bases {
                        self.loaded(text, *language, (&base.0, base.1));
                    }
                }
                Ran::Module(module) => self.modules(std::slice::from_ref(module), &at.bases),
                Ran::Folder(_) => {}
            }
        }
    }

    /// Says of a program that runs the files of a project by rules of its own that these are not followed.
    fn program(&mut self, word: &str) {
        if programs::language_of(word).is_some() {
            self.interpreters.insert(word.to_owned());
        }
        if BY_RULES.contains(&word) {
            self.loose.insert(format!("what `{word}` runs"));
        }
    }

    fn word(&mut self, word: &str, language: Option<Language>, at: &Where) {
        let (before, named) = (self.found.len(), at.named(self.root, word));
        let is_there =
            |(path, _): &(PathBuf, Reach)| self.root.join(path).symlink_metadata().is_ok();
        let any = named.iter().any(is_there);
        for (path, reach) in named {
            self.add(path, language, reach);
        }
        if !any && programs::language_of(word).is_some() {
            self.interpreters.insert(word.to_owned());
            return;
        }
        let is_path = word.contains('/') || language.is_some() && word.contains("${");
        if !any && before == self.found.len() && is_path && word != "-" {
            let is_outside = Path::new(word).is_absolute();
            let why = if is_outside {
                ", outside of the package"
            } else {
                ""
            };
            self.loose.insert(format!("`{}`{why}", shown(word)));
        }
    }

    /// Adds a file that a script names by its own folder or by its package: it has to be in the copy.
    fn data(&mut self, word: &str, at: &Where) {
        for (path, _) in at.named(self.root, word) {
            let is_all = path == Path::new("");
            if !is_all && is_file(&self.root.join(&path)) {
                self.read.insert(path);
            }
        }
    }

    fn add(&mut self, path: PathBuf, language: Option<Language>, reach: Reach) {
        if !is_file(&self.root.join(&path)) {
            return;
        }
        if reach == Reach::Live {
            self.live.insert(path.clone());
        }
        if is_in_environment(&path) {
            self.imported.program(self.root, &path);
        }
        if self.found.insert(path.clone()) {
            self.open.push((path, language));
        }
    }

    /// Looks into a script, where that is a text of this package.
    fn script(&mut self, path: &Path, told: Option<Language>) {
        let real = self.root.join(path).canonicalize();
        let Some(real) = real.ok().filter(|real| real.starts_with(self.root)) else {
            return;
        };
        let Ok((bytes, _)) = files::read_unlinked(&real, LONGEST) else {
            return;
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return;
        };
        let named = interpreter_of(&text);
        self.interpreters.extend(named.map(str::to_owned));
        let Some(language) = told
            .or_else(|| of_ending(path))
            .or_else(|| named.and_then(programs::language_of))
        else {
            return;
        };
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if language == Language::Shell {
            // Words count from the folder of the project; where a script goes to its own, from that one.
            let mut bases = vec![(folder.clone(), Reach::Copy), (PathBuf::new(), Reach::Live)];
            bases.dedup_by(|one, other| one.0 == other.0);
            let at = Where {
                bases,
                script: Some(folder),
                values: roots(),
            };
            self.shell(&super::scripts::braced(&text), &at, 0);
            return;
        }
        if loads::is_computed(&text, language) {
            let file = shown(&path.to_string_lossy());
            self.loose
                .insert(format!("what `{file}` loads by a computed name"));
        }
        self.loaded(&text, language, (&folder, Reach::Copy));
    }

    /// Adds what a text in another language loads, counted from a folder.
    fn loaded(&mut self, text: &str, language: Language, (folder, reach): (&Path, Reach)) {
        if language == Language::Python {
            let imports = loads::python(text);
            let mut bases = vec![folder.to_owned()];
            if let Some(folders) = &imports.folders {
                let above: Vec<PathBuf> = folder.ancestors().map(Path::to_owned).collect();
                for base in &above {
                    let added = folders
                        .iter()
                        .filter_map(|word| below(self.root, base, word));
                    bases.extend(added);
                }
                bases.extend(above);
            }
            let bases: Vec<_> = bases.into_iter().map(|base| (base, reach)).collect();
            self.modules(&imports.modules, &bases);
            return;
        }
        for name in loads::packages(text) {
            self.imported.module(self.root, folder, &name);
        }
        for word in loads::plain(text) {
            let Some(path) = below(self.root, folder, word.trim_start_matches('/')) else {
                continue;
            };
            // A script in TypeScript names what it will be compiled to.
            let source = path
                .extension()
                .and_then(|end| end.to_str())
                .and_then(|end| end.strip_suffix("js"));
            if let Some(kind) = source {
                self.add(path.with_extension(format!("{kind}ts")), None, reach);
            }
            for ending in ENDINGS {
                let mut name = path.clone().into_os_string();
                name.push(if ending.starts_with("index") {
                    "/"
                } else {
                    "."
                });
                name.push(ending);
                self.add(name.into(), None, reach);
            }
            self.add(path, None, reach);
        }
    }

    fn modules(&mut self, modules: &[String], bases: &[(PathBuf, Reach)]) {
        let python = Some(Language::Python);
        for module in modules {
            let name = module.trim_start_matches('.');
            let up = (module.len() - name.len()).saturating_sub(1);
            for (base, reach) in bases {
                let Some(mut path) = base.ancestors().nth(up).map(Path::to_owned) else {
                    continue;
                };
                // A package runs a file of its own before what stands in it.
                for part in name.split('.').filter(|part| !part.is_empty()) {
                    path.push(part);
                    for file in ["__init__.py", "__main__.py"] {
                        self.add(path.join(file), python, *reach);
                    }
                    self.add(path.with_extension("py"), python, *reach);
                }
                if name.is_empty() {
                    self.add(path.join("__init__.py"), python, *reach);
                }
            }
        }
    }
}

/// The variables that name the package and the project.
fn roots() -> BTreeMap<String, BTreeSet<String>> {
    let named = |(name, reach)| {
        let mark = match reach {
            Reach::Copy => PACKAGE,
            Reach::Live => PROJECT,
        };
        let root = mark.to_owned();
        (String::from(name), BTreeSet::from([root]))
    };
    super::scripts::roots().map(named).collect()
}

/// Writes a word for a person: no longer than one line.
fn shown(word: &str) -> String {
    plain(&word.chars().take(80).collect::<String>())
}

fn at(bases: &[PathBuf]) -> Where {
    Where {
        bases: bases
            .iter()
            .map(|base| (base.clone(), Reach::Live))
            .collect(),
        values: roots(),
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

fn ending(word: &str) -> Option<&str> {
    Path::new(word).extension()?.to_str()
}

fn of_ending(path: &Path) -> Option<Language> {
    Some(match path.extension()?.to_str()? {
        "sh" | "bash" | "zsh" | "ksh" => Language::Shell,
        "py" => Language::Python,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => Language::Script,
        "rb" | "pl" | "pm" | "php" | "lua" => Language::Other,
        _ => return None,
    })
}

/// Tells whether a name is that of code.
pub(super) fn is_of_code(path: &Path) -> bool {
    let of_script = |end: &str| SCRIPTS.contains(&end) || ENDINGS.contains(&end) && end != "json";
    let end = path.extension().and_then(|end| end.to_str());
    of_ending(path).is_some() || end.is_some_and(of_script) || is_in_environment(path)
}

/// Returns the interpreter that the first line of a script names.
fn interpreter_of(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut named = line
        .split_whitespace()
        .filter(|word| !word.starts_with('-') && !word.contains('='));
    named.find(|word| programs::language_of(word).is_some())
}
