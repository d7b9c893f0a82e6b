//! The errors of building, fetching and applying a policy.

use std::path::{Path, PathBuf};

use anyhook::config::ConfigError;
use anyhook::core::ports::StoreError;
use anyhook::files::FileError;
use anyhook::packages::PackageError;

/// Why a policy is not what was asked for. Whatever it is, the revision that holds goes on.
///
/// ```
/// use anyhook_fleet::PolicyError;
/// let old = PolicyError::Older { revision: 11, highest: 12 };
/// assert_eq!(old.to_string(), "revision 11 is older than revision 12, which this machine has seen");
/// assert!(old.help().contains("above 12"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The system refused something.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// It is no policy, or one of a form that this program does not know.
    #[error("this is no policy: {0}")]
    Form(String),
    /// It holds what no policy may hold.
    #[error("the policy is refused: {0}")]
    Hostile(String),
    /// No trusted key signed it.
    #[error("no key that this machine trusts signed this policy: {0}")]
    Unsigned(String),
    /// A trusted key is named, and signed another text.
    #[error("the policy is not what the key {0} signed: it was damaged, cut or changed")]
    Changed(String),
    /// A key cannot be used.
    #[error("{0}")]
    Key(String),
    /// It is older than what the machine has seen.
    #[error("revision {revision} is older than revision {highest}, which this machine has seen")]
    Older {
        /// Its number.
        revision: u64,
        /// The highest number that was seen here.
        highest: u64,
    },
    /// Another policy has the same number.
    #[error("this is another policy with the number {revision}, which this machine has seen")]
    Twice {
        /// The number.
        revision: u64,
    },
    /// What it says cannot be obeyed here.
    #[error("{what}")]
    Unfit {
        /// What is wrong.
        what: String,
        /// What to do.
        help: String,
    },
    /// A package of it.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// It could not be fetched.
    #[error("cannot fetch `{url}`: {why}")]
    Fetch {
        /// From where.
        url: String,
        /// Why not.
        why: String,
    },
    /// The server of the fleet did not take or give something.
    #[error("the server `{server}`: {why}")]
    Server {
        /// Its address.
        server: String,
        /// What it said.
        why: String,
    },
    /// A private file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The record cannot be read.
    #[error("the record cannot be read")]
    Record(#[from] StoreError),
    /// The settings.
    #[error(transparent)]
    Settings(#[from] ConfigError),
    /// No policy was applied here.
    #[error("no policy was applied on this machine")]
    Nothing,
}

impl From<serde_json::Error> for PolicyError {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error.to_string())
    }
}

impl PolicyError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }

    /// Names the file of a lead in which a form is wrong.
    pub(crate) fn of_file(self, file: &Path) -> Self {
        match self {
            Self::Form(why) => Self::unfit(
                format!("`{}` cannot be used: {why}", file.display()),
                "mend it and type this again; docs/teams.md shows what it may hold",
            ),
            other => other,
        }
    }

    pub(crate) fn unfit(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unfit {
            what: what.into(),
            help: help.into(),
        }
    }

    /// Returns what a person can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                "the policy of a machine is its administrator's: run it with sudo".into()
            }
            Self::Io { doing: "read the store", .. } => {
                "name the folder of a store; anyhook fleet store FOLDER FILE makes one".into()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                "name one that is there".into()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
                "nothing was changed: take another name, or move that one away".into()
            }
            Self::Io { .. } => "mend this and type it again; a policy that held goes on".into(),
            Self::Usage(_) => "anyhook fleet --help shows every command".into(),
            Self::Form(_) => "make one with: anyhook fleet policy build DIR -o FILE --key KEY".into(),
            Self::Hostile(_) => "find out who signed it: a policy that `anyhook fleet policy build` makes is never like this".into(),
            Self::Unsigned(_) => {
                "the administrator trusts a key with: anyhook fleet policy trust-key FILE.pub; ask its owner for the file on another way"
                    .into()
            }
            Self::Changed(_) => "fetch it again; where it stays so, ask its owner for the file on another way".into(),
            Self::Key(_) => "make a pair with: anyhook fleet keygen NAME".into(),
            Self::Older { highest, .. } | Self::Twice { revision: highest } => format!(
                "raise `revision` above {highest} and build it again, also to go back to what an older one said"
            ),
            Self::Unfit { help, .. } => help.clone(),
            Self::Package(error) => error.help.clone().unwrap_or_else(|| "anyhook add --update brings packages up to date".into()),
            Self::Fetch { .. } => "the revision that held goes on for as long as it says; try again later".into(),
            Self::Server { .. } => "nothing is lost: what was not taken waits on the disk; see that the server runs and that the \
                lead listed your key, then type it again"
                .into(),
            Self::File(_) | Self::Record(_) => {
                "mend this and type it again: it goes on where it stopped".into()
            }
            Self::Settings(_) => "docs/teams.md lists the fields of [fleet]".into(),
            Self::Nothing => "anyhook fleet policy apply FILE, or a URL".into(),
        }
    }

    /// Returns the exit code, as `anyhook help exit-codes` lists them.
    pub fn code(&self) -> u8 {
        match self {
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => 77,
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => 66,
            Self::Io { .. } => 73,
            Self::Usage(_) => 64,
            Self::Form(_) | Self::Hostile(_) | Self::Package(_) => 65,
            Self::Unsigned(_) | Self::Changed(_) | Self::Older { .. } | Self::Twice { .. } => 77,
            Self::Key(_) | Self::Unfit { .. } | Self::Settings(_) => 78,
            Self::Fetch { .. } | Self::Server { .. } => 75,
            Self::File(_) | Self::Record(_) => 74,
            Self::Nothing => 1,
        }
    }
}
