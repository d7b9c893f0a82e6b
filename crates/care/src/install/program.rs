//! The stable copy of the program, which entries call.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhook_wires::settings::Scope;
use anyhook_wires::settings::command::Program;

use super::write::Step;
use super::{InstallError, Installer};

/// Where the program of managed settings stands: only root writes there, and everybody reads.
const MANAGED: &str = "/usr/local/lib/anyhook/anyhook";

impl Installer<'_> {
    /// Returns the path of the stable copy, as entries write it.
    pub fn stable(&self, scope: Scope) -> Result<PathBuf, InstallError> {
        if scope == Scope::Managed {
            return Ok(MANAGED.into());
        }
        let data = self.world.data().ok_or(InstallError::NoHome)?;
        Ok(data.join("bin/anyhook"))
    }

    /// Copies the program to its stable place, if it is not there already.
    pub(super) fn copy_program(&self, to: &Path) -> Result<(), InstallError> {
        let to = match to
            .strip_prefix("/")
            .ok()
            .filter(|_| to == Path::new(MANAGED))
        {
            Some(rest) => self.root.join(rest),
            None => to.to_owned(),
        };
        if is_executable(&to) && is_same(self.program, &to).unwrap_or(false) {
            return Ok(());
        }
        let folder = to.parent().unwrap_or(&to);
        self.reach(Step::Program, &to)?;
        fs::create_dir_all(folder).map_err(InstallError::write("make the folder", folder))?;
        let failed = |doing| InstallError::write(doing, &to);
        let mut from =
            File::open(self.program).map_err(InstallError::write("read", self.program))?;
        let mut file = tempfile::Builder::new()
            .prefix(".anyhook-")
            .tempfile_in(folder)
            .map_err(failed("make a temporary file for"))?;
        io::copy(&mut from, file.as_file_mut()).map_err(failed("write"))?;
        file.as_file()
            .set_permissions(fs::Permissions::from_mode(0o755))
            .and_then(|()| file.as_file().sync_all())
            .map_err(failed("write"))?;
        file.persist(&to)
            .map_err(|error| InstallError::write("replace", &to)(error.error))?;
        Ok(())
    }
}

/// Returns how entries of a scope find the program.
pub(super) fn called(scope: Scope, stable: &Path) -> Result<Program<'_>, InstallError> {
    if scope == Scope::Project {
        return Ok(Program::Anywhere);
    }
    let path = stable.to_str().ok_or_else(|| InstallError::Unfit {
        path: stable.to_owned(),
        what: "is no UTF-8 path, so no entry can name it",
    })?;
    Ok(Program::At(path))
}

/// Tells whether a path is a file that can be run.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn is_same(a: &Path, b: &Path) -> io::Result<bool> {
    let (a, b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let read = a.read(&mut left)?;
        let (Some(left), Some(right)) = (left.get(..read), right.get_mut(..read)) else {
            return Ok(false);
        };
        b.read_exact(right)?;
        if *left != *right {
            return Ok(false);
        }
        if read == 0 {
            return Ok(true);
        }
    }
}
