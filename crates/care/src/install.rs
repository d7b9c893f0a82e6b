//! Puts Anyhook into the settings of the agents on this machine, and takes it out again.
//!
//! First a [`InstallPlan`] is made, which only reads: if one file of one host cannot be understood, nothing at all is written
//!. Then it is carried out, file by file. A file is replaced as a whole, so that a crash leaves the old one or the new
//! one; before that, what was there is kept, and a record says what we are about to write. No file of ours is ever without
//! its record, so what is taken out later is taken out byte for byte, or, where another program wrote in between, entry by
//! entry.
//!
//! ```
//! use std::fs;
//! use std::path::Path;
//!
//! use anyhook_care::install::{
//!     PlannedChange, InstallError, Installer, InstallPlan, InstallRecord, SkippedHost,
//! };
//! use anyhook_wires::host;
//! use anyhook_wires::settings::Scope;
//! use anyhook_engine::world::{UserFolders, World};
//!
//! // A person with a home, and settings of their own.
//! let place = tempfile::tempdir()?;
//! let home = place.path().canonicalize()?;
//! let settings = home.join(".claude/settings.json");
//! fs::create_dir(home.join(".claude"))?;
//! fs::write(&settings, "{\n  \"model\": \"opus\"\n}\n")?;
//! let program = home.join("anyhook");
//! fs::write(&program, "#!/bin/sh\n")?;
//! let places = UserFolders { home: home.clone(), config: home.join("config"), state: home.join("state") };
//! let world =
//!     World { env: [].into(), cwd: home.clone(), places: Some(places), ..World::real() };
//! let installer = Installer {
//!     world: &world,
//!     program: &program,
//!     root: Path::new("/"),
//!     os: "linux",
//!     probe: || (),
//! };
//! let claude = host("claude-code").ok_or("no such host")?;
//! assert!(installer.finds(claude, claude.facts().settings.ok_or("no settings")?).is_some());
//!
//! // First a plan, which only reads.
//! let told = |errors: Vec<InstallError>| errors.iter().map(InstallError::chain).collect::<String>();
//! let InstallPlan { changes, skipped, program: copy } =
//!     installer.plan(Some(claude), Scope::User).map_err(told)?;
//! let change: &PlannedChange = &changes[0];
//! assert!(change.diff().contains("+") && !change.is_none() && !change.is_script);
//! assert!(change.entries > 0);
//! assert_eq!((skipped, copy), (Vec::<SkippedHost>::new(), Some(installer.stable(Scope::User)?)));
//!
//! // Then it is carried out: the program is copied, a record is kept, and the file is ours.
//! let plan = installer.plan(Some(claude), Scope::User).map_err(told)?;
//! installer.carry_out(&plan)?;
//! assert!(fs::read_to_string(&settings)?.contains("anyhook run"));
//! let records: Vec<InstallRecord> = installer.records()?;
//! assert_eq!((&*records[0].host, records[0].scope()), ("claude-code", Some(Scope::User)));
//!
//! // Taken out again, it is what it was.
//! let undo = installer.plan_undo(None, None).map_err(told)?;
//! assert!(undo.changes[0].is_restored);
//! installer.carry_out(&undo)?;
//! assert_eq!(fs::read_to_string(&settings)?, "{\n  \"model\": \"opus\"\n}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod plan;
mod program;
mod record;
mod rows;
mod sandbox;
pub(crate) mod scripts;
mod takeover;
mod target;
mod undo;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_engine::load::Strictness;
use anyhook_engine::processes::find_program;
use anyhook_engine::world::{UserFolders, World};
use anyhook_wires::Host;
use anyhook_wires::settings::{Scope, Settings, SettingsFile};
use serde::Serialize;

pub use error::{InstallError, Obstacle};
pub use record::InstallRecord;
pub use takeover::Takeover;

/// A text made to be hard to compare gets a coarse diff after this time, not an endless one.
const PATIENCE: Duration = Duration::from_millis(500);

/// Installs for one person, on one machine.
#[derive(Debug, Clone, Copy)]
pub struct Installer<'a> {
    /// The world.
    pub world: &'a World,
    /// The program that is running, to be copied.
    pub program: &'a Path,
    /// What absolute paths begin with: `/`, except in a test.
    pub root: &'a Path,
    /// The system, as `std::env::consts::OS` has it.
    pub os: &'a str,
    /// Called before every step that writes; does nothing, except in a test.
    pub probe: fn(),
}

/// How entries are written.
#[derive(Debug, Clone, Copy, Default)]
pub struct InstallOptions {
    /// Whether they refuse what hooks guard that may not run. Entries that do so already go on doing so, whatever is asked for.
    pub strictness: Strictness,
    /// The port of the server to which events are posted, where the host can do that.
    pub server: Option<u16>,
}

/// What would be written.
#[derive(Debug, Default)]
pub struct InstallPlan {
    /// Every file, with what would become of it.
    pub changes: Vec<PlannedChange>,
    /// The hosts for which nothing is done.
    pub skipped: Vec<SkippedHost>,
    /// Where the program goes; nothing where it is not needed.
    pub program: Option<PathBuf>,
}

impl InstallPlan {
    fn skip(&mut self, host: &Host, why: String) {
        let host = host.id();
        self.skipped.push(SkippedHost { host, why });
    }
}

/// A host for which nothing is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedHost {
    /// Its id.
    pub host: &'static str,
    /// Why.
    pub why: String,
}

/// One file, and what would become of it.
#[derive(Debug, Clone)]
pub struct PlannedChange {
    /// The host whose file it is.
    pub host: &'static str,
    /// Whose agents it configures.
    pub scope: Scope,
    /// The file: behind all symbolic links.
    pub path: PathBuf,
    /// What is there; nothing where there is no file.
    pub before: Option<Vec<u8>>,
    /// What will be there; nothing where the file goes.
    pub after: Option<Vec<u8>>,
    /// How many events call us, when it is done.
    pub entries: usize,
    /// What a person should know.
    pub notes: Vec<String>,
    /// Whether the file is one of several of ours in a folder: the script of an event, or a part of a plugin.
    pub is_script: bool,
    /// Whether it becomes what it was before us, byte for byte.
    pub is_restored: bool,
    file: &'static SettingsFile,
    /// What its sandbox holds of ours; nothing where that stays as it is.
    rows: Option<Vec<rows::SettingRow>>,
    record: RecordStep,
}

/// What becomes of the record.
#[derive(Debug, Clone)]
enum RecordStep {
    /// It is written, with what was there before us.
    Write(Original),
    /// It is removed, and so are these folders, which we made, unless something stands in them.
    Remove(Vec<PathBuf>),
}

/// A file before us.
#[derive(Debug, Clone, Default)]
struct Original {
    /// What was in it; nothing where there was no file.
    content: Option<Vec<u8>>,
    /// The hooks of it that were taken over to us, as settings of its host.
    taken: Option<String>,
    /// The folders that we make for it, the innermost first.
    folders: Vec<PathBuf>,
}

impl PlannedChange {
    /// Returns what the person of this file does next, where it is not what the agent's settings say.
    pub fn next(&self) -> Option<&'static str> {
        self.file.next
    }

    /// Tells whether the file stays as it is.
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }

    /// Shows what would change, as a unified diff.
    pub fn diff(&self) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            let bytes = bytes.as_deref().unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let name = |bytes: &Option<Vec<u8>>| match bytes {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(&self.before), text(&self.after));
        let mut config = similar::TextDiff::configure();
        let diff = config.timeout(PATIENCE).diff_lines(&before, &after);
        let (from, to) = (name(&self.before), name(&self.after));
        diff.unified_diff().header(&from, &to).to_string()
    }

    /// Returns how many values are of the agent's own sandbox, where these are written.
    pub fn fenced(&self) -> Option<usize> {
        self.rows.as_ref().map(Vec::len)
    }
}

impl<'a> Installer<'a> {
    fn places(&self) -> Result<&'a UserFolders, InstallError> {
        let places = self.world.places.as_ref();
        places.ok_or_else(InstallError::no_home)
    }

    /// Returns what is there of the files and programs of a host; nothing where it is not on this machine.
    pub fn finds(&self, host: &Host, settings: &Settings) -> Option<PathBuf> {
        let folders = settings.found_by.iter();
        let mut folders = folders.filter_map(|path| self.expand(settings, path).ok());
        let on_path = || {
            let (path, cwd) = (self.world.var("PATH")?, &self.world.cwd);
            let mut names = host.facts().executables.iter();
            names.find_map(|name| find_program(name.as_ref(), path, cwd))
        };
        folders.find(|path| path.exists()).or_else(on_path)
    }
}
