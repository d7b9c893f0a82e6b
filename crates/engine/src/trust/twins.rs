//! Other places of a trusted package: worktrees of its repository, and clones with the same files.

use std::path::{Path, PathBuf};

use super::place::ManifestLocation;
use super::{Trust, TrustPin, compare, package_root};
use crate::files::{self, links};
use crate::undo::{folders_of, top_of};

/// As many packages with the same manifest are compared.
const MOST: usize = 16;

impl Trust {
    /// Finds the package of which a manifest that was never trusted is a worktree or a clone, and keeps a pin for it.
    pub(super) fn twin(&self, manifest: &Path) -> Option<TrustPin> {
        if self.is_empty() {
            return None;
        }
        let absolute = std::path::absolute(manifest).ok()?;
        self.worktree(&absolute)
            .or_else(|| self.clone_of(&absolute))
    }

    /// A worktree is guarded as its repository is, whatever its branch holds.
    fn worktree(&self, manifest: &Path) -> Option<TrustPin> {
        let root = package_root(manifest);
        let (folder, main) = main_of(&root)?;
        let first = main.join(manifest.strip_prefix(&folder).ok()?);
        let pin = self.pin_at(&first).ok()??;
        self.adopt(&pin, &links::real(manifest), &links::real(&root))
    }

    /// A clone is the same package while every file is the same.
    fn clone_of(&self, manifest: &Path) -> Option<TrustPin> {
        let place = ManifestLocation::of(manifest).ok()?;
        let bytes = place.read().ok()?;
        let (name, own) = (place.name(), files::digest(&bytes));
        let is_it = |pin: &TrustPin| {
            let entry = pin.files.get(&name);
            pin.given == name && entry.is_some_and(|entry| entry.sha256 == own)
        };
        let pins = self.all().ok()?.into_iter();
        let pins = pins.filter(is_it).take(MOST);
        let mut same = pins.filter(|pin| compare(pin, &place, &bytes).is_empty());
        self.adopt(&same.next()?, &place.manifest, &place.tree.root)
    }

    /// Returns the manifests of the repository that a folder is a worktree of, as they would stand in the folder.
    ///
    /// `named` finds the manifests below a folder that may have been trusted.
    pub(crate) fn of_worktree(
        &self,
        folder: &Path,
        named: impl Fn(&Path) -> Vec<PathBuf>,
    ) -> Vec<PathBuf> {
        let Some((here, main)) = main_of(folder) else {
            return Vec::new();
        };
        let Ok(below) = folder.strip_prefix(&here) else {
            return Vec::new();
        };
        let is_pinned = |file: &PathBuf| matches!(self.pin_at(file), Ok(Some(_)));
        let first = main.join(below);
        let pinned = named(&first).into_iter().filter(is_pinned);
        pinned
            .filter_map(|file| Some(folder.join(file.strip_prefix(&first).ok()?)))
            .collect()
    }
}

/// Returns where a project stands in the worktree of its repository that holds a folder, if one does.
pub(crate) fn worktree(project: &Path, folder: &Path) -> Option<PathBuf> {
    let (root, main) = main_of(folder)?;
    let (own, of) = main_of(project).or_else(|| {
        let mut above = project.ancestors();
        let root = above.find(|at| at.join(".git").is_dir())?;
        Some((root.to_owned(), links::real(root)))
    })?;
    let below = project.strip_prefix(own).ok()?;
    (of == main).then(|| root.join(below))
}

/// Returns the root of the worktree that holds a folder, and that of its repository, which must know the worktree.
fn main_of(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let root = top_of(folder)?;
    // Every file can name a repository; only the repository says that it is its worktree.
    let (own, common) = folders_of(&links::real(&root)).ok()?;
    let list = own.parent().filter(|list| list.ends_with("worktrees"))?;
    let is_of_it = list.parent() == Some(&common) && common.ends_with(".git");
    let main = common.parent().filter(|_| is_of_it)?;
    Some((root, main.to_owned()))
}
