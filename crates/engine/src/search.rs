//! Where programs are looked for, and where they were found.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::guarded::links::Links;
use crate::processes::{find_program, is_program};

/// The folders in which programs are looked for, and the programs that were found there: looked at when the first hook of
/// an event needs to know, and kept for the others.
///
/// ```
/// use std::ffi::OsStr;
/// use std::path::Path;
///
/// use anyhook::search::Search;
///
/// let search = Search::default();
/// let path = OsStr::new("/usr/bin:bin:/bin");
/// let entries = search.folders(path).iter().map(|(entry, _)| entry.as_path());
/// assert!(entries.eq([Path::new("/usr/bin"), Path::new("/bin")]), "what is relative leads into a stranger's folder");
/// let sh = search.program(OsStr::new("sh"), path, Path::new("/"));
/// assert!(sh.is_some_and(|file| file.ends_with("sh")));
/// ```
#[derive(Debug, Default)]
pub struct Search {
    folders: OnceLock<Vec<(PathBuf, PathBuf)>>,
    /// By `PATH` and name: a hook may have a `PATH` of its own.
    found: Mutex<BTreeMap<(OsString, OsString), PathBuf>>,
}

impl Search {
    /// Returns the absolute folders of the caller's `PATH`, each with what it leads to. The first call counts: the caller
    /// has one `PATH`.
    pub fn folders(&self, path: &OsStr) -> &[(PathBuf, PathBuf)] {
        self.folders.get_or_init(|| resolved(path))
    }

    /// Finds a program as [`find_program`] does. One that was found before is not looked for again while it is there.
    pub fn program(&self, name: &OsStr, path: &OsStr, cwd: &Path) -> Option<PathBuf> {
        if name.as_bytes().contains(&b'/') {
            return find_program(name, path, cwd);
        }
        let key = (path.to_owned(), name.to_owned());
        // Nothing under this lock can panic halfway through a change.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = found.get(&key).filter(|file| is_program(file)) {
            return Some(file.clone());
        }
        let file = find_program(name, path, cwd)?;
        found.insert(key, file.clone());
        Some(file)
    }
}

/// Most folders of a `PATH` share their way.
fn resolved(path: &OsStr) -> Vec<(PathBuf, PathBuf)> {
    let mut links = Links::default();
    std::env::split_paths(path)
        .filter(|entry| entry.is_absolute())
        .map(|entry| {
            let real = links.real(&entry);
            (entry, real)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_program_that_is_gone_is_looked_for_again_and_every_path_has_its_own() {
        let place = tempfile::tempdir().unwrap();
        let put = |folder: &str| {
            let folder = place.path().join(folder);
            let file = folder.join("tidy");
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, "exit 0").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            (folder, file)
        };
        let ((a, in_a), (b, in_b)) = (put("a"), put("b"));
        let search = Search::default();
        let both = std::env::join_paths([&a, &b]).unwrap();
        let found = |path: &OsStr| search.program(OsStr::new("tidy"), path, place.path());
        assert_eq!(found(&both), Some(in_a.clone()));
        assert_eq!(found(b.as_os_str()), Some(in_b.clone()));
        fs::remove_file(&in_a).unwrap();
        assert_eq!(found(&both), Some(in_b));
        assert_eq!(found(a.as_os_str()), None);
        put("a");
        assert_eq!(found(a.as_os_str()), Some(in_a));
    }
}
