//! The folder of a package, with all that was looked at in it: while none of that changes, another look finds the same.
//!
//! The kernel keeps the time of the last change of a file or a folder, and sets it for each name that is made or removed in a
//! folder and for each change of rights. So these times say whether something could be found that was not there.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::files::links::LinkResolver;
use crate::files::{self, Durability};

/// What changed less than so many seconds ago may change again without another time.
const FRESH: u64 = 2;
/// More than so many looks are not kept: each costs one at each event.
const MOST: usize = 500;

/// A folder that is looked at.
pub(super) struct PackageTree {
    pub(super) root: PathBuf,
    /// The trusted copy and its files, if what their texts name is followed, and not what the live ones do.
    pub(super) copy: Option<(PathBuf, BTreeSet<PathBuf>)>,
    links: RefCell<LinkResolver>,
    touched: RefCell<BTreeSet<PathBuf>>,
}

/// What a look depended on, by paths below the root.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TreeStamps {
    /// The version of the program that looked.
    version: String,
    stamps: BTreeMap<PathBuf, FileStamp>,
}

/// Which file stands at a path, and when it changed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileStamp {
    device: u64,
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl PackageTree {
    pub(super) fn new(root: PathBuf) -> Self {
        Self {
            root,
            copy: None,
            links: RefCell::default(),
            touched: RefCell::default(),
        }
    }

    /// Tells whether a trusted copy has this file.
    pub(super) fn is_copied(&self, path: &Path) -> bool {
        let copy = self.copy.as_ref();
        copy.is_some_and(|(_, files)| files.contains(path))
    }

    /// Reads a text of the package, if it is no longer than this.
    pub(super) fn text(&self, path: &Path, longest: u64) -> Option<String> {
        let copied = self.copy.as_ref().filter(|_| self.is_copied(path));
        let real = match copied {
            Some((copy, _)) => copy.join(path).canonicalize().ok()?,
            None => self.inside(path)?,
        };
        let (bytes, _) = files::read_unlinked(&real, longest).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Returns where a path below the root leads. Most are no links, which is told together for all of them.
    pub(super) fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let full = self.root.join(path);
        let is_linked = self.links.borrow_mut().elsewhere(&full).is_some();
        if is_linked {
            full.canonicalize()
        } else {
            Ok(full)
        }
    }

    /// Returns it if it is below the root.
    pub(super) fn inside(&self, path: &Path) -> Option<PathBuf> {
        let root = self.real(Path::new("")).ok()?;
        let real = self.real(path).ok()?;
        real.starts_with(root).then_some(real)
    }

    /// Tells what stands at a path: behind links, or as it is there.
    pub(super) fn meta(&self, path: &Path) -> Option<Metadata> {
        self.touch(path).metadata().ok()
    }

    pub(super) fn own_meta(&self, path: &Path) -> Option<Metadata> {
        self.touch(path).symlink_metadata().ok()
    }

    /// Tells whether a file, or a folder, stands at a path, maybe behind links.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        self.meta(path).is_some_and(|meta| meta.is_file())
    }

    pub(super) fn is_folder(&self, path: &Path) -> bool {
        self.meta(path).is_some_and(|meta| meta.is_dir())
    }

    /// Lists a folder.
    pub(super) fn entries(
        &self,
        folder: &Path,
    ) -> io::Result<impl Iterator<Item = io::Result<DirEntry>>> {
        self.touch(folder).read_dir()
    }

    /// Remembers that something depends on what stands at a path, and returns it below the root.
    pub(super) fn touch(&self, path: &Path) -> PathBuf {
        let is_new = !self.touched.borrow().contains(path);
        if is_new {
            self.touched.borrow_mut().insert(path.to_owned());
        }
        self.root.join(path)
    }

    /// Returns what was looked at; nothing where that may change unseen: behind a link, or right `now`.
    pub(super) fn stamps(&self, now: SystemTime) -> Option<TreeStamps> {
        let now = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
        let mut stamps = BTreeMap::new();
        for path in &*self.touched.borrow() {
            // Of what is not there the folder tells in which it would be made.
            let mut there = path.ancestors();
            let at = there.find(|at| self.root.join(at).symlink_metadata().is_ok())?;
            let full = self.root.join(at);
            let stamp =
                FileStamp::of(&full).filter(|_| self.real(at).is_ok_and(|real| real == full))?;
            if stamp.seconds.saturating_add_unsigned(FRESH) > now.cast_signed()
                || stamps.len() > MOST
            {
                return None;
            }
            stamps.insert(at.to_str()?.into(), stamp);
        }
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Some(TreeStamps { version, stamps })
    }
}

impl TreeStamps {
    pub(super) fn read(file: &Path) -> Option<Self> {
        files::read_json(file).ok()
    }

    /// Keeps them for the next look; where that fails, it looks for itself.
    pub(super) fn keep(&self, file: &Path) {
        if let Ok(text) = serde_json::to_vec(self) {
            let _ = files::replace(file, &text, Durability::No);
        }
    }

    /// Tells whether another look below this root would find what the one before found.
    pub(super) fn hold(&self, root: &Path) -> bool {
        let mut stamps = self.stamps.iter();
        self.version == env!("CARGO_PKG_VERSION")
            && stamps.all(|(path, stamp)| FileStamp::of(&root.join(path)).as_ref() == Some(stamp))
    }
}

impl FileStamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = fs::symlink_metadata(path).ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            seconds: meta.ctime(),
            nanoseconds: meta.ctime_nsec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::time::Duration;

    use super::*;

    /// Waits until the kernel gives a file another time than all that is there.
    fn later(place: &Path) {
        let time = |path: &Path| {
            let meta = path.metadata().unwrap();
            (meta.ctime(), meta.ctime_nsec())
        };
        let probe = place.join("probe");
        let all =
            ["p", "p/a", "p/a/b", "p/a/data", "p/a/pinned"].map(|path| time(&place.join(path)));
        while all.iter().any(|then| time(&probe) <= *then) {
            fs::write(&probe, "").unwrap();
        }
    }

    #[test]
    fn a_look_is_kept_until_something_could_be_found_that_was_not_there() {
        type Change = fn(&Path) -> io::Result<()>;
        let changes: [(&str, bool, Change); 9] = [
            ("nothing", true, |_| Ok(())),
            ("a file elsewhere", true, |root| {
                fs::write(root.join("a/b/c"), "")
            }),
            ("an edit of what is pinned", false, |root| {
                fs::write(root.join("a/pinned"), "x")
            }),
            ("a file with the name", false, |root| {
                fs::write(root.join("later.sh"), "")
            }),
            ("a folder on the way", false, |root| {
                fs::create_dir(root.join("a/gone"))
            }),
            ("a file in a listed folder", false, |root| {
                fs::write(root.join("a/new.sh"), "")
            }),
            ("a right", false, |root| {
                fs::set_permissions(root.join("a/data"), Permissions::from_mode(0o755))
            }),
            ("another folder in its place", false, |root| {
                fs::rename(root.join("a"), root.join("old"))?;
                fs::create_dir(root.join("a"))
            }),
            ("a link in its place", false, |root| {
                fs::rename(root.join("a"), root.join("old"))?;
                symlink("old", root.join("a"))
            }),
        ];
        for (what, holds, change) in changes {
            let place = tempfile::tempdir().unwrap();
            let place = place.path().canonicalize().unwrap();
            let root = place.join("p");
            fs::create_dir_all(root.join("a/b")).unwrap();
            for file in ["probe", "p/a/data", "p/a/pinned"] {
                fs::write(place.join(file), "").unwrap();
            }
            let tree = PackageTree::new(root.clone());
            tree.entries(Path::new("a")).unwrap().for_each(drop);
            for path in ["later.sh", "a/gone/x.sh", "a/data", "a/pinned"] {
                tree.meta(Path::new(path));
            }
            let now = SystemTime::now();
            assert_eq!(tree.stamps(now), None, "it may change in this moment");
            let stamps = tree.stamps(now + Duration::from_secs(9)).unwrap();
            later(&place);
            change(&root).unwrap();
            assert_eq!(stamps.hold(&root), holds, "{what}");
        }
    }

    #[test]
    fn what_is_behind_a_link_is_looked_at_each_time() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        fs::create_dir(root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        let tree = PackageTree::new(root);
        tree.entries(Path::new("b")).unwrap().for_each(drop);
        let later = SystemTime::now() + Duration::from_secs(9);
        assert_eq!(tree.stamps(later), None);
    }
}
