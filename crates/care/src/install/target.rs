//! The files of a host: where they are, and their contents.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use anyhook_engine::files;
use anyhook_wires::Host;
use anyhook_wires::settings::edit::{EditError, FoundEntry, SettingsForm, find};
use anyhook_wires::settings::{Scope, Settings};

use super::scripts::is_our_script;
use super::{InstallError, Installer, Obstacle, PlannedChange, RecordStep};

/// What to do about a text that is not understood.
pub(super) const UNDERSTOOD: &str = "mend it first: nothing was written";

/// A longer file is none that a person wrote.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A file of a host as it is now.
#[derive(Debug, Clone)]
pub(super) struct TargetFile {
    pub(super) host: &'static Host,
    pub(super) form: SettingsForm<'static>,
    /// Behind all symbolic links.
    pub(super) path: PathBuf,
    pub(super) bytes: Option<Vec<u8>>,
}

impl TargetFile {
    pub(super) fn text(&self) -> Result<&str, InstallError> {
        let bytes = self.bytes.as_deref().unwrap_or_default();
        let what = || format!("`{}` is no UTF-8 text", self.path.display());
        let unfit = |_| InstallError::new(Obstacle::Unfit, what(), "save the file as UTF-8");
        str::from_utf8(bytes).map_err(unfit)
    }

    /// Finds the entries in it, of everybody.
    pub(super) fn entries(&self) -> Result<Vec<FoundEntry>, InstallError> {
        find(self.text()?, self.form).map_err(|source| self.unedited(source))
    }

    /// Tells whether it is a file of ours as a whole: the script of an event, or a part of a plugin.
    pub(super) fn is_script(&self) -> bool {
        self.form.settings.own_files(self.host).is_some()
    }

    /// Tells whether anything in it is ours.
    pub(super) fn is_ours(&self) -> bool {
        if self.is_script() {
            return self.text().is_ok_and(is_our_script);
        }
        let entries = self.entries();
        entries.is_ok_and(|all| all.iter().any(FoundEntry::is_ours))
    }

    /// Returns the error of a text that cannot be edited.
    pub(super) fn unedited(&self, source: EditError) -> InstallError {
        let what = format!("cannot edit `{}`", self.path.display());
        InstallError::new(Obstacle::Unfit, what, UNDERSTOOD).because(source)
    }

    /// Makes the change of this file to `after`.
    pub(super) fn change(self, after: Option<Vec<u8>>, record: RecordStep) -> PlannedChange {
        PlannedChange {
            host: self.host.id(),
            scope: self.form.file.scope,
            path: self.path,
            before: self.bytes,
            after,
            entries: 0,
            notes: Vec::new(),
            file: self.form.file,
            is_script: false,
            is_restored: false,
            rows: None,
            record,
        }
    }
}

impl Installer<'_> {
    /// Returns the root of the project that the process stands in: the nearest folder with a repository, else this one.
    pub(crate) fn project(&self) -> Result<PathBuf, InstallError> {
        let cwd = &self.world.cwd;
        let found = cwd.ancestors().find(|folder| folder.join(".git").exists());
        let root = found.unwrap_or(cwd);
        let root = files::real(root);
        let home = self.world.places.as_ref();
        if home.is_some_and(|places| files::real(&places.home) == root) {
            let what = format!("`{}` is the home folder, not a project", root.display());
            let help = "go to a project, or take --scope user";
            return Err(InstallError::new(Obstacle::AtHome, what, help));
        }
        Ok(root)
    }

    /// Makes a path of a table absolute.
    pub(crate) fn expand(&self, settings: &Settings, path: &str) -> Result<PathBuf, InstallError> {
        if let Some(moved) = self.world.moved(settings, path) {
            return Ok(moved);
        }
        if let Some(rest) = path.strip_prefix("~/") {
            return Ok(self.places()?.home.join(rest));
        }
        match path.strip_prefix('/') {
            Some(rest) => Ok(self.root.join(rest)),
            None => Ok(self.project()?.join(path)),
        }
    }

    /// Finds the file of a scope in which entries belong: the first that holds hooks, else the first.
    pub(super) fn target(
        &self,
        host: &'static Host,
        settings: &'static Settings,
        scope: Scope,
    ) -> Result<Option<TargetFile>, InstallError> {
        let mut first = None;
        for file in settings.files_of(scope, self.os) {
            let target = self.open(host, SettingsForm { settings, file }, None)?;
            if !target.entries()?.is_empty() {
                return Ok(Some(target));
            }
            first = first.or(Some(target));
        }
        Ok(first)
    }

    /// Reads a file, or one of this name in a folder. Below a project no link leads out of it: a repository must not choose
    /// what of a person's is written.
    pub(super) fn open(
        &self,
        host: &'static Host,
        form: SettingsForm<'static>,
        name: Option<&str>,
    ) -> Result<TargetFile, InstallError> {
        let place = self.expand(form.settings, form.file.path)?;
        let place = name.map_or_else(|| place.clone(), |name| place.join(name));
        let path = real(&place)?;
        let is_of_project = matches!(form.file.scope, Scope::Project | Scope::Local);
        if is_of_project && !path.starts_with(self.project()?) {
            return Err(InstallError::unfit(&place, "leads out of the project"));
        }
        let bytes = read(&path)?;
        Ok(TargetFile {
            host,
            form,
            path,
            bytes,
        })
    }
}

/// Follows links, also where the last parts of a path are not there yet.
fn real(path: &Path) -> Result<PathBuf, InstallError> {
    match path.canonicalize() {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(source) => return Err(InstallError::unreadable(path, source)),
    }
    let unfit = |what| InstallError::unfit(path, what);
    if path.symlink_metadata().is_ok() {
        return Err(unfit("is a link that leads nowhere"));
    }
    let (Some(parent), Some(Component::Normal(name))) =
        (path.parent(), path.components().next_back())
    else {
        return Err(unfit("is no path of a file"));
    };
    Ok(real(parent)?.join(name))
}

/// Reads a regular file; nothing where there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, InstallError> {
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound) => return Ok(None),
        Err(source) => return Err(InstallError::unreadable(path, source)),
    };
    let unfit = |what| InstallError::unfit(path, what);
    if !meta.is_file() {
        return Err(unfit("is no regular file"));
    }
    if meta.len() > LONGEST {
        return Err(unfit("is longer than 4 MiB"));
    }
    let us = rustix::process::geteuid();
    if !us.is_root() && meta.uid() != us.as_raw() {
        return Err(unfit("belongs to another user"));
    }
    let bytes = fs::read(path).map_err(|source| InstallError::unreadable(path, source))?;
    Ok(Some(bytes))
}
