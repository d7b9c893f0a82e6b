//! Which names files of a policy may have. What is one file here must be one file everywhere, and no name leads out of the folder.

use std::collections::BTreeSet;

use crate::error::{PolicyError, Trouble};

/// What a policy may hold on top: the hooks, their packages, the settings.
pub(crate) const ON_TOP: [&str; 3] = ["hooks", ".agent-packages", "config.toml"];
const LONGEST: usize = 200;
const DEEPEST: usize = 16;

/// Refuses a name that is none of a policy's.
pub(crate) fn check(path: &str) -> Result<(), PolicyError> {
    let parts: Vec<&str> = path.split('/').collect();
    let is_strange = |c: char| !c.is_ascii_graphic() && c != ' ' || c == '\\' || c == ':';
    // `.` and `..` among them, and what some systems take for another name.
    let is_odd = |part: &&str| part.is_empty() || part.ends_with(['.', ' ']);
    let is_git = |part: &&str| part.eq_ignore_ascii_case(".git");
    let why = if path.len() > LONGEST || parts.len() > DEEPEST {
        "is too long a name"
    } else if path.contains(is_strange) {
        "has signs that are not the same on every system"
    } else if parts.iter().any(is_odd) {
        "leads out of the policy, or is no name on every system"
    } else if parts.iter().any(is_git) {
        "is a repository, which no policy holds"
    } else if parts.iter().take(1).all(|top| ON_TOP.contains(top)) {
        return Ok(());
    } else {
        "is nothing that a policy holds"
    };
    let path = path.escape_debug();
    Err(Trouble::Hostile.error(format!("`{path}` {why}")))
}

/// Refuses a list in which two names are one file on any system, or one is a file and a folder.
pub(crate) fn check_all<'p>(paths: impl Iterator<Item = &'p str>) -> Result<(), PolicyError> {
    let (mut files, mut folders) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        check(path)?;
        let folded = path.to_ascii_lowercase();
        let above = folded
            .match_indices('/')
            .filter_map(|(at, _)| folded.get(..at));
        folders.extend(above.map(str::to_owned));
        if !files.insert(folded) {
            let why = format!("`{path}` is there twice, on some systems");
            return Err(Trouble::Hostile.error(why));
        }
    }
    match files.intersection(&folders).next() {
        Some(path) => Err(Trouble::Hostile.error(format!("`{path}` is a file and a folder"))),
        None => Ok(()),
    }
}
