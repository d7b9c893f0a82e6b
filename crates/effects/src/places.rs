//! The places that a command line refers to: its folder, the project, the home; and the port to scripts.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::effect::{Certainty, Target};
use crate::word::{Part, Word};

/// The file that holds the variables of a process: what prints them all reads it.
pub const ENVIRONMENT: &str = "/proc/self/environ";

/// What is known about the place where an action runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The folder in which the action starts, absolute.
    pub folder: PathBuf,
    /// The folder of the project, absolute.
    pub project: PathBuf,
    /// The home of the person, absolute.
    pub home: Option<PathBuf>,
    /// Variables of the environment whose values are known. A variable that is not here is unknown, not empty.
    pub variables: BTreeMap<String, String>,
}

impl Places {
    /// Returns these files of the home; none where that is not known.
    pub(crate) fn at_home(&self, files: &[&str]) -> Vec<PathBuf> {
        let homes = self.home.iter();
        homes
            .flat_map(|home| files.iter().map(|file| home.join(file)))
            .collect()
    }

    /// Tells whether a word names, or may name, a file that an agent can have made: in the project, or in a temporary folder.
    pub(crate) fn are_near(&self, word: &Word, folders: &[PathBuf]) -> bool {
        let is_near = |path: &Path| {
            let mut all = ["/tmp", "/var/tmp", "/dev", "**"].into_iter();
            path.starts_with(&self.project) || all.any(|folder| path.starts_with(folder))
        };
        let mut named = objects(word, folders).into_iter();
        !word.says(&[""])
            && named.any(|(object, _)| match object {
                Target::Path(path) => is_near(&tidy(&path)),
                Target::Pattern(pattern) => is_near(Path::new(&pattern)),
                _ => true,
            })
    }
}

/// The port to the files that a line runs. The crate itself reads no file.
pub trait Files: Sync {
    /// Returns the text of a script that the line would run, if the caller lets it be read.
    fn script(&self, path: &Path) -> Option<String>;

    /// Returns the text of a file of settings, if the caller lets it be read.
    fn settings(&self, _path: &Path) -> Option<String> {
        None
    }

    /// Tells whether surely nothing stands at a path.
    fn is_nowhere(&self, _path: &Path) -> bool {
        false
    }

    /// Tells whether every name in a folder, or in all that is below it if it is `deep`, is plain ([`is_plain`]). Below a
    /// folder no link leads to another one.
    fn plain_names(&self, _folder: &Path, _deep: bool) -> bool {
        false
    }

    /// Returns the name of the branch that is checked out in a folder.
    fn branch(&self, _folder: &Path) -> Option<String> {
        None
    }

    /// Returns what a verb of git stands for in a folder, where the settings give it a meaning.
    fn alias(&self, _folder: &Path, _verb: &str) -> Option<String> {
        None
    }

    /// Tells which names git keeps of a folder and of all that is below it, on the disk or not; those of these commits, such as
    /// `HEAD~1` and `main...HEAD`, too.
    fn names_of_git(&self, _folder: &Path, _commits: &[String]) -> TrackedNames {
        TrackedNames::Unknown
    }
}

/// The names of files that git keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackedNames {
    /// They cannot be told, or one is not plain ([`is_plain`]).
    Unknown,
    /// All are plain.
    Plain,
    /// All are plain, and these are they, seen from the folder that was asked about, which is the top of its repository.
    All(Vec<String>),
}

/// Tells whether a name of a file is never taken for something else: the shell and `xargs` leave it whole, and, unless it
/// stands `behind` the name of a folder, no program takes it for an option, an assignment or another kind of word.
pub fn is_plain(name: &str, behind: bool) -> bool {
    let whole = |letter: char| letter.is_alphanumeric() || "._-+@%=,".contains(letter);
    let begins = |letter: char| letter.is_alphanumeric() || "._".contains(letter);
    name.chars().all(whole) && (behind || name.starts_with(begins) && !name.contains('='))
}

/// No file can be read: each script is opaque.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn script(&self, _: &Path) -> Option<String> {
        None
    }
}

/// Returns what a word names on the disk, seen from each of these folders.
///
/// No folder means that the folder is unknown. What cannot be read is `**` in a pattern: it may be any text, `/` included.
pub fn objects(word: &Word, folders: &[PathBuf]) -> Vec<(Target, Certainty)> {
    if matches!(word.parts.first(), Some(Part::Unknown | Part::Split)) {
        return vec![unreadable(word)];
    }
    if word.head().starts_with('/') {
        let (object, sure) = object(word, None);
        let text = match &object {
            Target::Path(path) => path.to_str(),
            Target::Pattern(pattern) => Some(&**pattern),
            _ => None,
        };
        return vec![if text.is_some_and(is_of_process) {
            (Target::Unknown, Certainty::Unknown)
        } else {
            (object, sure)
        }];
    }
    if folders.is_empty() {
        return vec![unreadable(word)];
    }
    let most = match folders {
        [_] => Certainty::Exact,
        _ => Certainty::Likely,
    };
    let each = folders.iter().map(|folder| object(word, Some(folder)));
    each.map(|(object, sure)| (object, sure.min(most)))
        .collect()
}

/// Returns the one path that a word names, seen from these folders; none where it may be several, or cannot be read.
pub(crate) fn path_of(word: &Word, folders: &[PathBuf]) -> Option<PathBuf> {
    match &*objects(word, folders) {
        [(Target::Path(path), _)] => Some(tidy(path)),
        _ => None,
    }
}

/// Tells whether a path leads through a folder of a process: an open file, its folder, its root. Which folder that is, only the
/// process knows.
fn is_of_process(path: &str) -> bool {
    let open = path.split_once("/fd/").map_or("", |(_, file)| file);
    let leads = open.contains('/') || path.contains("/cwd") || path.contains("/root");
    leads && (path.starts_with("/proc/") || path.starts_with("/dev/fd/"))
}

/// What a word names whose beginning cannot be read: what is known of its end.
fn unreadable(word: &Word) -> (Target, Certainty) {
    let told =
        |part: &Part| matches!(part, Part::Text(text) if text.chars().any(char::is_alphanumeric));
    if !word.parts.iter().any(told) {
        return (Target::Unknown, Certainty::Unknown);
    }
    let mut pattern = String::new();
    if !matches!(word.parts.first(), Some(Part::Unknown | Part::Split)) {
        pattern.push_str("**/");
    }
    fill(word, &mut pattern);
    (Target::Pattern(pattern), Certainty::Unknown)
}

/// What a word names whose beginning can be read, seen from a folder.
fn object(word: &Word, folder: Option<&PathBuf>) -> (Target, Certainty) {
    if let Some(text) = word.known() {
        let path = match folder {
            Some(folder) if text.is_empty() => folder.clone(),
            Some(folder) => folder.join(text),
            None => PathBuf::from(text),
        };
        return (Target::Path(path), Certainty::Exact);
    }
    let mut pattern = String::new();
    if let Some(folder) = folder {
        escape(&folder.to_string_lossy(), &mut pattern);
        if !pattern.ends_with('/') {
            pattern.push('/');
        }
    }
    fill(word, &mut pattern);
    let unreadable = |part: &Part| matches!(part, Part::Of(_) | Part::Unknown | Part::Split);
    let sure = if word.parts.iter().any(unreadable) {
        Certainty::Unknown
    } else {
        Certainty::Likely
    };
    (Target::Pattern(pattern), sure)
}

/// Adds the parts of a word to a pattern.
fn fill(word: &Word, pattern: &mut String) {
    // Behind a name that is not known, `..` leads up; one that is nothing may make it.
    let texts = word.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let told = texts.collect::<String>();
    let leads = told.starts_with("..") || told.contains("/..");
    for part in &word.parts {
        match part {
            Part::Text(text) => escape(text, pattern),
            Part::Glob(glob) => pattern.push_str(glob),
            Part::Of(of) if !leads => pattern.push_str(of),
            Part::Of(_) | Part::Unknown | Part::Split => pattern.push_str("**"),
        }
    }
}

/// Adds text to a pattern so that it stands for itself.
fn escape(text: &str, pattern: &mut String) {
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '<' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
}

/// Removes `.` and `..` by name alone, as `cd` of a shell does; links are not looked at.
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                tidy.pop();
            }
            Component::CurDir => {}
            other => tidy.push(other),
        }
    }
    tidy
}
