//! A room: the home and the folders that hooks of a test see, and nothing of the caller's.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::UNIX_EPOCH;

use anyhook::event::Cache;
use anyhook::processes::{Leftovers, start};
use anyhook::world::{Places, SystemClock, World};
use tempfile::TempDir;

use crate::case::Isolate;
use crate::plan::{Case, Workspace};

/// The folders of one job, used for one case after the other.
#[derive(Debug)]
pub(crate) struct Room {
    /// Is taken away with the room.
    _folder: TempDir,
    place: PathBuf,
    /// Our own state, which is no hook's business: a file for each event.
    own: TempDir,
    places: Places,
    /// The variables that every hook has.
    env: BTreeMap<OsString, OsString>,
    interrupted: Arc<AtomicBool>,
    /// How those of [`OF_HOOKS`] were when they were made.
    made: RefCell<BTreeMap<&'static str, Made>>,
    /// How the folder around them was when nothing else was in it.
    around: Cell<Option<Made>>,
    cache: Arc<Cache>,
}

/// Does something in the room of a job, which is made first where there is none. Where that fails the room is given up: what
/// a hook did to it is nothing of the next case.
pub(crate) fn in_room<T>(
    room: &mut Option<Room>,
    interrupted: &Arc<AtomicBool>,
    work: impl FnOnce(&Room) -> io::Result<T>,
) -> io::Result<T> {
    let done = match room {
        Some(room) => work(room),
        None => work(room.insert(Room::new(Arc::clone(interrupted))?)),
    };
    if done.is_err() {
        *room = None;
    }
    done
}

/// Where files are no business of a disk, on systems that have it.
const IN_MEMORY: &str = "/dev/shm";

/// The folders of a room into which hooks write.
const OF_HOOKS: [&str; 2] = ["home", "tmp"];

/// An empty folder as it was made. Whatever is made, removed or moved in it sets its times, and so does a change of its
/// mode, its owner or its attributes: where nothing is different, nothing was done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Made {
    whose: Whose,
    changed: (i64, i64),
    modified: (i64, i64),
}

/// Which folder it is, and who may do what in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Whose {
    inode: u64,
    mode: u32,
    user: u32,
    group: u32,
}

impl Made {
    /// Takes the print of a folder that was just made, with a time of its entries that no clock gives it again: a clock
    /// may stand still for some milliseconds, and in them the first hook writes.
    fn of(folder: &Path) -> io::Result<Self> {
        File::open(folder)?.set_modified(UNIX_EPOCH)?;
        Self::at(folder)
    }

    fn at(folder: &Path) -> io::Result<Self> {
        let meta = fs::symlink_metadata(folder)?;
        Ok(Self {
            whose: Whose {
                inode: meta.ino(),
                mode: meta.mode(),
                user: meta.uid(),
                group: meta.gid(),
            },
            changed: (meta.ctime(), meta.ctime_nsec()),
            modified: (meta.mtime(), meta.mtime_nsec()),
        })
    }
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
        let mut own = tempfile::Builder::new();
        let own = own.prefix("anyhook-state-");
        let own = own.tempdir_in(IN_MEMORY).or_else(|_| own.tempdir())?;
        let home = place.join("home");
        let room = Self {
            env: environment(&place),
            places: Places {
                config: home.join(".config/anyhook"),
                state: own.path().join("state"),
                home,
            },
            _folder: folder,
            place,
            own,
            interrupted,
            made: RefCell::default(),
            around: Cell::default(),
            cache: Arc::default(),
        };
        room.furnish()?;
        Ok(room)
    }

    /// Returns where it is: what output of a hook may name, and differs from run to run.
    pub(crate) fn places(&self) -> [PathBuf; 2] {
        [self.place.clone(), self.own.path().to_owned()]
    }

    fn furnish(&self) -> io::Result<()> {
        for name in OF_HOOKS {
            self.make(name)?;
        }
        self.around.set(Some(Made::of(&self.place)?));
        fs::create_dir_all(&self.places.state)
    }

    /// Makes one of the folders that are a hook's own.
    fn make(&self, name: &'static str) -> io::Result<()> {
        let folder = self.place.join(name);
        fs::create_dir(&folder)?;
        let made = Made::of(&folder)?;
        self.made.borrow_mut().insert(name, made);
        Ok(())
    }

    /// Makes everything anew that a hook wrote to, or all of it: but for what is as if it were new.
    pub(crate) fn renew(&self, isolate: Isolate, left: Leftovers) -> io::Result<()> {
        self.is_ours()?;
        let all = isolate == Isolate::Each;
        for name in OF_HOOKS {
            let folder = self.place.join(name);
            let (made, now) = (
                self.made.borrow().get(name).copied(),
                Made::at(&folder).ok(),
            );
            // A process that still runs may have it as its folder.
            let is_new = left == Leftovers::Gone && made == now;
            let whose = |made: Option<Made>| made.map(|made| made.whose);
            let is_another = all || whose(made) != whose(now);
            if !is_new && (is_another || !is_empty(&folder)) {
                clear(&folder)?;
                self.make(name)?;
            }
        }
        self.tidy()?;
        let state = &self.places.state;
        if all && !(left == Leftovers::Gone && holds_nothing(state)) {
            clear(state)?;
            fs::create_dir(state)?;
        }
        Ok(())
    }

    /// Everything below is ours to clear only while no hook put another folder, or a link to one, in the place of this one.
    fn is_ours(&self) -> io::Result<()> {
        /// The bits of a mode that tell a folder from a link.
        const KIND: u32 = 0o170_000;
        // The number of a folder that is gone may be that of the link in its place.
        let which = |made: Made| (made.whose.inode, made.whose.mode & KIND);
        let is_same = self.around.get().map(which) == Made::at(&self.place).ok().map(which);
        let why = "a hook put something else in their place";
        is_same.then_some(()).ok_or_else(|| io::Error::other(why))
    }

    /// Takes away the workspace and what a hook put beside its folders, where anything is there.
    fn tidy(&self) -> io::Result<()> {
        if self.around.get() == Some(Made::at(&self.place)?) {
            return Ok(());
        }
        for entry in fs::read_dir(&self.place)? {
            let entry = entry?;
            if !OF_HOOKS.iter().any(|name| entry.file_name() == *name) {
                take_away(&entry.path())?;
            }
        }
        self.around.set(Some(Made::of(&self.place)?));
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
        let world = World {
            env: self.environment(case),
            cwd: project.clone(),
            places: Some(self.places.clone()),
            managed: self.place.join("managed"),
            supervisor: None,
            clock: Arc::new(SystemClock::default()),
            ids: || "test".into(),
            interrupted: Arc::clone(&self.interrupted),
            configured: anyhook::config::Once::default(),
        };
        Ok(Set {
            world,
            project,
            workspace,
        })
    }

    /// Returns where it is kept what was found out. A `PATH` of its own is a world of its own.
    pub(crate) fn cache(&self, case: &Case) -> Arc<Cache> {
        let mut given = case.package.config.env.iter().chain(&case.spec.env);
        if given.any(|(name, _)| name == "PATH") {
            return Arc::default();
        }
        Arc::clone(&self.cache)
    }

    fn environment(&self, case: &Case) -> BTreeMap<OsString, OsString> {
        let config = &case.package.config;
        let mut env = self.env.clone();
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
        let mut command = Command::new("cp");
        command.arg("-R").arg(from.join(".")).arg(&to);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let copied = start(command.stderr(Stdio::piped()))?.wait_with_output()?;
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

/// The variables of every hook whose test is run in this place.
fn environment(place: &Path) -> BTreeMap<OsString, OsString> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    BTreeMap::from([
        ("PATH".into(), path),
        ("HOME".into(), place.join("home").into_os_string()),
        ("TMPDIR".into(), place.join("tmp").into_os_string()),
        ("LANG".into(), "C.UTF-8".into()),
    ])
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
    /// A hook may have left folders without permission to write: they would stay behind.
    fn drop(&mut self) {
        if self.is_ours().is_err() {
            return;
        }
        let _ = fs::set_permissions(&self.place, fs::Permissions::from_mode(0o700));
        for name in OF_HOOKS {
            let _ = clear(&self.place.join(name));
        }
        let _ = self.tidy();
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Tells whether nothing is left of a case in the folder of our own state: that of payloads, which every case has, is empty.
fn holds_nothing(state: &Path) -> bool {
    let is_nothing = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name() == "payloads" && is_empty(&entry.path()))
    };
    fs::read_dir(state).is_ok_and(|mut entries| entries.all(is_nothing))
}

/// Removes a folder, also one whose folders a hook made unwritable.
fn clear(folder: &Path) -> io::Result<()> {
    // Most are empty, or not there: then one call does it.
    match fs::remove_dir(folder).or_else(|_| fs::remove_dir_all(folder)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(_) => {
            open_up(folder);
            fs::remove_dir_all(folder)
        }
    }
}

fn take_away(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        clear(path)
    } else {
        fs::remove_file(path)
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
