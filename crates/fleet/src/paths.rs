//! Which names files of a policy may have. The rules are stricter than any file system's: what is one file here must be one
//! file everywhere, and no name leads out of the folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::PolicyError;

/// What a policy may hold on top: the hooks, their packages, the settings.
const ON_TOP: [&str; 3] = ["hooks", ".agent-packages", "config.toml"];
const LONGEST: usize = 200;
const DEEPEST: usize = 16;
/// Names that are devices on Windows, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Refuses a name that is none of a policy's.
pub(crate) fn check(path: &str) -> Result<(), PolicyError> {
    let refused = |why: &str| PolicyError::Hostile(format!("`{}` {why}", path.escape_debug()));
    if path.len() > LONGEST || path.split('/').count() > DEEPEST {
        return Err(refused("is too long a name"));
    }
    if !path.chars().all(|c| c.is_ascii_graphic() || c == ' ') || path.contains(['\\', ':']) {
        return Err(refused("has signs that are not the same on every system"));
    }
    for part in path.split('/') {
        let stem = part
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if part.is_empty() || part == "." || part == ".." {
            return Err(refused("leads out of the policy"));
        }
        if part.ends_with(['.', ' '])
            || part.starts_with(' ')
            || DEVICES.contains(&stem.as_str())
            || part.eq_ignore_ascii_case(".git")
        {
            return Err(refused("is no name on every system"));
        }
    }
    let top = path.split('/').next().unwrap_or_default();
    if !ON_TOP.contains(&top) {
        return Err(refused("is nothing that a policy holds"));
    }
    Ok(())
}

/// Refuses a list in which two names are one file, or one name is a file and a folder, on any system.
pub(crate) fn check_all<'p>(paths: impl Iterator<Item = &'p str>) -> Result<(), PolicyError> {
    let mut files = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for path in paths {
        check(path)?;
        let folded = path.to_ascii_lowercase();
        let above: Vec<usize> = folded.match_indices('/').map(|(at, _)| at).collect();
        folders.extend(
            above
                .iter()
                .filter_map(|at| folded.get(..*at))
                .map(str::to_owned),
        );
        if let Some(other) = files.insert(folded, path) {
            return Err(PolicyError::Hostile(format!(
                "`{other}` and `{path}` are one file on some systems"
            )));
        }
    }
    match files.iter().find(|(folded, _)| folders.contains(*folded)) {
        Some((_, path)) => Err(PolicyError::Hostile(format!(
            "`{path}` is a file and a folder"
        ))),
        None => Ok(()),
    }
}
