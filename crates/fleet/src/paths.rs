//! Which names files of a policy may have. What is one file here must be one file everywhere, and no name leads out of the folder.

use std::collections::BTreeSet;

use crate::error::PolicyError;

/// What a policy may hold on top: the hooks, their packages, the settings.
pub(crate) const ON_TOP: [&str; 3] = ["hooks", ".agent-packages", "config.toml"];
const LONGEST: usize = 200;
const DEEPEST: usize = 16;

/// Refuses a name that is none of a policy's.
pub(crate) fn check(path: &str) -> Result<(), PolicyError> {
    let refused = |why: &str| PolicyError::Hostile(format!("`{}` {why}", path.escape_debug()));
    if path.len() > LONGEST || path.split('/').count() > DEEPEST {
        return Err(refused("is too long a name"));
    }
    if !path.chars().all(|c| c.is_ascii_graphic() || c == ' ') || path.contains(['\\', ':']) {
        return Err(refused("has signs that are not the same on every system"));
    }
    // `.` and `..` among them, and what some systems take for another name.
    let is_odd = |part: &str| part.is_empty() || part.ends_with(['.', ' ']);
    if path.split('/').any(is_odd) {
        return Err(refused(
            "leads out of the policy, or is no name on every system",
        ));
    }
    if path
        .split('/')
        .any(|part| part.eq_ignore_ascii_case(".git"))
    {
        return Err(refused("is a repository, which no policy holds"));
    }
    let top = path.split('/').next().unwrap_or_default();
    if !ON_TOP.contains(&top) {
        return Err(refused("is nothing that a policy holds"));
    }
    Ok(())
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
            return Err(PolicyError::Hostile(why));
        }
    }
    match files.intersection(&folders).next() {
        Some(path) => Err(PolicyError::Hostile(format!(
            "`{path}` is a file and a folder"
        ))),
        None => Ok(()),
    }
}
