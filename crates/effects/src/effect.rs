//! What an action does to the world: kinds of effects, what they fall on, and how sure we are.

use std::path::PathBuf;

use serde::Serialize;

/// One thing that an action does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// What is done.
    pub kind: Kind,
    /// What it falls on.
    pub object: Object,
    /// How sure we are that it happens, and that the object is this one.
    pub certainty: Certainty,
    /// The program, tool or construct that does it, for people: `sed -i`, `>`, `Edit`.
    pub through: String,
}

/// A kind of effect. The names are what hooks.json, rules and `$ANYHOOK_EFFECTS` use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Kind {
    /// A file or folder is read.
    #[serde(rename = "fs.read")]
    Read,
    /// A file is made or changed.
    #[serde(rename = "fs.write")]
    Write,
    /// A file or folder is removed, or moved away.
    #[serde(rename = "fs.delete")]
    Delete,
    /// A connection to another machine or a local server.
    #[serde(rename = "net")]
    Net,
    /// A program is run.
    #[serde(rename = "exec")]
    Exec,
    /// Commits are sent to another repository.
    #[serde(rename = "vcs.push")]
    Push,
    /// A commit is made.
    #[serde(rename = "vcs.commit")]
    Commit,
    /// Work in the repository that was not committed, or commits, are thrown away.
    #[serde(rename = "vcs.discard")]
    Discard,
    /// Packages of others are installed.
    #[serde(rename = "pkg.install")]
    Install,
    /// A package, a release or an image is published.
    #[serde(rename = "pkg.publish")]
    Publish,
    /// A process gets a signal.
    #[serde(rename = "process.signal")]
    Signal,
    /// Settings of git, of a shell or of an agent change.
    #[serde(rename = "config")]
    Config,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Read,
        Self::Write,
        Self::Delete,
        Self::Net,
        Self::Exec,
        Self::Push,
        Self::Commit,
        Self::Discard,
        Self::Install,
        Self::Publish,
        Self::Signal,
        Self::Config,
    ];
}

impl Effect {
    /// Returns an unknown effect of every kind: what something may do that cannot be read.
    pub fn anything(through: &str) -> Vec<Self> {
        let each = Kind::ALL.iter().map(|kind| Self {
            kind: *kind,
            object: Object::Unknown,
            certainty: Certainty::Unknown,
            through: through.to_owned(),
        });
        each.collect()
    }
}

/// What an effect falls on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Object {
    /// One path, absolute as far as the folder is known; `..` is not resolved.
    Path(PathBuf),
    /// Every path that matches this absolute pattern of a shell; `*` and `?` match no `/`, and `**` is any text, `/`
    /// included.
    Pattern(String),
    /// A folder with everything below it.
    Tree(PathBuf),
    /// A machine, as far as it is known: a name, or a name and a port.
    Host(String),
    /// A push: where to, what, and how.
    Push(Push),
    /// A program by its last name, with its arguments; `opaque` if it runs code that is not read here.
    Program {
        /// The last name of the program.
        name: String,
        /// Its arguments, as far as they are known; an unreadable one is `None`.
        arguments: Vec<Option<String>>,
        /// Whether it runs code that is not read here: a build tool, a test runner, a script beyond the depth.
        opaque: bool,
    },
    /// Anything that has a name: a package, a branch, a key of a setting, a process.
    Name(String),
    /// It cannot be read.
    Unknown,
}

/// A push to another repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Push {
    /// The remote or URL; `None` where git decides or it cannot be read.
    pub remote: Option<String>,
    /// Names of the refs as they will be called there; empty where git decides.
    pub refs: Vec<String>,
    /// Whether history there may be rewritten: `--force`, `+ref`, `--mirror`, `--force-with-lease`.
    pub forced: bool,
    /// Whether refs there are deleted.
    pub deleted: bool,
}

/// How sure an effect is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It may happen; the object, or whether it happens, cannot be read. It matches every guard of its kind, and no rule
    /// that approves.
    Unknown,
    /// It happens, as far as names can tell: a branch of an `if`, a `cd` that may fail, a glob.
    Likely,
    /// It happens if the command runs.
    Exact,
}
