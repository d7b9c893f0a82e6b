//! Copies of files that no repository keeps: files that git ignores, files outside, and a repository's own folder.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::repository::Repository;
use super::{SnapshotBudget, SnapshotScope};

/// The most files that are copied from one place.
const MOST: usize = 20_000;

/// A file or folder that was copied.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CopiedPath {
    /// Where it stood.
    #[serde(with = "super::path")]
    pub(super) path: PathBuf,
    /// Where it stands in the snapshot.
    pub(super) at: PathBuf,
    /// Whether all of it was copied.
    #[serde(default)]
    pub(super) whole: bool,
    /// Whether what is there now and was not then is of the action: it is removed by an undo.
    #[serde(default)]
    pub(super) named: bool,
}

/// Copies what the call names and no repository of the snapshot holds.
pub(super) fn take(
    folder: &Path,
    need: &SnapshotScope,
    repositories: &[Repository],
    left: &mut SnapshotBudget,
) -> Vec<CopiedPath> {
    // What is named comes first: it is also what it is where it lies in a folder of others.
    let named = places(folder, &need.files, repositories, left).into_iter();
    let around = places(folder, &need.around, repositories, left).into_iter();
    let all = named
        .map(|path| (path, true))
        .chain(around.map(|path| (path, false)));
    let mut copies: Vec<CopiedPath> = Vec::new();
    for (path, named) in all {
        if copies.iter().any(|one| path.starts_with(&one.path)) || path.symlink_metadata().is_err()
        {
            continue;
        }
        let at = PathBuf::from("files").join(copies.len().to_string());
        let to = folder.join(&at);
        let made = fs::create_dir_all(folder.join("files"));
        let skip = |inner: &Path| repositories.iter().any(|one| path.join(inner) == one.top);
        let whole = made.and_then(|()| copy(&path, &to, &skip, left));
        let whole = whole.unwrap_or_else(|error| {
            left.lose(format!("`{}`: {error}", path.display()));
            false
        });
        copies.push(CopiedPath {
            path,
            at,
            whole,
            named,
        });
    }
    copies
}

/// The places that no repository holds, of files and folders; in a repository, what git ignores of them.
fn places(
    folder: &Path,
    files: &[PathBuf],
    repositories: &[Repository],
    left: &mut SnapshotBudget,
) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut inside: Vec<Vec<&Path>> = vec![Vec::new(); repositories.len()];
    for path in files {
        let mut around = repositories.iter().zip(&mut inside);
        match around.find(|(one, _)| path.starts_with(&one.top)) {
            Some((repository, _)) if path.starts_with(&repository.common) => {}
            Some((_, inside)) => inside.push(path),
            None => paths.push(path.clone()),
        }
    }
    for (repository, inside) in repositories.iter().zip(inside) {
        match repository.ignored_below(folder, &inside, left) {
            Some(ignored) => paths.extend(ignored),
            None => left.lose(format!("ignored files of `{}`", repository.top.display())),
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

/// What stands below a place, each name once, folders before what is in them.
pub(super) fn below(
    root: &Path,
    skip: &dyn Fn(&Path) -> bool,
) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut all = vec![(PathBuf::new(), root.symlink_metadata()?)];
    let mut at = 0;
    while let Some((name, meta)) = all.get(at).cloned() {
        at += 1;
        if !meta.is_dir() {
            continue;
        }
        for entry in fs::read_dir(root.join(&name))? {
            let entry = entry?;
            let name = name.join(entry.file_name());
            if !skip(&name) {
                all.push((name, entry.metadata()?));
            }
        }
        if all.len() > MOST {
            return Err(io::Error::other(format!("it holds more than {MOST} files")));
        }
    }
    Ok(all)
}

/// Copies a file, a link, or a folder with all that is in it, and tells whether all of it could be copied.
pub(super) fn copy(
    from: &Path,
    to: &Path,
    skip: &dyn Fn(&Path) -> bool,
    left: &mut SnapshotBudget,
) -> io::Result<bool> {
    let mut is_whole = true;
    for (name, meta) in below(from, skip)? {
        let (from, to) = (join(from, &name), join(to, &name));
        if !left.take(meta.len()) {
            return Err(io::Error::other(
                "it takes more time or room than a snapshot may",
            ));
        }
        let why = match put(&from, &to, &meta) {
            Ok(true) => continue,
            Ok(false) => "no file, folder or link".to_owned(),
            Err(error) => error.to_string(),
        };
        left.lose(format!("`{}`: {why}", from.display()));
        is_whole = false;
    }
    Ok(is_whole)
}

/// Gives files a second name, so that they stay when the first goes away; what is there already stays.
pub(super) fn link(from: &Path, to: &Path) -> io::Result<()> {
    for (name, meta) in below(from, &|_| false)? {
        let (from, to) = (join(from, &name), join(to, &name));
        let is_there = to.symlink_metadata().is_ok();
        if is_there || meta.is_file() && fs::hard_link(&from, &to).is_ok() {
            continue;
        }
        put(&from, &to, &meta)?;
    }
    Ok(())
}

/// Joins; a path that is joined with nothing has no `/` at its end.
pub(super) fn join(root: &Path, name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() {
        root.to_owned()
    } else {
        root.join(name)
    }
}

/// Makes a copy of one thing, and tells whether it is one that can be copied.
pub(super) fn put(from: &Path, to: &Path, meta: &Metadata) -> io::Result<bool> {
    if meta.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
    } else if meta.is_dir() {
        fs::create_dir_all(to)?;
        let mode = meta.permissions().mode() | 0o700;
        fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    } else if meta.is_file() {
        fs::copy(from, to)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}
