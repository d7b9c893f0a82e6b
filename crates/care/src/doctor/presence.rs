//! One host as it is on this machine: the facts that the checks read.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhook_engine::folders::TrustState;
use anyhook_engine::policy::Policy;
use anyhook_wires::Host;
use anyhook_wires::settings::command::Called;
use anyhook_wires::settings::edit::{EditError, Standing};
use anyhook_wires::settings::{Scope, Settings};

use super::project::Manifest;
use super::rehearsal::Trial;
use super::{Asked, fast};
use crate::verify::Verified;

/// One host as it is on this machine.
pub struct Presence {
    /// The host.
    pub host: &'static dyn Host,
    /// Where it keeps its hooks.
    pub(crate) settings: &'static Settings,
    /// Whether a person named it.
    pub(crate) asked: Asked,
    /// Its program, where it is found.
    pub agent: Option<Agent>,
    /// A file or folder by which it is known to be used here.
    pub(crate) trace: Option<PathBuf>,
    /// Its settings files that are there.
    pub files: Vec<File>,
    /// The scopes into which we once wrote for it.
    pub(crate) recorded: Vec<Scope>,
    /// What switches its hooks off: what, and in which file.
    pub(crate) switched_off: Vec<SwitchedOff>,
    /// What it says about trusting us.
    pub(crate) trusted: Vec<Trusted>,
    /// What our entries did when they were run.
    pub trials: Vec<Trial>,
    /// When it was last seen to obey.
    pub verified: Option<Verified>,
    /// The files of other hosts that it reads too and in which entries of ours stand.
    pub(crate) reads_too: Vec<(&'static str, PathBuf)>,
    /// The manifests that hold here.
    pub(crate) manifests: Vec<Manifest>,
    /// The files of the administrator that others may change, with why.
    pub(crate) managed: Vec<(PathBuf, String)>,
    /// The policy that the administrator applied, and the time of the look.
    pub(crate) policy: Option<(Policy, i64)>,
    /// The hooks that keep the agent waiting longer than the budget.
    pub(crate) slow: Vec<fast::Timed>,
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presence")
            .field("host", &self.host.id())
            .field("agent", &self.agent)
            .field("files", &self.files)
            .field("trials", &self.trials)
            .finish_non_exhaustive()
    }
}

/// The program of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Where it is.
    pub program: PathBuf,
    /// What it says its version is, where it says so in time.
    pub version: Option<String>,
}

/// A settings file of a host.
#[derive(Debug)]
pub struct File {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is.
    pub path: PathBuf,
    /// The hooks in it, of everybody.
    pub(crate) entries: Result<Vec<Entry>, Wrong>,
}

impl File {
    /// Counts the entries of ours.
    pub fn own_entries(&self) -> usize {
        let entries = self.entries.iter().flatten();
        entries.filter(|entry| entry.own.is_some()).count()
    }

    /// Tells whether it can be read and understood.
    pub fn is_readable(&self) -> bool {
        self.entries.is_ok()
    }
}

/// Why a settings file has no entries that anybody can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// It cannot be understood.
    Syntax(EditError),
}

/// A hook in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// What stands there.
    pub standing: Standing,
    /// What it says, if it is ours.
    pub own: Option<Own>,
}

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Own {
    /// The command line, or the path of the script, exactly as it stands there.
    pub command: String,
    /// What it says.
    pub called: Called,
    /// What is at the place of the program that it names.
    pub program: ProgramState,
}

/// What is at the place of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgramState {
    /// It runs and says this version.
    Runs(String),
    /// It was not looked at: a project's file names it, in a line that `install` does not write.
    Strangers,
    /// It is looked for on `PATH`, by a shell.
    Searched,
    /// It is a server, and answers to the token that is set here.
    Serves,
    /// It is a server, and for this reason gives no answer to events.
    Closed(String),
    /// Nothing is there.
    Missing,
    /// A file without permission to execute.
    NotExecutable,
    /// It does not start, or does not say what it is.
    Strange(String),
}

impl ProgramState {
    /// Tells whether running the entry can come to anything.
    pub(crate) fn may_run(&self) -> bool {
        match self {
            Self::Runs(_) | Self::Searched => true,
            // What a server says of an event is what it says of it to the agent too, record and all: it is not tried.
            Self::Serves
            | Self::Closed(_)
            | Self::Strangers
            | Self::Missing
            | Self::NotExecutable
            | Self::Strange(_) => false,
        }
    }
}

/// A switch that is thrown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SwitchedOff {
    /// Its name.
    pub name: String,
    /// In which file.
    pub file: PathBuf,
    /// The scopes in which entries of ours are stopped by it.
    pub scopes: Vec<Scope>,
}

/// What an agent says about trusting us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trusted {
    /// What it is about.
    pub about: About,
    /// Whether it does.
    pub state: TrustState,
    /// Where that stands.
    pub file: PathBuf,
    /// What a person does to change it.
    pub fix: &'static str,
}

/// What an agent may trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// A folder.
    Folder(PathBuf),
    /// The entry for this event.
    Entry(String),
}

impl Presence {
    /// Lists the entries of ours, with the file of each.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&File, &Entry, &Own)> {
        self.files.iter().flat_map(|file| {
            let entries = file.entries.iter().flatten();
            entries.filter_map(move |entry| Some((file, entry, entry.own.as_ref()?)))
        })
    }

    /// Tells whether it was seen to do what is expected of it in the version that is here.
    pub fn is_verified(&self) -> bool {
        let here = self
            .agent
            .as_ref()
            .and_then(|agent| agent.version.as_deref());
        let verified = self.verified.as_ref();
        verified.is_some_and(|verified| {
            verified.differences.is_empty() && here.is_some_and(|here| here == verified.version)
        })
    }

    /// Tells whether any entry is ours.
    pub fn is_installed(&self) -> bool {
        self.own().next().is_some()
    }

    /// Returns the file of a scope in which entries of ours stand.
    pub(crate) fn file_of(&self, scope: Scope) -> Option<&Path> {
        let mut own = self.own();
        own.find(|(file, ..)| file.scope == scope)
            .map(|(file, ..)| file.path.as_path())
    }

    /// Lists the scopes in which entries of ours stand, the widest first.
    pub(crate) fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = self.own().map(|(file, ..)| file.scope).collect();
        scopes.sort();
        scopes.dedup();
        scopes
    }
}
