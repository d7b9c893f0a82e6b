//! The folders in which programs are searched, and where they were found.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::files::links::Links;
use crate::processes::{find_program, is_program};

/// The folders in which programs are looked for, and the programs that were found there: looked at when the first hook of
/// an event needs to know, and kept for the others.
///
/// ```
/// use std::ffi::OsStr;
/// use std::path::Path;
///
/// use anyhook_engine::search::Search;
///
/// let search = Search::default();
/// let path = OsStr::new("/usr/bin:bin:/bin");
/// let folders = search.ordered(path, []);
/// assert_eq!(folders[..], [Path::new("/usr/bin"), Path::new("/bin")], "what is relative leads into a stranger's folder");
/// let sh = search.program(OsStr::new("sh"), path, Path::new("/"));
/// assert!(sh.is_some_and(|file| file.ends_with("sh")));
/// ```
#[derive(Debug, Default)]
pub struct Search {
    /// The absolute folders of `PATH`, each with what it leads to.
    folders: OnceLock<Vec<(PathBuf, PathBuf)>>,
    /// The same in the order of hooks, by the folders of strangers.
    ordered: Mutex<BTreeMap<Vec<PathBuf>, Arc<[PathBuf]>>>,
    /// By `PATH` and name: a hook may have a `PATH` of its own.
    found: Mutex<BTreeMap<(OsString, OsString), PathBuf>>,
}

impl Search {
    /// Returns the absolute folders of the caller's `PATH`, those last that lead into one of these folders of strangers. The
    /// `PATH` of the first call counts: the caller has one.
    ///
    /// ```
    /// use std::ffi::OsStr;
    /// use std::path::Path;
    ///
    /// use anyhook_engine::search::Search;
    ///
    /// let path = OsStr::new("/srv/project/bin:/usr/bin");
    /// let ordered = Search::default().ordered(path, [Path::new("/srv/project")]);
    /// assert_eq!(ordered[..], [Path::new("/usr/bin"), Path::new("/srv/project/bin")]);
    /// ```
    pub fn ordered<'p>(
        &self,
        path: &OsStr,
        strange: impl IntoIterator<Item = &'p Path>,
    ) -> Arc<[PathBuf]> {
        let strange: Vec<PathBuf> = strange.into_iter().map(Path::to_path_buf).collect();
        // Nothing under this lock can panic halfway through a change.
        let mut known = self.ordered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ordered) = known.get(&strange) {
            return Arc::clone(ordered);
        }
        let leads_in = |(entry, real): &&(PathBuf, PathBuf)| {
            let mut strange = strange.iter();
            strange.any(|folder| entry.starts_with(folder) || real.starts_with(folder))
        };
        let folders = self.folders.get_or_init(|| resolved(path));
        let (inside, outside): (Vec<_>, Vec<_>) = folders.iter().partition(leads_in);
        let ordered = outside.into_iter().chain(inside);
        let ordered: Arc<[PathBuf]> = ordered.map(|(entry, _)| entry.clone()).collect();
        known.insert(strange, Arc::clone(&ordered));
        ordered
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
    fn what_leads_into_a_folder_of_strangers_comes_last_for_each_of_them() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        let [project, package, ours] = ["project", "package", "ours"].map(|name| real.join(name));
        for folder in [&project, &package, &ours] {
            fs::create_dir(folder).unwrap();
        }
        let link = ours.join("link");
        std::os::unix::fs::symlink(&project, &link).unwrap();
        let path = std::env::join_paths([&link, &package, Path::new("bin"), &ours]).unwrap();
        let search = Search::default();
        let ordered = |strange: &[&PathBuf]| {
            let strange = strange.iter().map(|folder| folder.as_path());
            let ordered = search.ordered(&path, strange);
            let name = |folder: &PathBuf| folder.file_name().unwrap().to_owned();
            ordered.iter().map(name).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert_eq!(ordered(&[]), ["link", "package", "ours"]);
            assert_eq!(ordered(&[&project]), ["package", "ours", "link"]);
            assert_eq!(ordered(&[&project, &package]), ["ours", "link", "package"]);
        }
    }

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
