//! What stands below a folder: the one function that looks at a tree to answer a rule.

use std::fs::{self, FileType};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::links::real;

/// The most entries that are looked at. Where there are more, a guard takes what it looks for to be among them.
pub(crate) const MOST: usize = 2_000;

/// The same below the project. An ordinary repository has more than 2,000 files, and to search or to format it is no
/// reading of a secret: the answer "may" would refuse each `grep -r` in it.
pub(crate) const MOST_OF_PROJECT: usize = 20_000;

/// Folders that a kernel makes up: a tree that has one of them in it has no end.
const MADE_UP: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Folders in which is not looked: what others wrote, and git.
const OTHERS: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// A folder, and how far is looked below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ScanScope {
    /// The folder.
    pub(crate) from: PathBuf,
    /// How many layers are looked at; nothing for all of them.
    pub(crate) depth: Option<usize>,
    /// The most entries that are looked at.
    pub(crate) most: usize,
    /// What is passed over.
    pub(crate) leaving: ScanExclusion,
}

/// What a look passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ScanExclusion {
    /// Nothing.
    Nothing,
    /// What is in the folders of others.
    Others,
    /// That, and everything hidden.
    OthersAndHidden,
}

/// What was found below a folder.
#[derive(Debug, Default)]
pub(crate) struct ScannedTree {
    /// The files and folders, those nearest to the folder first.
    pub(crate) entries: Vec<TreeEntry>,
    /// Whether there are more than were looked at.
    pub(crate) more: bool,
    /// Whether some of it could not be read.
    pub(crate) unread: bool,
}

/// A file or a folder of a tree.
#[derive(Debug)]
pub(crate) struct TreeEntry {
    /// Its path, which begins with the folder that was looked below.
    pub(crate) path: PathBuf,
    /// What it is, if that can be told.
    pub(crate) kind: Option<FileType>,
}

impl TreeEntry {
    /// Tells whether it is a symbolic link.
    pub(crate) fn is_link(&self) -> bool {
        self.kind.is_some_and(|kind| kind.is_symlink())
    }
}

impl ScanScope {
    /// Everything below a folder.
    pub(crate) fn whole(folder: &Path) -> Self {
        Self {
            from: folder.to_owned(),
            depth: None,
            most: MOST,
            leaving: ScanExclusion::Nothing,
        }
    }

    /// Looks. No link is followed below the folder.
    pub(crate) fn look(&self) -> ScannedTree {
        let mut tree = ScannedTree {
            // A pattern of a shell names each layer; only a whole tree leads into what has no end.
            more: self.depth.is_none() && holds_made_up(&real(&self.from)),
            ..ScannedTree::default()
        };
        let mut layer = vec![self.from.clone()];
        let mut depth = 0;
        while !tree.more && !layer.is_empty() && self.depth.is_none_or(|most| depth < most) {
            let folders = std::mem::take(&mut layer);
            for folder in folders {
                self.add(&folder, &mut tree, &mut layer);
                if tree.more {
                    break;
                }
            }
            depth += 1;
        }
        tree
    }

    fn add(&self, folder: &Path, tree: &mut ScannedTree, next: &mut Vec<PathBuf>) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let is_none =
                    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
                tree.unread |= !is_none;
                return;
            }
        };
        for entry in entries {
            let Ok(entry) = entry else {
                tree.unread = true;
                continue;
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if self.leaving == ScanExclusion::OthersAndHidden && name.starts_with('.') {
                continue;
            }
            if tree.entries.len() >= self.most {
                tree.more = true;
                return;
            }
            let (path, kind) = (entry.path(), entry.file_type().ok());
            let leaves = self.leaving != ScanExclusion::Nothing && OTHERS.contains(&&*name);
            if !leaves && kind.is_some_and(|kind| kind.is_dir()) {
                next.push(path.clone());
            }
            tree.entries.push(TreeEntry { path, kind });
        }
    }
}

/// Tells whether a folder holds what others wrote, such as packages, is no link to another folder, and is not named by a pattern.
pub(crate) fn is_of_others(folder: &Path, pattern: &str) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| {
        name != ".git" && OTHERS.contains(&name) && !pattern.contains(name) && !folder.is_symlink()
    })
}

/// Tells whether a file stands in a folder of others, in which is not looked.
pub(crate) fn is_below_others(path: &Path) -> bool {
    let mut names = path.iter().filter_map(|name| name.to_str());
    names.any(|name| OTHERS.contains(&name))
}

/// Tells whether a folder that a kernel makes up is in this one, or this one in it.
fn holds_made_up(folder: &Path) -> bool {
    let mut all = MADE_UP.iter().map(Path::new);
    all.any(|made_up| made_up.starts_with(folder) || folder.starts_with(made_up))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_below(from: &Path) -> ScanScope {
        ScanScope {
            leaving: ScanExclusion::Others,
            ..ScanScope::whole(from)
        }
    }

    #[test]
    fn no_more_entries_are_looked_at_than_the_bound_says() {
        let place = tempfile::tempdir().unwrap();
        for name in 0..MOST {
            fs::write(place.path().join(name.to_string()), "").unwrap();
        }
        let tree = all_below(place.path()).look();
        assert_eq!((tree.entries.len(), tree.more), (MOST, false));
        fs::create_dir(place.path().join("one-more")).unwrap();
        fs::write(place.path().join("one-more/below"), "").unwrap();
        let tree = all_below(place.path()).look();
        assert_eq!((tree.entries.len(), tree.more), (MOST, true));
    }

    #[test]
    fn what_a_kernel_makes_up_is_never_gone_into() {
        for from in ["/proc", "/sys/class", "/dev", "/"] {
            let tree = all_below(Path::new(from)).look();
            assert!(tree.more && tree.entries.is_empty(), "{from}");
        }
        let place = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/proc", place.path().join("link")).unwrap();
        let tree = all_below(&place.path().join("link")).look();
        assert!(tree.more && tree.entries.is_empty(), "behind a link");
    }
}
