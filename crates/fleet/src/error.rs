//! The errors of building, fetching and applying a policy.

use std::io::{Error, ErrorKind};
use std::path::Path;

use anyhook::core::ports::StoreError;
use anyhook::files::{FileError, with_causes};
use anyhook::packages::PackageError;

/// What can go wrong: a row of `errors.txt` each, in this order.
///
/// ```
/// use anyhook_fleet::{Bundle, PolicyErrorKind};
/// assert_eq!(Bundle::unverified(b"?").unwrap_err().trouble, PolicyErrorKind::Form);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "`errors.txt` says what each is")]
pub enum PolicyErrorKind {
    Usage,
    Denied,
    Missing,
    Taken,
    NoRoom,
    Io,
    Form,
    Hostile,
    Unsigned,
    Changed,
    Key,
    Older,
    Twice,
    Unfit,
    Package,
    Fetch,
    Server,
    NoRoomToKeep,
    File,
    Record,
    Nothing,
}

/// The rows, below the line that explains them.
const ROWS: &str = include_str!("errors.txt");

impl PolicyErrorKind {
    fn cell(self, at: usize) -> &'static str {
        let row = ROWS.lines().nth(self as usize + 1);
        let cell = row.and_then(|row| row.split('|').nth(at));
        cell.unwrap_or_default().trim()
    }

    fn said(self, what: &str) -> String {
        format!("{} {what}", self.cell(2)).trim().to_owned()
    }

    /// Says what happened.
    pub(crate) fn error(self, what: impl Into<String>) -> PolicyError {
        PolicyError {
            trouble: self,
            what: what.into(),
            help: None,
        }
    }

    /// Tells whether it may pass by itself: a server that is away, or a disk without room.
    pub(crate) fn passes(self) -> bool {
        matches!(self, Self::Server | Self::NoRoom | Self::NoRoomToKeep)
    }
}

/// Why a policy is not what was asked for. Whatever it is, the revision that holds goes on.
///
/// ```
/// use anyhook_fleet::Bundle;
/// let error = Bundle::unverified(b"?").unwrap_err();
/// assert_eq!(error.to_string(), "this is no policy: it does not begin like one");
/// assert!(error.help().contains("anyhook fleet policy build"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{}", .trouble.said(.what))]
pub struct PolicyError {
    /// What kind of error it is.
    pub trouble: PolicyErrorKind,
    pub(crate) what: String,
    /// What a person can do, where that is not the same for all of its kind.
    help: Option<String>,
}

impl From<serde_json::Error> for PolicyError {
    fn from(error: serde_json::Error) -> Self {
        PolicyErrorKind::Form.error(error.to_string())
    }
}

impl From<PackageError> for PolicyError {
    fn from(error: PackageError) -> Self {
        let help = error.help.clone();
        Self {
            help,
            ..PolicyErrorKind::Package.error(with_causes(&error))
        }
    }
}

impl From<FileError> for PolicyError {
    fn from(error: FileError) -> Self {
        let trouble = match &error {
            FileError::Io { source, .. } if is_full(source) => PolicyErrorKind::NoRoomToKeep,
            _ => PolicyErrorKind::File,
        };
        trouble.error(with_causes(&error))
    }
}

impl From<StoreError> for PolicyError {
    fn from(error: StoreError) -> Self {
        PolicyErrorKind::Record.error(with_causes(&error))
    }
}

fn is_full(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

impl PolicyError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(Error) -> Self {
        let what = format!("cannot {doing} `{}`", path.display());
        move |error| {
            let trouble = match error.kind() {
                ErrorKind::PermissionDenied => PolicyErrorKind::Denied,
                ErrorKind::NotFound => PolicyErrorKind::Missing,
                ErrorKind::AlreadyExists => PolicyErrorKind::Taken,
                _ if is_full(&error) => PolicyErrorKind::NoRoom,
                _ => PolicyErrorKind::Io,
            };
            trouble.error(format!("{what}: {error}"))
        }
    }

    /// Opens the folder of a store.
    pub(crate) fn no_store(folder: &Path) -> impl FnOnce(Error) -> Self {
        let io = Self::io("read the store", folder);
        move |error| match io(error) {
            denied if denied.trouble == PolicyErrorKind::Denied => denied,
            other => other
                .advised("name the folder of a store; anyhook fleet store FOLDER FILE makes one"),
        }
    }

    /// Names the file of a lead in which a form is wrong.
    pub(crate) fn of_file(self, file: &Path) -> Self {
        if self.trouble != PolicyErrorKind::Form {
            return self;
        }
        Self::unfit(
            format!("`{}` cannot be used: {}", file.display(), self.what),
            "mend it and type this again; docs/teams.md shows what it may hold",
        )
    }

    pub(crate) fn unfit(what: impl Into<String>, help: impl Into<String>) -> Self {
        PolicyErrorKind::Unfit.error(what).advised(help)
    }

    /// Says what a person can do about this one.
    pub(crate) fn advised(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    /// Returns what a person can do about it.
    pub fn help(&self) -> &str {
        let help = self.help.as_deref();
        help.unwrap_or_else(|| self.trouble.cell(3))
    }

    /// Returns the exit code, as `anyhook help exit-codes` lists them.
    pub fn code(&self) -> u8 {
        self.trouble.cell(1).parse().unwrap_or(70)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_where_its_trouble_does() {
        assert_eq!(PolicyErrorKind::Nothing as usize + 2, ROWS.lines().count());
        for row in ROWS.lines().skip(1) {
            let cells: Vec<&str> = row.split('|').collect();
            assert!(
                cells.len() == 4 && cells[1].trim().parse::<u8>().is_ok(),
                "{row}"
            );
        }
        for trouble in [
            PolicyErrorKind::Usage,
            PolicyErrorKind::Denied,
            PolicyErrorKind::Missing,
            PolicyErrorKind::Taken,
            PolicyErrorKind::NoRoom,
            PolicyErrorKind::Io,
            PolicyErrorKind::Form,
            PolicyErrorKind::Hostile,
            PolicyErrorKind::Unsigned,
            PolicyErrorKind::Changed,
            PolicyErrorKind::Key,
            PolicyErrorKind::Older,
            PolicyErrorKind::Twice,
            PolicyErrorKind::Unfit,
            PolicyErrorKind::Package,
            PolicyErrorKind::Fetch,
            PolicyErrorKind::Server,
            PolicyErrorKind::NoRoomToKeep,
            PolicyErrorKind::File,
            PolicyErrorKind::Record,
            PolicyErrorKind::Nothing,
        ] {
            assert_eq!(trouble.cell(0), format!("{trouble:?}"));
        }
    }
}
