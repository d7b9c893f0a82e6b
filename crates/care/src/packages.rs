//! Packages that a person added: copied into a folder of packages, with a lock file that says where they came from.
//!
//! ```text
//! folder, repository, program ──> PackageContents ──> .agent-packages/NAME    runs once a person trusts it
//!                                   └────> .agent-packages/anyhook.lock
//! ```
//!
//! Nothing of a package runs while it is added, and trust is asked for as for every package. What is on the disk is compared
//! with the lock file, so that a change by hand is never lost in silence.
//!
//! ```
//! use anyhook_care::packages::{FileChange, LockedPackage, Packages, PackageContents};
//!
//! let place = tempfile::tempdir()?;
//! let packages = Packages::at(place.path().join(".agent-packages"));
//! let guard = |reason: &str| PackageContents::of(&[("hooks.json", &format!(r#"{{"version": 1, "hooks": {{"pre-tool-use": [
//!     {{"hooks": [{{"type": "rule", "name": "frozen", "when": "true", "then": {{"deny": "{reason}"}}}}]}}
//! ]}}}}"#))]);
//! let first = LockedPackage { source: "anyhook:frozen".into(), revision: Some("1".into()), ..LockedPackage::default() };
//! let added = packages.add("frozen", guard("no"), first.clone())?;
//! assert!(added.manifests[0].ends_with("frozen/hooks/hooks.json"));
//!
//! let later = LockedPackage { revision: Some("2".into()), ..first };
//! let update = packages.update("frozen", guard("not today"), later)?;
//! assert_eq!(update.files[0].1, FileChange::Changed { added: 1, removed: 1 });
//! assert_eq!(update.hooks[0].name, "frozen");
//! packages.remove("frozen")?;
//! assert!(!place.path().join(".agent-packages").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod hooks;
mod lock;
mod signed;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhook_engine::load;
use anyhook_engine::text::word;
use anyhook_engine::world::{UserFolders, World};
use serde::Serialize;

pub use hooks::{HookChange, hook_changes};
pub use lock::{LOCK_FILE, LockedPackage, PackageLock};
pub use tree::{FileChange, PackageContents};

/// The folders of packages of a project and of a home.
const FOLDERS: (&str, &str) = (".agent-packages", ".aam/packages");
/// The longest name of a package.
const LONGEST_NAME: usize = 64;

/// Why a package cannot be had.
///
/// ```
/// use anyhook_care::packages::PackageError;
/// let error = PackageError::new("`x` is there already").help("anyhook add --update x");
/// assert_eq!(error.to_string(), "`x` is there already");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct PackageError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl PackageError {
    /// Makes one.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            help: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A package that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddedPackage {
    /// Its name.
    pub name: String,
    /// Its manifests, which a person has to trust.
    pub manifests: Vec<PathBuf>,
    /// The number of its files.
    pub files: usize,
}

/// What an update changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UpdateChanges {
    /// The files, by name.
    pub files: Vec<(String, FileChange)>,
    /// The hooks, by name.
    pub hooks: Vec<HookChange>,
    /// The manifests, which a person has to trust again.
    #[serde(rename = "to_trust")]
    pub manifests: Vec<PathBuf>,
}

/// How a package stands to the lock file.
///
/// ```
/// use anyhook_care::packages::Packages;
/// assert!(Packages::at("/nowhere".into()).all()?.is_empty());
/// # Ok::<(), anyhook_care::packages::PackageError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageState {
    /// Its files are those of the lock file.
    Intact,
    /// Its files were changed since.
    Differs,
    /// It cannot be read, for this reason.
    Unread(String),
}

/// A folder of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// Takes a folder, which need not be there.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the packages of the project: those of the nearest folder that has some, else of the root of the repository.
    pub fn of_project(world: &World) -> Self {
        let walk = load::upwards(&world.cwd);
        let is_repository = walk.last().is_some_and(|root| root.join(".git").exists());
        let has = walk.iter().find(|folder| folder.join(FOLDERS.0).exists());
        let root = walk.last().filter(|_| is_repository);
        let folder = has.or(root).map_or(&*world.cwd, |folder| folder);
        Self::at(folder.join(FOLDERS.0))
    }

    /// Returns the packages of the person.
    pub fn of_user(places: &UserFolders) -> Self {
        Self::at(places.home.join(FOLDERS.1))
    }

    /// Returns the packages that a manifest belongs to, and the name of its own, where a lock file tells of it.
    pub fn of_manifest(manifest: &Path) -> Option<(Self, String)> {
        let is_one = |folder: &&Path| folder.ends_with(FOLDERS.0) || folder.ends_with(FOLDERS.1);
        let folder = manifest.ancestors().skip(2).find(is_one)?;
        let packages = Self::at(folder.to_owned());
        let name = manifest
            .strip_prefix(folder)
            .ok()?
            .iter()
            .next()?
            .to_str()?;
        // Where the lock file cannot be read, it may be one of them.
        let is_one = !matches!(packages.locked(name), Ok(None));
        is_one.then(|| (packages, name.to_owned()))
    }

    /// Returns the packages of the lock file whose folders are gone.
    pub fn gone(&self) -> Vec<String> {
        let names = self.all().map(BTreeMap::into_keys);
        let is_gone = |name: &String| !self.folder.join(name).exists();
        names.into_iter().flatten().filter(is_gone).collect()
    }

    /// Tells how a package stands to the lock file; nothing of one that the file does not name.
    pub fn state(&self, name: &str) -> Result<Option<PackageState>, PackageError> {
        let locked = self.locked(name)?;
        Ok(locked.map(
            |locked| match PackageContents::read(&self.folder.join(name)) {
                Ok(tree) if tree.digest() == locked.digest => PackageState::Intact,
                Ok(_) => PackageState::Differs,
                Err(error) => PackageState::Unread(error.what),
            },
        ))
    }

    /// Says what is wrong with the package of a manifest, where its files are not those that were added.
    pub fn altered(manifest: &Path) -> Option<PackageError> {
        let (packages, name) = Self::of_manifest(manifest)?;
        let why = match packages.state(&name) {
            Ok(None | Some(PackageState::Intact)) => return None,
            Ok(Some(PackageState::Differs)) => format!("its files are not those of `{LOCK_FILE}`"),
            Ok(Some(PackageState::Unread(why))) => why,
            Err(error) => {
                let what =
                    format!("whether the package `{name}` is what was added is unknown: {error}");
                let lock = word(&packages.folder.join(LOCK_FILE).to_string_lossy());
                let help = format!(
                    "git checkout -- {lock}   # or remove the folder, and add the package again"
                );
                return Some(PackageError::new(what).help(help));
            }
        };
        let help = format!(
            "anyhook add --update {name} --force   # replaces them: look at the difference first"
        );
        Some(PackageError::new(format!("the package `{name}`: {why}")).help(help))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns every package of the lock file, by name.
    pub fn all(&self) -> Result<BTreeMap<String, LockedPackage>, PackageError> {
        Ok(PackageLock::open(&self.folder)?.packages)
    }

    /// Returns what the lock file says of a package.
    pub fn locked(&self, name: &str) -> Result<Option<LockedPackage>, PackageError> {
        Ok(self.all()?.remove(name))
    }

    /// Returns the manifests of a package that is there.
    pub fn manifests(&self, name: &str) -> Vec<PathBuf> {
        let tree = PackageContents::read(&self.folder.join(name)).unwrap_or_default();
        self.paths(name, &tree)
    }

    fn paths(&self, name: &str, tree: &PackageContents) -> Vec<PathBuf> {
        let package = self.folder.join(name);
        tree.manifests()
            .iter()
            .map(|name| package.join(name))
            .collect()
    }

    /// Adds a package under a name; the digest of its files is filled in. Nothing of it runs.
    pub fn add(
        &self,
        name: &str,
        mut tree: PackageContents,
        locked: LockedPackage,
    ) -> Result<AddedPackage, PackageError> {
        if let Some(key) = &locked.key {
            signed::verify(&tree, key)?;
        }
        tree.settle();
        let mut lock = PackageLock::open(&self.folder)?;
        if !is_name(name) {
            let what = format!("`{}` cannot be the name of a package", name.escape_debug());
            return Err(PackageError::new(what).help("rename its folder"));
        }
        let place = self.folder.join(name);
        if lock.packages.contains_key(name) || place.symlink_metadata().is_ok() {
            let what = format!(
                "there is a package `{name}` already, at `{}`",
                place.display()
            );
            let help = if lock.packages.contains_key(name) {
                format!("anyhook add --update {name}, or anyhook add --remove {name}")
            } else {
                self.unnamed(name)
            };
            return Err(PackageError::new(what).help(help));
        }
        let staged = self.stage(&tree, name)?;
        usable(&tree, &staged.path().join(name))?;
        rename(&staged.path().join(name), &place)?;
        let digest = tree.digest();
        lock.packages
            .insert(name.to_owned(), LockedPackage { digest, ..locked });
        lock.save(&self.folder)?;
        Ok(AddedPackage {
            name: name.to_owned(),
            manifests: self.paths(name, &tree),
            files: tree.count(),
        })
    }

    /// Tells what an update would change, and changes nothing.
    pub fn compare(
        &self,
        name: &str,
        mut tree: PackageContents,
    ) -> Result<UpdateChanges, PackageError> {
        Ok(self.staged(name, &mut tree)?.0)
    }

    /// Writes a later package beside the one that is there, in a folder that goes away, and says what differs.
    fn staged(
        &self,
        name: &str,
        tree: &mut PackageContents,
    ) -> Result<(UpdateChanges, tempfile::TempDir), PackageError> {
        if let Some(key) = self.locked(name)?.and_then(|locked| locked.key) {
            signed::verify(tree, &key)?;
        }
        tree.settle();
        let staged = self.stage(tree, name)?;
        usable(tree, &staged.path().join(name))?;
        let old = PackageContents::read(&self.folder.join(name)).unwrap_or_default();
        let hooks = hook_changes(
            &self.paths(name, &old),
            &Self::at(staged.path().into()).paths(name, tree),
        );
        let update = UpdateChanges {
            files: old.changes(tree),
            hooks,
            manifests: self.paths(name, tree),
        };
        Ok((update, staged))
    }

    /// Replaces a package by a later one, and says what changed. The key and the digest are filled in.
    pub fn update(
        &self,
        name: &str,
        mut tree: PackageContents,
        locked: LockedPackage,
    ) -> Result<UpdateChanges, PackageError> {
        let (update, staged) = self.staged(name, &mut tree)?;
        let mut lock = PackageLock::open(&self.folder)?;
        let before = lock.packages.get(name);
        let key = before.and_then(|before| before.key.clone());
        if !update.files.is_empty() {
            let place = self.folder.join(name);
            if place.symlink_metadata().is_ok() {
                rename(&place, &staged.path().join("old"))?;
            }
            rename(&staged.path().join(name), &place)?;
        }
        let digest = tree.digest();
        let locked = LockedPackage {
            key,
            digest,
            ..locked
        };
        lock.packages.insert(name.to_owned(), locked);
        lock.save(&self.folder)?;
        Ok(update)
    }

    /// Removes a package and its line of the lock file; a folder of packages that is empty then goes too.
    pub fn remove(&self, name: &str) -> Result<(), PackageError> {
        let mut lock = PackageLock::open(&self.folder)?;
        if lock.packages.remove(name).is_none() {
            return Err(self.unknown(name));
        }
        let place = self.folder.join(name);
        let meta = place.symlink_metadata();
        let removed = match &meta {
            // The thing there is a link, and not what was added: the link goes, and nothing behind it.
            Ok(meta) if !meta.is_dir() => fs::remove_file(&place),
            Ok(_) => fs::remove_dir_all(&place),
            Err(_) => Ok(()),
        };
        removed.map_err(|error| {
            PackageError::new(format!("`{}` cannot be removed: {error}", place.display()))
        })?;
        lock.save(&self.folder)?;
        // It fails where anything is in it, which is then kept.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    /// No package is called so.
    pub fn unknown(&self, name: &str) -> PackageError {
        let what = format!(
            "no package is called `{}` in `{}`",
            name.escape_debug(),
            self.folder.join(LOCK_FILE).display()
        );
        let names = self.all().map(|all| all.into_keys().collect::<Vec<_>>());
        match names.unwrap_or_default() {
            _ if self.folder.join(name).symlink_metadata().is_ok() => {
                PackageError::new(what).help(self.unnamed(name))
            }
            none if none.is_empty() => PackageError::new(what)
                .help("anyhook add PATH adds one; for those of your home: --user"),
            names => PackageError::new(what).help(format!("there are: {}", names.join(", "))),
        }
    }

    /// Says what to do about a package that is there, and that the lock file does not name.
    fn unnamed(&self, name: &str) -> String {
        let folder = word(&self.folder.join(name).to_string_lossy());
        format!(
            "bring `{LOCK_FILE}` back from your repository, or take the folder away and add it again: rm -r {folder}"
        )
    }

    /// Writes a package beside the others, in a folder that goes away.
    fn stage(&self, tree: &PackageContents, name: &str) -> Result<tempfile::TempDir, PackageError> {
        let cannot = |error: std::io::Error| {
            PackageError::new(format!(
                "`{}` cannot be written: {error}",
                self.folder.display()
            ))
        };
        fs::create_dir_all(&self.folder).map_err(cannot)?;
        let staged = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&self.folder)
            .map_err(cannot)?;
        tree.write(&staged.path().join(name)).map_err(cannot)?;
        Ok(staged)
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), PackageError> {
    fs::rename(from, to).map_err(|error| {
        PackageError::new(format!("`{}` cannot be written: {error}", to.display()))
    })
}

/// Refuses what has no hooks, or none that could run.
fn usable(tree: &PackageContents, staged: &Path) -> Result<(), PackageError> {
    let manifests = tree.manifests();
    let package = staged.file_name().unwrap_or_default().display();
    if manifests.is_empty() {
        let error = PackageError::new(format!(
            "there is no `hooks/hooks.json` in `{package}`, and no `plugin.json` that names a file of hooks or holds some"
        ));
        let inner = tree.inner();
        return Err(match inner.get(..inner.len().min(8)) {
            Some(some @ [_, ..]) => error.help(format!(
                "it holds packages: add one of them, with #subdirectory=FOLDER for a repository: {}",
                some.join(", ")
            )),
            Some([]) | None => error.help("name the folder of a package"),
        });
    }
    for name in manifests {
        let file = staged.join(&name);
        load::open(&file).map_err(|why| {
            PackageError::new(format!("`{name}` of `{package}` cannot be used: {why}"))
                .help("nothing of it would run: tell its author")
        })?;
    }
    Ok(())
}

/// Tells whether a package can be called so: the name is that of one folder, on every system.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    starts
        && name.len() <= LONGEST_NAME
        && name.chars().all(plain)
        && !name.ends_with('.')
        && name != LOCK_FILE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(folder: &Path) -> (Packages, Result<AddedPackage, PackageError>) {
        let packages = Packages::at(folder.join(FOLDERS.0));
        let tree = PackageContents::of(&[(
            "hooks.json",
            r#"{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "rule", "then": {"notify": "x"}}]}]}}"#,
        )]);
        let from = LockedPackage {
            source: "../b".into(),
            ..LockedPackage::default()
        };
        let result = packages.add("b", tree, from);
        (packages, result)
    }

    #[test]
    fn a_package_without_its_lock_file_has_a_way_out_and_one_with_a_spoiled_one_is_told() {
        let place = tempfile::tempdir().unwrap();
        let (packages, first) = added(place.path());
        let manifest = first.unwrap().manifests.remove(0);
        let lock = packages.folder().join(LOCK_FILE);
        fs::write(&lock, "").unwrap();
        assert!(Packages::of_manifest(&manifest).is_some());
        assert!(packages.state("b").is_err());
        fs::remove_file(&lock).unwrap();
        assert!(Packages::of_manifest(&manifest).is_none());
        let errors = [added(place.path()).1.unwrap_err(), packages.unknown("b")];
        for error in errors.map(|error| error.help.unwrap_or_default()) {
            assert!(
                error.contains("or take the folder away and add it again: rm -r "),
                "{error}"
            );
        }
    }

    #[test]
    fn a_package_whose_folder_is_gone_is_known() {
        let place = tempfile::tempdir().unwrap();
        let (packages, _) = added(place.path());
        assert_eq!(packages.gone(), [""; 0]);
        fs::remove_dir_all(packages.folder().join("b")).unwrap();
        assert_eq!(packages.gone(), ["b"]);
    }
}
