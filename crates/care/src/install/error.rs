//! The errors of installing, each with advice.

use std::io;
use std::path::{Path, PathBuf};

use anyhook_core::manifest::Finding;
use anyhook_engine::files::{self, FileError};
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::edit::EditError;

/// Something cannot be installed or taken out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is no home.
    #[error("there is no home folder")]
    NoHome,
    /// The host keeps no hooks in files.
    #[error("`{host}` keeps no hooks in files, so there is nothing to install")]
    NoSettings {
        /// Which host.
        host: &'static str,
        /// What a person does instead.
        instead: &'static str,
    },
    /// The host has no file of this scope.
    #[error("`{host}` has no {} settings", scope.name())]
    NoScope {
        /// Which host.
        host: &'static str,
        /// Which scope.
        scope: Scope,
    },
    /// Its hooks are not read.
    #[error("the hooks of `{host}` cannot be taken over", host = host)]
    NotTaken {
        /// Which host.
        host: &'static str,
    },
    /// There is an error in its hooks.
    #[error("`{}:{}`: {}", path.display(), finding.at.line, finding.message)]
    Wrong {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        finding: Box<Finding>,
    },
    /// The host starts a program for every event.
    #[error("`{host}` starts a program for every event, and posts none to a server")]
    NoPosts {
        /// Which host.
        host: &'static str,
    },
    /// A server is one person's.
    #[error("entries of {} settings cannot post to the server of one person", scope.name())]
    NotServed {
        /// Which scope.
        scope: Scope,
    },
    /// The project is the home folder.
    #[error("`{}` is the home folder, not a project", path.display())]
    HomeIsNoProject {
        /// The folder.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// What stands there is nothing that we edit.
    #[error("`{}` {what}", path.display())]
    Unfit {
        /// Which file.
        path: PathBuf,
        /// What is the matter: "is no regular file".
        what: &'static str,
    },
    /// The text is not understood.
    #[error("cannot edit `{}`", path.display())]
    Text {
        /// Which file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        source: EditError,
    },
    /// The part of a sandbox that is ours is not there as we wrote it, or another one is.
    #[error("`{}` has another sandbox where that of anyhook stands", path.display())]
    OtherSandbox {
        /// Which file.
        path: PathBuf,
    },
    /// The file was changed since it was read.
    #[error("`{}` was changed by another program just now", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
    },
    /// The system refused a step.
    #[error("cannot {doing} `{}`", path.display())]
    Write {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// Our own state cannot be read or written.
    #[error("cannot keep what was there before")]
    State(#[from] FileError),
}

impl InstallError {
    /// Says what to do about it.
    pub fn help(&self) -> String {
        let text = match self {
            Self::NoHome => "set HOME",
            Self::NoSettings { instead, .. } => instead,
            Self::NoScope { .. } => "take another --scope",
            Self::NotTaken { .. } => "write them anew: anyhook init",
            Self::NoPosts { .. } => "install it without --http",
            Self::NotServed { .. } => "--http goes with --scope user",
            Self::HomeIsNoProject { .. } => "go to a project, or take --scope user",
            Self::Unreadable { .. } | Self::Unfit { .. } => "look at what the file has there",
            Self::Text { .. } | Self::Wrong { .. } => "mend it first: nothing was written",
            Self::OtherSandbox { .. } => {
                "take it out by hand: in that of Codex `default_permissions` and the tables `[permissions.anyhook…]`"
            }
            Self::Changed { .. } => "try again",
            Self::Write { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "run it as the owner of that folder, for example as root"
            }
            Self::Write { .. } | Self::State(_) => {
                "nothing is half done: mend the cause and try again"
            }
        };
        text.to_owned()
    }

    /// Says what is wrong, and what caused it.
    pub fn chain(&self) -> String {
        files::with_causes(self)
    }

    pub(super) fn write(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write {
            doing,
            path,
            source,
        }
    }
}
