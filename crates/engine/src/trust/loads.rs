//! The files that a text names, whatever language it is written in.

use std::collections::BTreeSet;

use crate::lists::{COMPUTED, LOADS, MODULE_FOLDERS};

/// Of a line with more texts in quotes, these are put together to paths.
const MOST_PARTS: usize = 8;

/// What a text names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    /// Paths, and parts of one that are put together.
    pub(super) paths: BTreeSet<String>,
    /// Paths and modules (`a.b`) of lines that load, whose ending may be missing.
    pub(super) loaded: BTreeSet<String>,
    /// The folders in which modules are looked for beside the script's own, if it says some.
    pub(super) folders: Option<BTreeSet<String>>,
    /// Whether it loads by a name that it computes.
    pub(super) is_computed: bool,
}

/// Reads a text line by line.
pub(super) fn names(text: &str) -> Names {
    let mut names = Names::default();
    for line in text.lines().flat_map(|line| line.split(';')).map(str::trim) {
        if ["//", "/*", "* ", "#", "--"]
            .iter()
            .any(|start| line.starts_with(start))
        {
            continue;
        }
        let quoted = quoted(line);
        let parts = 0..quoted.len().min(MOST_PARTS);
        let paths = parts.filter_map(|at| Some(quoted.get(at..)?.join("/")));
        let paths: BTreeSet<String> = paths
            .chain(quoted.iter().map(ToString::to_string))
            .collect();
        if MODULE_FOLDERS.iter().any(|mark| line.contains(mark)) {
            names
                .folders
                .get_or_insert_default()
                .extend(paths.iter().cloned());
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if line
            .split(|c| !is_word(c))
            .any(|word| LOADS.contains(&word))
        {
            names.is_computed |= is_computed(line);
            names.loaded.extend(modules(line));
            names.loaded.extend(paths.iter().cloned());
        }
        names.is_computed |= COMPUTED.iter().any(|mark| line.contains(mark));
        names.paths.extend(paths);
    }
    names
}

/// Returns the plain words of a line that loads, each also behind the first of them: `from a.b import c` loads `a.b` or `a.b.c`.
fn modules(line: &str) -> Vec<String> {
    let code = line.split(['"', '\'', '`', '#']).next().unwrap_or_default();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let words = code.split(|c| !is_name(c));
    let words = words.filter(|word| !word.is_empty() && !LOADS.contains(word));
    let words: Vec<&str> = words.collect();
    let first = words.first().copied().unwrap_or_default();
    let dot = if first.ends_with('.') { "" } else { "." };
    let behind = words
        .iter()
        .skip(1)
        .map(|word| format!("{first}{dot}{word}"));
    words
        .iter()
        .map(ToString::to_string)
        .chain(behind)
        .collect()
}

/// Tells whether a line loads what a variable names: `require(name)`, `import(name)`.
fn is_computed(line: &str) -> bool {
    LOADS.iter().any(|load| {
        let call = format!("{load}(");
        line.split(&call).skip(1).any(|rest| {
            let is_path = ["path.", "join(", "__", "os."]
                .iter()
                .any(|start| rest.starts_with(start));
            rest.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_path
        })
    })
}

/// Returns the texts in quotes of a line.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (mark, after) = rest.split_at(at).1.split_at(1);
        let Some((inside, behind)) = after.split_once(mark) else {
            break;
        };
        found.push(inside);
        rest = behind;
    }
    found
}
