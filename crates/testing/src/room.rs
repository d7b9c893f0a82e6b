//! A room: the home and the folders that hooks of a test see, and nothing of the caller's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhook::world::{SystemClock, UserFolders, World};
use tempfile::TempDir;

use crate::package::Package;
use crate::plan::{Case, Workspace};
use crate::programs::completed;

/// The folders of one case, new each time that it is played.
#[derive(Debug)]
pub(crate) struct CaseRoom {
    /// Is taken away with the room.
    _folder: TempDir,
    place: PathBuf,
    /// Our own state, which is no hook's business: a file for each event.
    own: TempDir,
    places: UserFolders,
    /// The variables that every hook has.
    interrupted: Arc<AtomicBool>,
}

/// A file system in memory, where the system has one: the state of a session is written more often than read.
const IN_MEMORY: &str = "/dev/shm";

/// The world of one case.
pub(crate) struct CaseWorld {
    /// It runs in the folder that hooks are told is the project's.
    pub(crate) world: World,
    pub(crate) workspace: Option<PathBuf>,
}

impl CaseRoom {
    /// Makes new folders.
    pub(crate) fn new(interrupted: &Arc<AtomicBool>) -> io::Result<Self> {
        let folder = TempDir::with_prefix("anyhook-test-")?;
        let place = folder.path().canonicalize()?;
        let own = TempDir::with_prefix_in("anyhook-state-", IN_MEMORY);
        let own = own.or_else(|_| TempDir::with_prefix("anyhook-state-"))?;
        let home = place.join("home");
        let room = Self {
            places: UserFolders {
                config: home.join(".config/anyhook"),
                state: own.path().join("state"),
                home,
            },
            _folder: folder,
            place,
            own,
            interrupted: Arc::clone(interrupted),
        };
        for folder in [
            &room.places.home,
            &room.place.join("tmp"),
            &room.places.state,
        ] {
            fs::create_dir(folder)?;
        }
        Ok(room)
    }

    /// The folders of the hooks, and ours.
    pub(crate) fn places(&self) -> [PathBuf; 2] {
        [self.place.clone(), self.own.path().to_owned()]
    }

    /// Sets the room up for a case.
    pub(crate) fn set(&self, case: &Case) -> io::Result<CaseWorld> {
        let workspace = case.workspace.as_ref().map(|given| {
            let to = self.place.join("workspace");
            given.lay_out(&to).map(|()| to)
        });
        let workspace = workspace.transpose()?;
        let project = workspace.as_ref().unwrap_or(&case.package.root);
        let mut world = world(
            &case.package,
            project,
            self.places.clone(),
            &self.interrupted,
        );
        world.env.extend(given(&case.package, &case.spec.env));
        Ok(CaseWorld { world, workspace })
    }
}

impl Workspace {
    /// Lays it out below a folder. A folder is copied by a process of its own: what this process has open for writing, a
    /// hook that another thread starts meanwhile could not execute.
    pub(crate) fn lay_out(&self, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        match self {
            Self::Folder(from) => {
                let mut command = Command::new("cp");
                command.arg("-R").arg(from.join(".")).arg(to);
                completed(&mut command, "the workspace cannot be copied")
            }
            Self::Files(files) => files.iter().try_for_each(|(path, text)| {
                let file = to.join(path);
                fs::create_dir_all(file.parent().unwrap_or(to))?;
                fs::write(file, text)
            }),
        }
    }
}

/// The world of a package's hooks with this home: nothing of the caller's but its `PATH` and what the tests ask for.
pub(crate) fn world(
    package: &Package,
    project: &Path,
    places: UserFolders,
    interrupted: &Arc<AtomicBool>,
) -> World {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let mut env: BTreeMap<OsString, OsString> = BTreeMap::from([
        ("PATH".into(), path),
        ("HOME".into(), places.home.clone().into()),
        ("TMPDIR".into(), places.home.with_file_name("tmp").into()),
        ("LANG".into(), "C.UTF-8".into()),
    ]);
    let inherited = package.config.inherit_env.iter();
    env.extend(inherited.filter_map(|name| Some((name.into(), std::env::var_os(name)?))));
    env.extend(given(package, &package.config.env));
    World {
        env,
        cwd: project.to_owned(),
        managed: places.home.with_file_name("managed"),
        places: Some(places),
        supervisor: None,
        clock: Arc::new(SystemClock::default()),
        ids: || "test".into(),
        interrupted: Arc::clone(interrupted),
        configured: anyhook::config::LazyConfig::default(),
    }
}

/// The variables that tests give; a path below the package may be written as one.
fn given(
    package: &Package,
    env: &BTreeMap<String, String>,
) -> impl Iterator<Item = (OsString, OsString)> {
    let filled = |(name, value): (&String, &String)| {
        let rest = value.strip_prefix("${PACKAGE_ROOT}");
        let rest = rest.or_else(|| (name == "PACKAGE_ROOT").then_some(""));
        let mut filled = OsString::new();
        if rest.is_some() {
            filled.push(&package.root);
        }
        filled.push(rest.unwrap_or(value));
        (name.into(), filled)
    };
    env.iter().map(filled)
}

impl Drop for CaseRoom {
    /// What a hook closed is opened, so that it goes; a link in its place is left alone.
    fn drop(&mut self) {
        open_up(&self.place);
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
