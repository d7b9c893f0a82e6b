//! The files of a host: where they are, and their contents.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use anyhook_engine::files;
use anyhook_wires::settings::edit::{EditError, Form, find};
use anyhook_wires::settings::{Scope, Settings, SettingsFile};

use super::{Change, InstallError, Installer, Keeping, Obstacle};

/// What to do about a text that is not understood.
pub(super) const UNDERSTOOD: &str = "mend it first: nothing was written";

/// A longer file is none that a person wrote.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A file of a host as it is now.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) file: &'static SettingsFile,
    /// Behind all symbolic links.
    pub(super) path: PathBuf,
    pub(super) bytes: Option<Vec<u8>>,
}

impl Target {
    pub(super) fn text(&self) -> Result<&str, InstallError> {
        let bytes = self.bytes.as_deref().unwrap_or_default();
        let what = || format!("`{}` is no UTF-8 text", self.path.display());
        let unfit = |_| InstallError::new(Obstacle::Unfit, what(), "save the file as UTF-8");
        str::from_utf8(bytes).map_err(unfit)
    }

    /// Returns the error of a text that cannot be edited.
    pub(super) fn unedited(&self, source: EditError) -> InstallError {
        let what = format!("cannot edit `{}`", self.path.display());
        InstallError::new(Obstacle::Unfit, what, UNDERSTOOD).because(source)
    }

    /// Makes the change of this file to `after`.
    pub(super) fn change(
        self,
        host: &'static str,
        after: Option<Vec<u8>>,
        record: Keeping,
    ) -> Change {
        Change {
            host,
            scope: self.file.scope,
            path: self.path,
            before: self.bytes,
            after,
            entries: 0,
            notes: Vec::new(),
            file: self.file,
            in_folder: false,
            restored: false,
            rows: None,
            record,
        }
    }

    pub(super) fn form(&self, settings: &'static Settings) -> Form<'static> {
        Form {
            settings,
            file: self.file,
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
        settings: &'static Settings,
        scope: Scope,
    ) -> Result<Option<Target>, InstallError> {
        let mut first = None;
        for file in settings.files_of(scope, self.os) {
            let target = self.open(file, &self.expand(settings, file.path)?)?;
            let holds = match find(target.text()?, target.form(settings)) {
                Ok(found) => !found.is_empty(),
                Err(source) => return Err(target.unedited(source)),
            };
            if holds {
                return Ok(Some(target));
            }
            first = first.or(Some(target));
        }
        Ok(first)
    }

    /// Reads a file. Below a project no link leads out of it: a repository must not choose what of a person's is written.
    pub(super) fn open(
        &self,
        file: &'static SettingsFile,
        path: &Path,
    ) -> Result<Target, InstallError> {
        let real = real(path)?;
        if matches!(file.scope, Scope::Project | Scope::Local) && !real.starts_with(self.project()?)
        {
            return Err(InstallError::unfit(path, "leads out of the project"));
        }
        let bytes = read(&real)?;
        Ok(Target {
            file,
            path: real,
            bytes,
        })
    }

    /// Reads the script of one event.
    pub(super) fn script(
        &self,
        settings: &Settings,
        file: &'static SettingsFile,
        event: &'static str,
    ) -> Result<Target, InstallError> {
        self.open(file, &self.expand(settings, file.path)?.join(event))
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
