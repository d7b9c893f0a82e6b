//! The stable copy of our program, which entries call.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhook_wires::settings::Scope;
use anyhook_wires::settings::command::ProgramReference;

use super::{InstallError, Installer};

/// Where the program of managed settings stands: only root writes there, and everybody reads.
const MANAGED: &str = "/usr/local/lib/anyhook/anyhook";

impl Installer<'_> {
    /// Returns the path of the stable copy, as entries write it.
    pub fn stable(&self, scope: Scope) -> Result<PathBuf, InstallError> {
        if scope == Scope::Managed {
            return Ok(MANAGED.into());
        }
        let data = self.world.data();
        let data = data.ok_or_else(InstallError::no_home)?;
        Ok(data.join("bin/anyhook"))
    }

    /// Returns a path below the root, which is another one in a test, if it is of managed settings.
    fn rooted(&self, to: &Path) -> PathBuf {
        let is_managed = to.parent() == Path::new(MANAGED).parent();
        match to.strip_prefix("/").ok().filter(|_| is_managed) {
            Some(rest) => self.root.join(rest),
            None => to.to_owned(),
        }
    }

    /// Copies the program to its stable place, where it is not there already.
    pub(super) fn copy_program(&self, to: &Path) -> Result<(), InstallError> {
        let from = self.program;
        let to = self.rooted(to);
        let is_same = || -> io::Result<bool> {
            Ok(from.metadata()?.len() == to.metadata()?.len() && fs::read(from)? == fs::read(&to)?)
        };
        if is_executable(&to) && is_same().unwrap_or(false) {
            return Ok(());
        }
        (self.probe)();
        let bytes = fs::read(from).map_err(InstallError::write("read", from))?;
        self.replace(&to, &bytes, Some(0o755))
    }
}

/// Returns how entries of a scope find the program.
pub(super) fn called(scope: Scope, stable: &Path) -> Result<ProgramReference<'_>, InstallError> {
    if scope == Scope::Project {
        return Ok(ProgramReference::ANYWHERE);
    }
    let what = "is no UTF-8 path, so no entry can name it";
    let path = stable.to_str().map(ProgramReference::at);
    path.ok_or_else(|| InstallError::unfit(stable, what))
}

/// Tells whether a path is a file that can be run.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
