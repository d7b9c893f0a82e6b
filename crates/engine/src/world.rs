//! The world that one process sees: its environment, its folders, its clock. Read once, here, and handed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhook_core::ports::Clock;
use etcetera::base_strategy::{BaseStrategy, Xdg};

/// Everything that an event needs of the world.
#[derive(Clone)]
pub struct World {
    /// The environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The folder that the process runs in.
    pub cwd: PathBuf,
    /// Our folders; nothing where there is no home.
    pub places: Option<Places>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where short ids come from.
    pub ids: fn() -> Box<str>,
}

/// Our folders, by purpose (XDG on every Unix, D30).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The person's home.
    pub home: PathBuf,
    /// What the person wrote: `hooks.json` for every project.
    pub config: PathBuf,
    /// What we remember: sessions, reports, pins.
    pub state: PathBuf,
}

impl Places {
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

    /// Returns the folder of payloads that hooks of this moment read.
    pub fn payloads(&self) -> PathBuf {
        self.state.join("payloads")
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
        let places = Xdg::new().ok().map(|xdg| Places {
            home: xdg.home_dir().to_path_buf(),
            config: xdg.config_dir().join("anyhook"),
            state: xdg
                .state_dir()
                .unwrap_or_else(|| xdg.data_dir())
                .join("anyhook"),
        });
        Self {
            env: std::env::vars_os().collect(),
            cwd: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            places: places.filter(|places| places.home.is_absolute()),
            clock: Arc::new(SystemClock::default()),
            ids: random_id,
        }
    }

    /// Returns a variable of the environment.
    pub fn var(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.env.get(name.as_ref()).map(OsString::as_os_str)
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

/// The clock of the machine; its stop-watch starts when it is made.
#[derive(Debug)]
pub struct SystemClock {
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            began: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .unwrap_or_default()
    }

    fn since(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Returns eight letters and digits that nobody can guess: the keys of a hash map are seeded by the system.
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
