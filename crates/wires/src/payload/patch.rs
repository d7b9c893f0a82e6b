//! The files that a patch touches.
//!
//! Every line that some reader of patches could take for the head of a file counts, well-formed or not: a file too many
//! is asked about once more, one too few would pass a guard.

use serde_json::{Value, json};

/// What the head of a file begins with, what happens to the file, and the prefix that its path may have.
type PatchHeader = (&'static str, &'static str, &'static str);

const HEADS: &[PatchHeader] = &[
    ("*** Add File:", "add", ""),
    ("*** Update File:", "update", ""),
    ("*** Delete File:", "delete", ""),
    ("*** Move to:", "move", ""),
    ("--- ", "update", "a/"),
    ("+++ ", "update", "b/"),
    ("rename from ", "move", ""),
    ("rename to ", "move", ""),
    ("copy to ", "add", ""),
];

/// Returns the files as `[{"path": ..., "change": "add" | "update" | "delete" | "move"}]`, each path once, in order. A
/// file that is moved stands there under both names.
pub(super) fn files(text: &str) -> Value {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        let Some((name, change)) = HEADS.iter().find_map(|head| heading(line, head)) else {
            continue;
        };
        // What is moved goes from its old name.
        if let ("move", Some((_, known))) = (change, found.last_mut()) {
            *known = change;
        }
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if change == "delete" => *known = change,
            Some(_) => {}
            None => found.push((name, change)),
        }
    }
    let files = found
        .into_iter()
        .map(|(path, change)| json!({"path": path, "change": change}));
    Value::Array(files.collect())
}

/// What a patch does to one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The file.
    pub(super) path: String,
    /// Whether it is new.
    pub(super) is_new: bool,
    /// Lines that were there and stay or go.
    pub(super) before: String,
    /// Lines that are there afterwards.
    pub(super) after: String,
}

/// Takes a patch apart by its files, each path once, in order. A file that is moved has its lines under both names.
pub(super) fn sections(text: &str) -> Vec<FilePatch> {
    let mut sections: Vec<FilePatch> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for line in text.lines() {
        if let Some((path, change, goes_on)) = HEADS.iter().find_map(|head| {
            let (path, change) = heading(line, head)?;
            Some((path, change, change == "move" || head.0 == "+++ "))
        }) {
            if !goes_on {
                open.clear();
            }
            let known = sections.iter().position(|section| section.path == path);
            let at = known.unwrap_or_else(|| {
                sections.push(FilePatch {
                    path: path.to_owned(),
                    is_new: change == "add",
                    ..FilePatch::default()
                });
                sections.len() - 1
            });
            if !open.contains(&at) {
                open.push(at);
            }
            continue;
        }
        for at in &open {
            if let Some(section) = sections.get_mut(*at) {
                section.push(line);
            }
        }
    }
    sections
}

impl FilePatch {
    fn push(&mut self, line: &str) {
        let mut chars = line.chars();
        let (before, after) = match chars.next() {
            Some('+') => (false, true),
            Some('-') => (true, false),
            Some(' ') => (true, true),
            _ => return,
        };
        for (is_in, text) in [(before, &mut self.before), (after, &mut self.after)] {
            if is_in {
                text.push_str(chars.as_str());
                text.push('\n');
            }
        }
    }
}

fn heading<'l>(line: &'l str, head: &PatchHeader) -> Option<(&'l str, &'static str)> {
    let (mark, change, prefix) = *head;
    // A diff's heads stand at the very beginning of a line; in a patch of the other form some readers trim.
    let is_diff = !mark.starts_with("***");
    let line = if is_diff { line } else { line.trim_start() };
    let path = line.strip_prefix(mark)?.trim();
    // What follows a tab in a diff is a time.
    let path = if is_diff {
        path.split('\t').next()?.trim_matches('"')
    } else {
        path
    };
    let path = path.strip_prefix(prefix).unwrap_or(path);
    let is_file = !path.is_empty() && path != "/dev/null" && !path.starts_with("***");
    is_file.then_some((path, change))
}
