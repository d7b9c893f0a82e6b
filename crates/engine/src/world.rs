//! The world that one process sees: its environment, its folders, its clock. Read once, here, and handed on.
//!
//! ```
//! use std::ffi::OsStr;
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use anyhook_engine::core::ports::Clock;
//! use anyhook_engine::world::{UserFolders, SystemClock, World};
//!
//! let place = tempfile::tempdir()?;
//! let places = UserFolders {
//!     home: place.path().into(),
//!     config: place.path().join("config"),
//!     state: place.path().join("state"),
//! };
//! let world = World {
//!     env: [("LANG".into(), "C".into())].into(),
//!     cwd: "/p".into(),
//!     places: Some(places.clone()),
//!     clock: Arc::new(SystemClock::default()),
//!     ..World::real()
//! };
//! assert_eq!(world.var("LANG"), Some(OsStr::new("C")));
//! assert_eq!(world.absolute(Path::new("hooks.json")), Path::new("/p/hooks.json"));
//! assert!(world.clock.now() > 1_700_000_000_000 && world.clock.since() <= world.clock.since());
//!
//! // Everything that we write stands below `state`, and a person's own file below `config`.
//! let ours = [
//!     places.sessions(),
//!     places.reports(),
//!     places.trust(),
//!     places.verified(),
//!     places.payloads(),
//!     places.private(),
//!     places.values(),
//!     places.approvals(),
//! ];
//! assert!(ours.iter().all(|folder| folder.starts_with(&places.state)));
//! assert!(places.user_manifest().starts_with(&places.config));
//! world.sweep_payloads();
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhook_core::ports::Clock;
use anyhook_wires::settings::Settings;
use etcetera::base_strategy::{BaseStrategy, Xdg};
use serde::Serialize;

use crate::config::{self, Config};
use crate::files;
use crate::layers;
#[doc(inline)]
pub use anyhook_registry::SystemClock;

/// A payload that is older than this belongs to no hook any more, in milliseconds: none may run half as long.
const PAYLOADS_KEPT: Duration = Duration::from_mins(10);

/// The variable that names the mark of a hook: a file that `anyhook get` and `anyhook say` remove when they fail, so that the
/// hook counts as failed whatever its shell makes of that.
///
/// ```
/// use anyhook_engine::world::MARK;
/// assert!(MARK.starts_with("ANYHOOK_"), "no variable that others set");
/// ```
pub const MARK: &str = "ANYHOOK_MARK";

/// Everything that an event needs of the world.
#[derive(Clone)]
pub struct World {
    /// The environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The folder that the process runs in.
    pub cwd: PathBuf,
    /// Our folders; nothing where there is no home.
    pub places: Option<UserFolders>,
    /// The folder of the administrator.
    pub managed: PathBuf,
    /// The program that owns hooks which go on in the background: `anyhook` itself, which knows the hidden command of
    /// `background`. Without one they are waited for, and no verdict of them counts either.
    pub supervisor: Option<PathBuf>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where short ids come from.
    pub ids: fn() -> Box<str>,
    /// Becomes true when a signal asks this process to end: hooks are ended then, and what is known is answered.
    pub interrupted: Arc<AtomicBool>,
    /// What is configured, once it was asked for.
    pub configured: config::LazyConfig,
}

/// Whether what hooks do happens, or is only told to a person who asks what would happen.
///
/// ```
/// use anyhook_engine::runners::RunnerContext;
/// use anyhook_engine::world::RunMode;
/// assert_eq!(RunnerContext::default().pass, RunMode::Real);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunMode {
    /// It happens.
    #[default]
    Real,
    /// It is only told: nothing may be written.
    Told,
}

/// Our folders, by purpose (XDG on every Unix).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserFolders {
    /// The person's home.
    pub home: PathBuf,
    /// What the person wrote: `hooks.json` for every project.
    pub config: PathBuf,
    /// What we remember: sessions, reports, pins.
    pub state: PathBuf,
}

impl UserFolders {
    /// Returns the folder of session state.
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// Returns the folder of reports.
    pub fn reports(&self) -> PathBuf {
        self.state.join("reports")
    }

    /// Returns the folder of pins.
    pub fn trust(&self) -> PathBuf {
        self.state.join("trust")
    }

    /// Returns the folder of open questions and of what a person approved.
    pub fn approvals(&self) -> PathBuf {
        self.state.join("approvals")
    }

    /// Returns the folder of what was seen of live agents.
    pub fn verified(&self) -> PathBuf {
        self.state.join("verified")
    }

    /// Returns the folder of payloads that hooks of this moment read.
    pub fn payloads(&self) -> PathBuf {
        self.state.join("payloads")
    }

    /// Returns the folder of snapshots.
    pub fn undo(&self) -> PathBuf {
        self.state.join("undo")
    }

    /// Returns the folder of private folders, one for each package whose hooks run confined.
    pub fn private(&self) -> PathBuf {
        self.state.join("private")
    }

    /// Returns the folder of values that are too long for an answer.
    pub fn values(&self) -> PathBuf {
        self.state.join("values")
    }

    /// Returns the manifest that holds for every project.
    pub fn user_manifest(&self) -> PathBuf {
        self.config.join("hooks.json")
    }
}

impl World {
    /// Reads the world of this process.
    pub fn real() -> Self {
        let places = Xdg::new().ok().map(|xdg| UserFolders {
            home: xdg.home_dir().to_path_buf(),
            config: xdg.config_dir().join("anyhook"),
            state: xdg
                .state_dir()
                .unwrap_or_else(|| xdg.data_dir())
                .join("anyhook"),
        });
        Self {
            env: std::env::vars_os().collect(),
            cwd: std::env::current_dir().unwrap_or_else(|_| last_cwd()),
            places: places.filter(|_| has_home()),
            managed: layers::managed(),
            supervisor: None,
            clock: Arc::new(SystemClock::default()),
            ids: random_id,
            interrupted: Arc::default(),
            configured: config::LazyConfig::default(),
        }
    }

    /// Returns what is configured: the files are read when it is first asked for.
    ///
    /// ```
    /// use anyhook_engine::world::World;
    ///
    /// let homeless = World { places: None, managed: "/nowhere".into(), ..World::real() };
    /// assert!(homeless.config().session.is_ok());
    /// ```
    pub fn config(&self) -> &Config {
        self.configured.get(self)
    }

    /// Returns a variable of the environment.
    pub fn var(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.env.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Returns the person's home, where there is one.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.places.as_ref().map(|places| &*places.home)
    }

    /// Returns the home that the system knows the person by, whatever `HOME` says; where it knows none, `HOME` if it stands
    /// where homes do.
    pub(crate) fn own_home(&self) -> Option<PathBuf> {
        let home = listed(&rustix::process::getuid().as_raw().to_string());
        let home = home.map(|(_, home)| home).filter(|home| !home.is_empty());
        let told = || {
            let home = &self.places.as_ref()?.home;
            let is_usual = [Path::new("/home"), Path::new("/Users")];
            let is_usual = home.parent().is_some_and(|above| is_usual.contains(&above));
            is_usual.then(|| home.clone())
        };
        home.map(PathBuf::from).or_else(told)
    }

    /// Returns the folder of what we put on the machine for this person: the program that hosts call.
    ///
    /// ```
    /// use anyhook_engine::world::World;
    ///
    /// let env = [("XDG_DATA_HOME".into(), "/data".into())].into();
    /// let world = World { env, ..World::real() };
    /// assert_eq!(world.data(), Some("/data/anyhook".into()));
    /// ```
    pub fn data(&self) -> Option<PathBuf> {
        let moved = self.var("XDG_DATA_HOME").map(Path::new);
        let data = match moved.filter(|path| path.is_absolute()) {
            Some(data) => data.to_owned(),
            None => self.places.as_ref()?.home.join(".local/share"),
        };
        Some(data.join("anyhook"))
    }

    /// Returns where a path of a host's table really is, if a variable of the host moves it.
    #[doc(hidden)]
    pub fn moved(&self, settings: &Settings, path: &str) -> Option<PathBuf> {
        let (variable, _) = settings.moved_by?;
        settings.moved(path, Path::new(self.var(variable)?))
    }

    /// Removes the payloads that a process which was killed could not take away.
    pub fn sweep_payloads(&self) {
        if let Some(places) = &self.places {
            files::sweep(&places.payloads(), PAYLOADS_KEPT);
        }
    }

    /// Makes a path absolute, against the folder that the process runs in.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("cwd", &self.cwd)
            .field("places", &self.places)
            .finish_non_exhaustive()
    }
}

/// Returns the name and the home of an account, as the machine lists them.
pub(crate) fn listed(number: &str) -> Option<(String, String)> {
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    accounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        match *fields {
            [name, _, id, _, _, home, ..] if id == number => Some((name.into(), home.into())),
            _ => None,
        }
    })
}

/// Tells whether the environment names a home that is there. Without one nothing is remembered and no pin is found: a
/// home from the list of users would be one that the caller took away, and one that is not there is not ours to make.
fn has_home() -> bool {
    std::env::var_os("HOME").is_some_and(|home| {
        let home = Path::new(&home);
        home.is_absolute() && home.is_dir()
    })
}

/// Returns where this process was before its folder was deleted: the hooks above it still hold.
fn last_cwd() -> PathBuf {
    let link = std::fs::read_link("/proc/self/cwd").ok();
    let text = link.as_ref().and_then(|link| link.to_str());
    let kernel = text.map(|text| PathBuf::from(text.strip_suffix(" (deleted)").unwrap_or(text)));
    let shell = || std::env::var_os("PWD").map(PathBuf::from);
    kernel
        .or_else(shell)
        .filter(|folder| folder.is_absolute())
        .unwrap_or_else(|| PathBuf::from("/"))
}

/// Returns eight letters and digits that no one can guess: the keys of a hash map are seeded by the system.
fn random_id() -> Box<str> {
    const LETTERS: &[u8] = b"23456789abcdefghijkmnpqrstuvwxyz";
    let mut bits = std::hash::RandomState::new().build_hasher().finish();
    let mut id = String::with_capacity(8);
    for _ in 0..8 {
        let at = usize::try_from(bits % 32).unwrap_or_default();
        id.push(LETTERS.get(at).copied().map_or('2', char::from));
        bits /= 32;
    }
    id.into()
}
