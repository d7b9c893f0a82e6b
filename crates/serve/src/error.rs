//! The errors of starting a server and of the commands of `anyhook serve`.

use std::path::PathBuf;

use anyhook::files::FileError;

/// Why the server, or one of its commands, cannot do what was asked.
///
/// ```
/// use anyhook_serve::ServeError;
/// assert!(ServeError::NoHome.help().contains("HOME"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// There is no home, so no state and no tokens.
    #[error("there is no home folder, so no place for the tokens of clients")]
    NoHome,
    /// A private file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another server runs.
    #[error("a server runs already: {what}")]
    Runs {
        /// Its version, process and addresses.
        what: String,
    },
    /// No server runs.
    #[error("no server runs")]
    Stopped,
    /// The server that runs has no port, and a browser needs one.
    #[error("the server that runs listens on its socket alone, which no browser opens")]
    NoPort,
    /// It was told to end, and has not.
    #[error("the server, process {pid}, has not ended")]
    StillRuns {
        /// Its process.
        pid: i32,
    },
    /// A listening socket could not be had.
    #[error("cannot listen on `{place}`")]
    Listen {
        /// The address or the path.
        place: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Something that is no socket stands where the socket belongs.
    #[error("`{}` is not a socket", path.display())]
    NoSocket {
        /// Where.
        path: PathBuf,
    },
    /// The path of the socket is too long for the system.
    #[error("the path of the socket is too long: `{}`", path.display())]
    LongSocket {
        /// The path.
        path: PathBuf,
    },
    /// A server that was to run in the background.
    #[error("the server did not start: {what}")]
    NotStarted {
        /// What it said.
        what: String,
    },
    /// A name that no client may have.
    #[error("`{name}` is no name of a client")]
    Name {
        /// The name.
        name: String,
    },
    /// The client has a token already.
    #[error("the client `{name}` has a token already")]
    Known {
        /// The client.
        name: String,
    },
    /// No client has this name.
    #[error("no client is called `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The system refused something else.
    #[error("cannot {doing}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
}

impl ServeError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    /// Returns what to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoHome => "set HOME to a folder that exists",
            Self::File(_) => "look at the file and at who owns it",
            Self::Runs { .. } => "use it as it is, or end it first: anyhook serve --stop",
            Self::Stopped => "start one: anyhook serve --open",
            Self::NoPort => {
                "end it, and start it without --no-port: anyhook serve --stop; anyhook serve"
            }
            Self::StillRuns { .. } => {
                "an event may be long; try again, or end the process yourself"
            }
            Self::Listen { .. } => {
                "another program may listen there; choose a port: anyhook serve --port NUMBER"
            }
            Self::NotStarted { .. } => "start it by itself to see why: anyhook serve",
            Self::NoSocket { .. } => "look what it is, and move it away",
            Self::LongSocket { .. } => "set XDG_STATE_HOME to a folder with a shorter path",
            Self::Name { .. } => "a name has 1 to 40 of a-z, 0-9 and -, and begins with a letter",
            Self::Known { .. } => "revoke the old token first: anyhook serve --revoke NAME",
            Self::Unknown { .. } => "all clients: anyhook serve --status",
            Self::Io { .. } => "see the cause above",
        }
    }
}
