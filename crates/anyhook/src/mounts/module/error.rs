//! The error of a module that is not mounted.

use serde::Serialize;

/// Why a module is not mounted, in a word that never changes.
///
/// ```
/// use anyhook::mounts::MountErrorKind;
/// assert_eq!(serde_json::json!(MountErrorKind::NotFound), "not_found");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MountErrorKind {
    /// Its entry in the plan makes no sense.
    BadEntry,
    /// No module is known by this name, or nothing is where it should be.
    NotFound,
    /// It could not be fetched, or is not what was pinned.
    NotFetched,
    /// It is no module.
    NotAModule,
    /// No person trusted it.
    NotTrusted,
    /// Its configuration makes no sense.
    BadConfig,
    /// It said that it failed.
    Failed,
    /// It panicked.
    Panicked,
    /// It took too long.
    TimedOut,
    /// The session is over.
    SessionOver,
}

/// A module that is not mounted, and why.
///
/// ```
/// use anyhook::mounts::{MountError, MountErrorKind};
///
/// let error = MountError::new(MountErrorKind::BadConfig, "`level` must be a text").help("write `level: all`");
/// assert_eq!((error.reason, error.to_string().as_str()), (MountErrorKind::BadConfig, "`level` must be a text"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct MountError {
    /// Why, in a word.
    pub reason: MountErrorKind,
    /// Why, as a fragment for a person.
    pub text: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl MountError {
    /// Makes one.
    pub fn new(reason: MountErrorKind, text: impl Into<String>) -> Self {
        Self {
            reason,
            text: text.into(),
            help: None,
        }
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
