//! The errors of installing, each with advice.

use std::error::Error;
use std::io;
use std::path::Path;

use anyhook_engine::files::{self, FileError};

/// Something cannot be installed or taken out.
///
/// ```
/// use anyhook_care::install::{InstallError, Obstacle};
///
/// let refused = std::io::ErrorKind::PermissionDenied.into();
/// let error = InstallError::write("write", "/etc/x".as_ref())(refused);
/// assert_eq!(error.obstacle, Obstacle::Denied);
/// assert_eq!(error.chain(), "cannot write `/etc/x`: permission denied");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct InstallError {
    /// What a caller has to know of it.
    pub obstacle: Obstacle,
    what: String,
    help: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What callers tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// There is no home.
    NoHome,
    /// What was asked for cannot be had.
    Unusable,
    /// The host has nothing of this kind: of all hosts it is passed over.
    Lacking,
    /// The project is the home folder.
    AtHome,
    /// A file cannot be read.
    Unreadable,
    /// What stands there is nothing that we edit.
    Unfit,
    /// The part of a sandbox that is ours is not there as we wrote it, or another one is.
    OtherSandbox,
    /// The file was changed since it was read.
    Changed,
    /// The system refused a step to this user.
    Denied,
    /// The system refused a step, or our own state cannot be read or written.
    Failed,
}

impl InstallError {
    /// Says what to do about it.
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Says what is wrong, and what caused it.
    pub fn chain(&self) -> String {
        files::with_causes(self)
    }

    /// Makes the error of a step that the system refused.
    pub fn write(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let what = format!("cannot {doing} `{}`", path.display());
        move |source| {
            let (obstacle, help) = if source.kind() == io::ErrorKind::PermissionDenied {
                let help = "run it as the owner of that folder, for example as root";
                (Obstacle::Denied, help)
            } else {
                (Obstacle::Failed, MEND)
            };
            Self::new(obstacle, what, help).because(source)
        }
    }

    pub(super) fn new(obstacle: Obstacle, what: impl Into<String>, help: &str) -> Self {
        Self {
            obstacle,
            what: what.into(),
            help: help.to_owned(),
            source: None,
        }
    }

    pub(super) fn no_home() -> Self {
        Self::new(
            Obstacle::NoHome,
            "there is no home folder",
            "set HOME to a folder that is there",
        )
    }

    /// What stands at a path is nothing that we edit: it "is no regular file".
    pub(super) fn unfit(path: &Path, what: &str) -> Self {
        let what = format!("`{}` {what}", path.display());
        Self::new(Obstacle::Unfit, what, LOOK)
    }

    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        let what = format!("cannot read `{}`", path.display());
        Self::new(Obstacle::Unreadable, what, LOOK).because(source)
    }

    pub(super) fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}

const LOOK: &str = "look at what the file has there";
const MEND: &str = "nothing is half done: mend the cause and try again";

impl From<FileError> for InstallError {
    fn from(source: FileError) -> Self {
        Self::new(Obstacle::Failed, "cannot keep what was there before", MEND).because(source)
    }
}
