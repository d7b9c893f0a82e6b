//! Carries out a plan: replaces one whole file at a time.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::Duration;

use anyhook_engine::files;

use super::target::read;
use super::{InstallError, InstallPlan, Installer, Obstacle, PlannedChange, RecordStep};

/// How long another install is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

impl Installer<'_> {
    /// Carries a plan out. An error leaves every file as it was or as it will be, never half, and the rest of the plan undone.
    pub fn carry_out(&self, plan: &InstallPlan) -> Result<(), InstallError> {
        if plan.changes.is_empty() {
            return Ok(());
        }
        let folder = self.folder()?;
        files::private_dir(&folder)?;
        let _alone = files::lock(&folder.join("lock"), PATIENCE)?;
        if let Some(program) = &plan.program {
            self.copy_program(program)?;
        }
        plan.changes
            .iter()
            .try_for_each(|change| self.change(change))
    }

    fn change(&self, change: &PlannedChange) -> Result<(), InstallError> {
        let now = read(&change.path)?;
        if now != change.before {
            let path = change.path.display();
            let what = format!("`{path}` was changed by another program just now");
            return Err(InstallError::new(Obstacle::Changed, what, "try again"));
        }
        match &change.record {
            RecordStep::Write(original) => {
                if change.is_none() {
                    return Ok(());
                }
                (self.probe)();
                self.write_record(change, original)?;
                self.put(change)
            }
            RecordStep::Remove(folders) => {
                self.put(change)?;
                self.remove(&self.place(&change.path)?)?;
                for folder in folders {
                    (self.probe)();
                    // One that holds something else by now stays.
                    let _ = fs::remove_dir(folder);
                }
                Ok(())
            }
        }
    }

    /// Writes the file itself.
    fn put(&self, change: &PlannedChange) -> Result<(), InstallError> {
        if change.is_none() {
            return Ok(());
        }
        if let (Some(bytes), RecordStep::Remove(_)) = (&change.before, &change.record) {
            (self.probe)();
            self.keep(bytes)?;
        }
        match &change.after {
            Some(bytes) => {
                let is_run = change.is_script && bytes.starts_with(b"#!");
                let mode = is_run.then_some(0o755);
                self.replace(&change.path, bytes, mode)
            }
            None => self.remove(&change.path),
        }
    }

    /// Replaces a file as a whole: a reader sees the old one or the new one. Without a mode it keeps that of the old one.
    pub(super) fn replace(
        &self,
        path: &Path,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<(), InstallError> {
        let folder = path.parent().unwrap_or(path);
        (self.probe)();
        fs::create_dir_all(folder).map_err(InstallError::write("make the folder", folder))?;
        (self.probe)();
        let mut file = tempfile::Builder::new()
            .prefix(".anyhook-")
            .tempfile_in(folder)
            .map_err(InstallError::write("make a temporary file for", path))?;
        (self.probe)();
        file.write_all(bytes)
            .map_err(InstallError::write("write", path))?;
        (self.probe)();
        like(file.as_file(), path, mode).map_err(InstallError::write("write", path))?;
        (self.probe)();
        file.persist(path)
            .map_err(|error| InstallError::write("replace", path)(error.error))?;
        (self.probe)();
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(InstallError::write("sync the folder", folder))
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, path: &Path) -> Result<(), InstallError> {
        (self.probe)();
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(InstallError::write("remove", path)(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Gives a new file its mode and the owner of the one that it replaces, and brings it to the disk.
fn like(file: &File, path: &Path, mode: Option<u32>) -> std::io::Result<()> {
    let old = fs::metadata(path).ok();
    let kept = old.as_ref().map(|old| old.mode() & 0o7777);
    let mode = mode.or(kept).unwrap_or(0o644);
    if let Some(old) = old.filter(|_| rustix::process::geteuid().is_root()) {
        let owner = rustix::fs::Uid::from_raw(old.uid());
        let group = rustix::fs::Gid::from_raw(old.gid());
        rustix::fs::fchown(file, Some(owner), Some(group))?;
    }
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}
