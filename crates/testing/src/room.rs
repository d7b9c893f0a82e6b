//! A room: the home, the folders and the programs that hooks of a test see, and nothing of the caller's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhook::world::{Places, SystemClock, World};
use tempfile::TempDir;

use crate::case::Isolate;
use crate::plan::{Case, Stub, Workspace};

/// The programs that stand in for others, written before anything runs: a file that is open for writing in one thread
/// cannot be executed by the child of another.
#[derive(Debug)]
pub(crate) struct Programs {
    folder: TempDir,
}

impl Programs {
    /// Writes the stubs of all cases, each beside a link to `anyhook`.
    pub(crate) fn write(cases: &[Case], program: Option<&Path>) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("anyhook-programs-")
            .tempdir()?;
        let programs = Self { folder };
        // A hook that asks a model is a process of our own program, also where hooks find that on their `PATH`.
        let own = cases.iter().any(|case| case.model.is_some());
        let own = own.then(on_the_path).flatten();
        let program = program.or(own.as_deref());
        Self::fill(&programs.of(None), &[], program)?;
        for (index, case) in cases
            .iter()
            .enumerate()
            .filter(|(_, case)| !case.stubs.is_empty())
        {
            Self::fill(&programs.of(Some(index)), &case.stubs, program)?;
        }
        Ok(programs)
    }

    /// Returns the folder of a case with stubs, else the one that all others share.
    pub(crate) fn of(&self, index: Option<usize>) -> PathBuf {
        let name = index.map_or_else(|| "none".to_owned(), |index| index.to_string());
        self.folder.path().join(name)
    }

    fn fill(folder: &Path, stubs: &[(String, Stub)], program: Option<&Path>) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for (name, stub) in stubs {
            let file = folder.join(name);
            match stub {
                Stub::File(from) => fs::copy(from, &file).map(|_| ())?,
                Stub::Script(text) => fs::write(&file, text)?,
            }
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        let link = folder.join("anyhook");
        match program {
            Some(program) if !link.exists() => symlink(program, link),
            Some(_) | None => Ok(()),
        }
    }
}

/// Finds our own program as a hook would.
fn on_the_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("anyhook"));
    programs.find(|program| program.is_file())
}

/// The folders of one job, used for one case after the other.
#[derive(Debug)]
pub(crate) struct Room {
    folder: TempDir,
    place: PathBuf,
    interrupted: Arc<AtomicBool>,
}

/// The world of one case.
pub(crate) struct Set {
    pub(crate) world: World,
    /// The folder that hooks are told is the project's.
    pub(crate) project: PathBuf,
    pub(crate) workspace: Option<PathBuf>,
}

impl Room {
    /// Makes the folders.
    pub(crate) fn new(interrupted: Arc<AtomicBool>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("anyhook-test-").tempdir()?;
        let place = folder.path().canonicalize()?;
        let room = Self {
            folder,
            place,
            interrupted,
        };
        room.furnish()?;
        Ok(room)
    }

    /// Returns where it is: what output of a hook may name, and differs from run to run.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    fn furnish(&self) -> io::Result<()> {
        for name in ["home", "tmp", "state"] {
            fs::create_dir_all(self.place.join(name))?;
        }
        Ok(())
    }

    /// Makes everything anew that a hook wrote to, or all of it.
    pub(crate) fn renew(&self, isolate: Isolate) -> io::Result<()> {
        clear(&self.place.join("workspace"))?;
        for name in ["home", "tmp"] {
            let folder = self.place.join(name);
            if isolate == Isolate::Each || !is_empty(&folder) {
                clear(&folder)?;
                fs::create_dir(&folder)?;
            }
        }
        if isolate == Isolate::Each {
            let state = self.place.join("state");
            clear(&state)?;
            fs::create_dir(&state)?;
        }
        Ok(())
    }

    /// Sets the room up for a case.
    pub(crate) fn set(&self, case: &Case) -> io::Result<Set> {
        let workspace = match &case.workspace {
            Some(Workspace::Folder(from)) => Some(self.copy(from)?),
            Some(Workspace::Files(files)) => Some(self.lay_out(files)?),
            None => None,
        };
        let project = workspace
            .clone()
            .unwrap_or_else(|| case.package.root.clone());
        let home = self.place.join("home");
        let world = World {
            env: self.environment(case),
            cwd: project.clone(),
            places: Some(Places {
                config: home.join(".config/anyhook"),
                state: self.place.join("state"),
                home,
            }),
            managed: self.place.join("managed"),
            supervisor: None,
            clock: Arc::new(SystemClock::default()),
            ids: || "test".into(),
            interrupted: Arc::clone(&self.interrupted),
        };
        Ok(Set {
            world,
            project,
            workspace,
        })
    }

    fn environment(&self, case: &Case) -> BTreeMap<OsString, OsString> {
        let config = &case.package.config;
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let mut env = BTreeMap::from([
            ("PATH".into(), path),
            ("HOME".into(), self.place.join("home").into_os_string()),
            ("TMPDIR".into(), self.place.join("tmp").into_os_string()),
            ("LANG".into(), "C.UTF-8".into()),
        ]);
        let inherited = config.inherit_env.iter();
        env.extend(
            inherited.filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?))),
        );
        let given = config.env.iter().chain(&case.spec.env);
        env.extend(given.map(|(name, value)| (name.into(), given_value(case, name, value))));
        env
    }

    fn lay_out(&self, files: &[(String, String)]) -> io::Result<PathBuf> {
        let to = self.place.join("workspace");
        fs::create_dir_all(&to)?;
        for (path, text) in files {
            let file = to.join(path);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(file, text)?;
        }
        Ok(to)
    }

    /// Copies a workspace by a process of its own: what this process has open for writing, a hook that another thread
    /// starts meanwhile could not execute.
    fn copy(&self, from: &Path) -> io::Result<PathBuf> {
        let to = self.place.join("workspace");
        fs::create_dir_all(&to)?;
        let copied = Command::new("cp")
            .arg("-R")
            .arg(from.join("."))
            .arg(&to)
            .output()?;
        if copied.status.success() {
            return Ok(to);
        }
        let why = String::from_utf8_lossy(&copied.stderr).into_owned();
        Err(io::Error::other(format!(
            "the workspace cannot be copied: {}",
            why.trim()
        )))
    }
}

/// Fills a variable of a test: `PACKAGE_ROOT` is always the package, and a value may begin with it.
fn given_value(case: &Case, name: &str, value: &str) -> OsString {
    let root = &case.package.root;
    match (name, value.strip_prefix("${PACKAGE_ROOT}")) {
        ("PACKAGE_ROOT", _) => root.clone().into_os_string(),
        (_, Some(rest)) => {
            let mut filled = root.clone().into_os_string();
            filled.push(rest);
            filled
        }
        (_, None) => value.into(),
    }
}

impl Drop for Room {
    /// A hook may have left folders that nobody may write to: they would stay behind.
    fn drop(&mut self) {
        for name in ["home", "tmp", "workspace"] {
            let _ = clear(&self.folder.path().join(name));
        }
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Removes a folder, also one whose folders a hook made unwritable.
fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            open_up(folder);
            fs::remove_dir_all(folder)
        }
    }
}

fn open_up(folder: &Path) {
    if folder.is_symlink() {
        return;
    }
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}
