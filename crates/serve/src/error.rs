//! Why a server could not be started, found or told something.

use std::fmt::Display;

use anyhook::files::FileError;

/// Why a server could not be started, found or told something: what happened, and what to do.
///
/// ```
/// use anyhook::world::World;
/// use anyhook_serve::ServerFolder;
///
/// let world = World { places: None, ..World::real() };
/// let error = ServerFolder::of(&world).unwrap_err();
/// assert!(error.help.contains("HOME"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct ServeError {
    what: String,
    /// What to do next.
    pub help: &'static str,
    /// The exit code.
    pub code: u8,
}

impl ServeError {
    /// Says what happened, what to do, and which exit code that is.
    pub(crate) fn new(code: u8, what: impl Into<String>, help: &'static str) -> Self {
        Self {
            what: what.into(),
            help,
            code,
        }
    }

    pub(crate) fn io<E: Display>(doing: &'static str) -> impl FnOnce(E) -> Self {
        move |cause| {
            Self::new(
                74,
                format!("cannot {doing}: {cause}"),
                "see the cause above",
            )
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
    pub(crate) fn listen(place: &str, cause: &dyn Display) -> Self {
        let help = "another program may listen there; choose a port: anyhook serve --port NUMBER";
        Self::new(73, format!("cannot listen on `{place}`: {cause}"), help)
    }
}

impl From<FileError> for ServeError {
    fn from(error: FileError) -> Self {
        let what = anyhook::files::with_causes(&error);
        Self::new(73, what, "look at the file and at who owns it")
    }
}
