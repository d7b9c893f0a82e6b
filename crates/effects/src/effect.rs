//! The effects of an action: their kinds, their targets, and how certain each is.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// One thing that an action does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Effect {
    /// What is done.
    pub kind: EffectKind,
    /// What it falls on.
    pub object: Target,
    /// How sure we are that it happens, and that the object is this one.
    pub certainty: Certainty,
    /// The program, tool or construct that does it, for people: `sed -i`, `>`, `Edit`.
    pub through: String,
}

/// A kind of effect. The names are what hooks.json, rules and `$ANYHOOK_EFFECTS` use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EffectKind {
    /// A file or folder is read.
    Read,
    /// A file is made or changed.
    Write,
    /// A file or folder is removed, or moved away.
    Delete,
    /// A connection to another machine or a local server.
    Net,
    /// A program is run.
    Exec,
    /// Commits are sent to another repository.
    Push,
    /// A commit is made.
    Commit,
    /// Work in the repository that was not committed, or commits, are thrown away.
    Discard,
    /// Packages of others are installed.
    Install,
    /// A package, a release or an image is published.
    Publish,
    /// A process gets a signal.
    Signal,
    /// Settings of git, of a shell or of an agent change.
    Config,
}

impl EffectKind {
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

    /// Returns its name in hooks.json, in rules and in `$ANYHOOK_EFFECTS`.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns what it is in a sentence: `connect to`.
    pub const fn verb(self) -> &'static str {
        self.words().1
    }

    /// Returns what it is in a sentence about a program: `connects to`.
    pub fn does(self) -> String {
        let (first, rest) = self
            .verb()
            .split_at(self.verb().find(' ').unwrap_or(self.verb().len()));
        let end = if first.ends_with("sh") { "es" } else { "s" };
        format!("{first}{end}{rest}")
    }

    /// Returns what it falls on where that is not known.
    pub const fn unknown(self) -> &'static str {
        self.words().2
    }

    /// Its name, and its words in a sentence: what is done, and to what where that is not known.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        const FILE: &str = "a file whose name is not known";
        match self {
            Self::Read => ("fs.read", "read", FILE),
            Self::Write => ("fs.write", "write", FILE),
            Self::Delete => ("fs.delete", "delete", FILE),
            Self::Net => ("net", "connect to", "a machine whose name is not known"),
            Self::Exec => ("exec", "run", "code that cannot be read"),
            Self::Push => ("vcs.push", "push to", "a place that is not known"),
            Self::Commit => ("vcs.commit", "commit to", "a branch that is not known"),
            Self::Discard => ("vcs.discard", "throw away", "work that is not committed"),
            Self::Install => ("pkg.install", "install", "a package that is not known"),
            Self::Publish => (
                "pkg.publish",
                "publish",
                "something whose name is not known",
            ),
            Self::Signal => ("process.signal", "signal", "a process that is not known"),
            Self::Config => ("config", "change", "a setting that is not known"),
        }
    }
}

impl Serialize for EffectKind {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl Effect {
    /// Makes an effect.
    pub fn new(
        kind: EffectKind,
        object: Target,
        certainty: Certainty,
        by: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            object,
            certainty,
            through: by.into(),
        }
    }

    /// Returns the program that does it, without the option that makes it so.
    pub fn program(&self) -> &str {
        self.through.split(' ').next().unwrap_or_default()
    }

    /// Tells whether it is of a program that only changes files which are there, those that it is given or finds in a folder.
    pub fn is_edit(&self) -> bool {
        crate::programs::words::EDITORS.contains(&self.program())
    }

    /// Tells whether code runs that is not read here.
    pub fn is_opaque(&self) -> bool {
        matches!(self.object, Target::Program { opaque: true, .. })
    }

    /// Returns an unknown effect of every kind: what something may do that cannot be read.
    pub fn anything(through: &str) -> Vec<Self> {
        let unknown =
            |kind: &EffectKind| Self::new(*kind, Target::Unknown, Certainty::Unknown, through);
        EffectKind::ALL.iter().map(unknown).collect()
    }

    /// Says it in a sentence for people: `writes .env through sed -i, exact`. Paths count from the project.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
    ///
    /// let effect = Effect {
    ///     kind: EffectKind::Write,
    ///     object: Target::Path("/p/.env".into()),
    ///     certainty: Certainty::Exact,
    ///     through: "sed -i".to_owned(),
    /// };
    /// assert_eq!(effect.sentence(Path::new("/p")), "writes .env through sed -i, exact");
    /// ```
    pub fn sentence(&self, project: &Path) -> String {
        let verb = self.kind.does();
        let certainty = match self.certainty {
            Certainty::Exact => "exact",
            Certainty::Likely => "likely",
            Certainty::Unknown => "unknown",
        };
        let object = self.object.named(project, &str::to_owned);
        let through = match self.kind {
            // A program that runs names itself.
            EffectKind::Exec if object.starts_with(&self.through) => String::new(),
            _ => format!(" through {}", self.through),
        };
        format!("{verb} {object}{through}, {certainty}")
    }
}

/// Says what effects are in sentences for people, each once; what may do anything is one of them.
pub fn sentences(effects: &[Effect], project: &Path) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for effect in effects {
        let is_open =
            |other: &Effect| (&other.object, &other.through) == (&Target::Unknown, &effect.through);
        let open = |kind: &EffectKind| effects.iter().any(|one| one.kind == *kind && is_open(one));
        let line = if is_open(effect) && EffectKind::ALL.iter().all(open) {
            format!("may do anything through {}, unknown", effect.through)
        } else {
            effect.sentence(project)
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

impl Target {
    /// Makes a program of this name whose code is not read here.
    pub fn opaque(name: impl Into<String>) -> Self {
        Self::Program {
            name: name.into(),
            arguments: Vec::new(),
            opaque: true,
        }
    }

    /// Names it for people; paths count from the project. `quote` puts the marks around a name.
    pub fn named(&self, project: &Path, quote: &dyn Fn(&str) -> String) -> String {
        let below = |path: &Path| match path.strip_prefix(project) {
            Ok(rest) if rest.as_os_str().is_empty() => quote("."),
            Ok(rest) => quote(&rest.to_string_lossy()),
            Err(_) => quote(&path.to_string_lossy()),
        };
        match self {
            Self::Path(path) => below(path),
            Self::Pattern(pattern) => below(Path::new(pattern)),
            Self::Tree(path) => format!("{} and everything below it", below(path)),
            Self::Host(name) | Self::Name(name) => quote(name),
            Self::Push(push) => push.named(quote),
            Self::Program {
                name,
                arguments,
                opaque,
            } => {
                let words = arguments.iter().map(|word| word.as_deref().unwrap_or("…"));
                let line = std::iter::once(&**name).chain(words).collect::<Vec<_>>();
                let unread = if *opaque {
                    ", whose code is not read"
                } else {
                    ""
                };
                format!("{}{unread}", quote(&line.join(" ")))
            }
            Self::Unknown => "what cannot be read".to_owned(),
        }
    }
}

impl Push {
    fn named(&self, quote: &dyn Fn(&str) -> String) -> String {
        let remote = self.remote.as_deref().map(quote);
        let mut text = remote.unwrap_or_else(|| "the remote that git chooses".to_owned());
        text += if self.forced { " by force" } else { "" };
        text += if self.deleted { ", deleting" } else { "" };
        for name in &self.refs {
            text += " ";
            text += &quote(name);
        }
        text
    }
}

/// What an effect falls on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// One path, absolute as far as the folder is known; `..` is not resolved.
    #[serde(serialize_with = "readable")]
    Path(PathBuf),
    /// Every path that matches this absolute pattern of a shell; `*` and `?` match no `/`, and `**` is any text, `/`
    /// included.
    /// Where none does, a shell takes the pattern itself for the name.
    Pattern(String),
    /// A folder with everything below it.
    #[serde(serialize_with = "readable")]
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

/// Writes a path that is no text with a mark for each byte that is none: a hook reads it rather than nothing.
fn readable<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&path.to_string_lossy())
}

/// A push to another repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
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
