//! The places that a line knows: where it starts, where the project and the home are, and the port to scripts.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::effect::{Certainty, Object};
use crate::word::{Part, Word};

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

/// The port to the files that a line runs. The crate itself reads no file.
pub trait Files {
    /// Returns the text of a script that the line would run, if the caller lets it be read.
    fn script(&self, path: &Path) -> Option<String>;
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
/// No folder means that the folder is unknown: then a relative word is unknown too.
pub fn objects(word: &Word, folders: &[PathBuf]) -> Vec<(Object, Certainty)> {
    let unreadable = |part: &Part| matches!(part, Part::Unknown | Part::Split);
    if word.parts.iter().any(unreadable) {
        return vec![(Object::Unknown, Certainty::Unknown)];
    }
    if word.head().starts_with('/') {
        return vec![object(word, Path::new("/"))];
    }
    if folders.is_empty() {
        return vec![(Object::Unknown, Certainty::Unknown)];
    }
    let several = folders.len() > 1;
    let each = folders.iter().map(|folder| object(word, folder));
    each.map(|(object, sure)| match several {
        true => (object, sure.min(Certainty::Likely)),
        false => (object, sure),
    })
    .collect()
}

/// Returns what a word without unreadable parts names, seen from a folder.
fn object(word: &Word, folder: &Path) -> (Object, Certainty) {
    if let Some(text) = word.known() {
        let path = if text.is_empty() {
            folder.to_owned()
        } else {
            folder.join(&*text)
        };
        return (Object::Path(path), Certainty::Exact);
    }
    let mut pattern = String::new();
    if !word.head().starts_with('/') {
        escape(&folder.to_string_lossy(), &mut pattern);
        if !pattern.ends_with('/') {
            pattern.push('/');
        }
    }
    for part in &word.parts {
        match part {
            Part::Text(text) => escape(text, &mut pattern),
            Part::Glob(glob) => pattern.push_str(glob),
            Part::Unknown | Part::Split => pattern.push('*'),
        }
    }
    (Object::Pattern(pattern), Certainty::Likely)
}

/// Adds text to a pattern so that it stands for itself.
fn escape(text: &str, pattern: &mut String) {
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '\\') {
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
