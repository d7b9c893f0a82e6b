//! Why a server could not be started, found or told something.

use std::io;

use anyhook::files::FileError;

/// Why a server could not be started, found or told something: what happened, and what to do.
///
/// ```
/// use anyhook::world::World;
/// use anyhook_serve::ServerFolder;
///
/// let world = World { places: None, ..World::real() };
/// let error = ServerFolder::of(&world).unwrap_err();
/// assert!(error.help().contains("HOME"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct ServeError {
    what: String,
    help: &'static str,
    code: u8,
    #[source]
    cause: Option<io::Error>,
}

impl ServeError {
    /// Says what happened, what to do, and which exit code that is.
    pub(crate) fn new(code: u8, what: impl Into<String>, help: &'static str) -> Self {
        Self {
            what: what.into(),
            help,
            code,
            cause: None,
        }
    }

    /// Adds what the system said.
    pub(crate) fn because(self, cause: io::Error) -> Self {
        Self {
            cause: Some(cause),
            ..self
        }
    }

    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| {
            let what = format!("cannot {doing}");
            Self::new(74, what, "see the cause above").because(cause)
        }
    }

    /// No server runs.
    pub(crate) fn stopped() -> Self {
        Self::new(1, "no server runs", "start one: anyhook serve --open")
    }

    /// Another server runs.
    pub(crate) fn runs(what: &str) -> Self {
        let help = "use it as it is, or end it first: anyhook serve --stop";
        Self::new(78, format!("a server runs already: {what}"), help)
    }

    /// An address or a path on which the server cannot listen.
    pub(crate) fn listen(place: &str, cause: io::Error) -> Self {
        let help = "another program may listen there; choose a port: anyhook serve --port NUMBER";
        Self::new(73, format!("cannot listen on `{place}`"), help).because(cause)
    }

    /// Returns what to do next.
    pub fn help(&self) -> &'static str {
        self.help
    }

    /// Returns the exit code.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl From<FileError> for ServeError {
    fn from(error: FileError) -> Self {
        let what = anyhook::files::with_causes(&error);
        Self::new(73, what, "look at the file and at who owns it")
    }
}
