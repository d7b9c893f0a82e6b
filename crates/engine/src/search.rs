//! The folders in which the programs of hooks are searched.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::files::links::LinkResolver;

/// Returns the absolute folders of a `PATH`, those last that lead into one of these folders of strangers.
///
/// ```
/// use std::ffi::OsStr;
/// use std::path::Path;
///
/// use anyhook_engine::search::ordered;
///
/// let path = OsStr::new("/srv/project/bin:/usr/bin:bin");
/// let folders = ordered(path, [Path::new("/srv/project")]);
/// assert_eq!(folders[..], [Path::new("/usr/bin"), Path::new("/srv/project/bin")], "what is relative leads anywhere");
/// ```
pub fn ordered<'p>(path: &OsStr, strange: impl IntoIterator<Item = &'p Path>) -> Vec<PathBuf> {
    let strange: Vec<&Path> = strange.into_iter().collect();
    let mut links = LinkResolver::default();
    let mut leads_in = |entry: &PathBuf| {
        let real = links.real(entry);
        let mut strange = strange.iter();
        strange.any(|folder| entry.starts_with(folder) || real.starts_with(folder))
    };
    let folders = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    let (inside, outside): (Vec<_>, Vec<_>) = folders.partition(|entry| leads_in(entry));
    outside.into_iter().chain(inside).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_leads_into_a_folder_of_strangers_comes_last() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        let [project, package, ours] = ["project", "package", "ours"].map(|name| real.join(name));
        for folder in [&project, &package, &ours] {
            fs::create_dir(folder).unwrap();
        }
        let link = ours.join("link");
        std::os::unix::fs::symlink(&project, &link).unwrap();
        let path = std::env::join_paths([&link, &package, Path::new("bin"), &ours]).unwrap();
        let ordered = |strange: &[&PathBuf]| {
            let ordered = ordered(&path, strange.iter().map(|folder| folder.as_path()));
            let name = |folder: &PathBuf| folder.file_name().unwrap().to_owned();
            ordered.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(ordered(&[]), ["link", "package", "ours"]);
        assert_eq!(ordered(&[&project]), ["package", "ours", "link"]);
        assert_eq!(ordered(&[&project, &package]), ["ours", "link", "package"]);
    }
}
