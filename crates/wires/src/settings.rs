//! Where each host keeps its hooks, and in which form: data for `install`, `doctor` and `convert`.
//!
//! Each host has one [`Settings`], in its own file. What is done with a text stands in [`edit`], how
//! our own entries are written and known again in [`command`]. Nothing here reads or writes a file.
//!
//! ```
//! use anyhook_wires::settings::command::ProgramReference;
//! use anyhook_wires::settings::{
//!     SettingsEntry, EntryValue, Scope, Settings, SettingsFile, SettingsLayout, Shell, TimeUnit, entries,
//! };
//!
//! /// How an imaginary agent would keep its hooks.
//! static OURS: Settings = Settings {
//!     files: &[
//!         SettingsFile { scope: Scope::User, path: "~/.agent/hooks.json", ..SettingsFile::BARE },
//!         SettingsFile {
//!             scope: Scope::Managed,
//!             path: "/etc/agent.json",
//!             platform: "linux",
//!             at: &["all", "hooks"],
//!             ..SettingsFile::BARE
//!         },
//!     ],
//!     moved_by: None,
//!     found_by: &["~/.agent"],
//!     shape: SettingsLayout::Entries,
//!     entry: &[("command", EntryValue::Command), ("timeout", EntryValue::Timeout(TimeUnit::Seconds))],
//!     empty: "{\"version\": 1}\n",
//!     commands: &["command"],
//!     without: &[("Stop", "it cannot be answered")],
//!     shell: Shell::Posix,
//!     next: "start the agent again",
//! };
//! assert!(OURS.has("PreToolUse") && !OURS.has("Stop"));
//! assert_eq!(OURS.files_of(Scope::Managed, "linux").count(), 1);
//! assert_eq!(OURS.files_of(Scope::Managed, "macos").count(), 0);
//! assert!(Scope::ALL.iter().all(|scope| Scope::named(scope.name()) == Some(*scope)));
//!
//! // One entry for each event that the host has.
//! let claude = anyhook_wires::host("claude-code").unwrap();
//! let all = entries(claude, &OURS, ProgramReference::at("/opt/anyhook"));
//! let SettingsEntry { value, .. } = all.iter().find(|entry| entry.event == "PreToolUse").unwrap();
//! assert!(value["command"].as_str().unwrap().starts_with("/opt/anyhook run PreToolUse"));
//! ```

pub mod command;
pub mod edit;
mod entry;
pub(crate) mod json;
pub mod posted;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::Host;
use crate::bare::bare;
use crate::native_files::Syntax;
pub use entry::{SettingsEntry, entries};

/// Whose agents a settings file configures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everybody's on this machine, set by its administrator.
    Managed,
    /// One person's, in every project.
    User,
    /// Everybody's in one project; the file is committed.
    Project,
    /// One person's in one project; the file is not committed.
    Local,
}

impl Scope {
    /// Every scope, the widest first.
    pub const ALL: [Self; 4] = [Self::Managed, Self::User, Self::Project, Self::Local];

    /// Returns its name, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    /// Finds a scope by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

bare! {
    /// Where and in which form a host keeps its hooks; without a word in groups of entries that say the type, the command line
    /// and the seconds.
    ///
    /// ```
    /// use anyhook_wires::settings::{Settings, SettingsLayout};
    /// static ACME: Settings = Settings { shape: SettingsLayout::Entries, ..Settings::BARE };
    /// assert_eq!((ACME.files.len(), ACME.entry.len()), (0, 3));
    /// ```
    #[derive(Debug, Clone, Copy)]
    pub struct Settings {
        /// The files, of each scope the preferred one first.
        pub files: &'static [SettingsFile] = &[],
        /// The variable that moves the person's folder of this host, and that folder: `("CODEX_HOME", "~/.codex")`.
        pub moved_by: Option<(&'static str, &'static str)> = None,
        /// What is there once the agent was used on a machine, such as `~/.claude`.
        pub found_by: &'static [&'static str] = &[],
        /// How hooks are nested.
        pub shape: SettingsLayout = SettingsLayout::Groups,
        /// The fields of one entry, in order.
        pub entry: &'static [(&'static str, EntryValue)] = &[
            ("type", EntryValue::Text("command")),
            ("command", EntryValue::Command),
            ("timeout", EntryValue::Timeout(TimeUnit::Seconds)),
        ],
        /// The text of a new file without hooks.
        pub empty: &'static str = "{\n}\n",
        /// The fields of an entry, or of its `action`, that hold a command line on any platform.
        pub commands: &'static [&'static str] = &["command"],
        /// The events that get no entry, and why.
        pub without: &'static [(&'static str, &'static str)] = &[],
        /// What runs a command line.
        pub shell: Shell = Shell::Own,
        /// What a person has to do before the entries hold.
        pub next: &'static str = "start a new session to load them",
    }
}

bare! {
    /// One file of a host that holds hooks.
    #[derive(Debug, Clone, Copy)]
    pub struct SettingsFile(scope, path) {
        /// Whose it is.
        pub scope: Scope = Scope::User,
        /// Its path: `~/` stands for the home, one without a leading `/` or drive is below the project. For
        /// [`SettingsLayout::Scripts`] it is the folder of the scripts.
        pub path: &'static str = "",
        /// The system on which it is read, as `std::env::consts::OS` has it; `any` is each.
        pub platform: &'static str = "any",
        /// The fields that lead to the hooks, from the outermost: usually `hooks`.
        pub at: &'static [&'static str] = &["hooks"],
        /// What its person does next, where that is not what [`Settings::next`] says.
        pub next: Option<&'static str> = None,
    }
}

impl SettingsFile {
    /// Tells whether it is written in TOML, where each entry is a table.
    pub fn is_toml(&self) -> bool {
        Syntax::of(Path::new(self.path)) == Syntax::Toml
    }
}

/// How a host nests its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingsLayout {
    /// An event's list holds groups, and a group's `hooks` the entries: `{"Stop": [{"hooks": [ENTRY]}]}`.
    Groups,
    /// The same on events that are about tools; the list of every other event holds the entries.
    ToolGroups,
    /// An event's list holds the entries: `{"stop": [ENTRY]}`.
    Entries,
    /// One list holds all entries, and each names its event: `[ENTRY]`.
    List,
    /// One executable file per event, named after it.
    Scripts,
    /// A plugin of ours, which asks a server: these files, of which the first is loaded.
    Plugin(&'static [&'static str]),
}

/// What a field of an entry holds.
#[derive(Debug, Clone, Copy)]
pub enum EntryValue {
    /// This text.
    Text(&'static str),
    /// These texts.
    Texts(&'static [&'static str]),
    /// True.
    True,
    /// The command line.
    Command,
    /// How long the host waits. The field is left out where the host's time is no whole number of this unit.
    Timeout(TimeUnit),
    /// The event's name.
    Event,
    /// Our name and the event's.
    Title,
    /// An object of these fields.
    Object(&'static [(&'static str, EntryValue)]),
    /// This, where a refusal of the event holds; elsewhere the field is left out.
    OnGates(&'static EntryValue),
}

/// In what a host counts the time of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Seconds in numbers below this one, milliseconds from it on.
    SecondsBelow(u32),
}

impl TimeUnit {
    /// Returns the time that a number of the host's file means.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use anyhook_wires::settings::TimeUnit;
    ///
    /// let qwen = TimeUnit::SecondsBelow(1000);
    /// assert_eq!(qwen.time(10.0), Some(Duration::from_secs(10)));
    /// assert_eq!(qwen.time(60_000.0), Some(Duration::from_secs(60)));
    /// assert_eq!(TimeUnit::Millis.time(-1.0), None);
    /// assert_eq!(qwen.number(Duration::from_secs(10)), 10_000);
    /// ```
    pub fn time(self, count: f64) -> Option<Duration> {
        let seconds = match self {
            Self::Seconds => count,
            Self::SecondsBelow(limit) if count < f64::from(limit) => count,
            Self::Millis | Self::SecondsBelow(_) => count / 1000.0,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Returns the number that means a time: in milliseconds wherever the host takes them, because older versions of it
    /// knew no other unit.
    pub fn number(self, time: Duration) -> Value {
        let seconds = time.as_secs_f64();
        let millis = seconds * 1000.0;
        let count = match self {
            Self::Seconds => seconds,
            Self::SecondsBelow(limit) if millis < f64::from(limit) => seconds,
            Self::Millis | Self::SecondsBelow(_) => millis,
        };
        let whole = format!("{count}").parse::<u64>();
        whole.map_or_else(|_| count.into(), Value::from)
    }
}

/// What runs the command line of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// A shell that reads POSIX: `sh`, `bash`.
    Posix,
    /// The person's own, whatever it is: only simple commands are sure to mean the same.
    Own,
}

impl Settings {
    /// Returns where a path of the table is once the host's own folder is moved to `to`, an absolute path.
    pub fn moved(&self, path: &str, to: &Path) -> Option<PathBuf> {
        let (_, folder) = self.moved_by?;
        let rest = path.strip_prefix(folder)?;
        let is_below = rest.is_empty() || rest.starts_with('/');
        (is_below && to.is_absolute()).then(|| to.join(rest.trim_start_matches('/')))
    }

    /// Tells whether an event of this name gets an entry.
    pub fn has(&self, event: &str) -> bool {
        self.without.iter().all(|(name, _)| *name != event)
    }

    /// Tells whether a plugin of ours asks a server, so that no entry calls the program.
    pub fn asks_server(&self) -> bool {
        matches!(self.shape, SettingsLayout::Plugin(_))
    }

    /// Returns the names of our files in a folder of the host; nothing where entries stand in a file of its own.
    pub fn own_files(&self, host: &Host) -> Option<Vec<&'static str>> {
        match self.shape {
            SettingsLayout::Scripts => Some(host.rows().iter().map(|row| row.name).collect()),
            SettingsLayout::Plugin(names) => Some(names.to_vec()),
            SettingsLayout::Groups
            | SettingsLayout::ToolGroups
            | SettingsLayout::Entries
            | SettingsLayout::List => None,
        }
    }

    /// Tells whether the entries of an event stand in groups.
    pub(crate) fn groups(&self, event: &str) -> bool {
        match self.shape {
            SettingsLayout::Groups => true,
            SettingsLayout::ToolGroups => event.contains("Tool"),
            SettingsLayout::Entries
            | SettingsLayout::List
            | SettingsLayout::Scripts
            | SettingsLayout::Plugin(_) => false,
        }
    }

    /// Tells whether the host is told in an entry to refuse by itself where the hook fails.
    pub(crate) fn refuses_failures(&self) -> bool {
        fn has(fields: &[(&str, EntryValue)]) -> bool {
            fields.iter().any(|(_, part)| match part {
                EntryValue::OnGates(_) => true,
                EntryValue::Object(fields) => has(fields),
                _ => false,
            })
        }
        has(self.entry)
    }

    /// Returns the files of a scope on a system, the preferred one first.
    pub fn files_of(&self, scope: Scope, os: &str) -> impl Iterator<Item = &'static SettingsFile> {
        let files = self.files.iter();
        files.filter(move |file| file.scope == scope && ["any", os].contains(&file.platform))
    }
}
