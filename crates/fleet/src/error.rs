//! The errors of building, fetching and applying a policy.

use std::io::{Error, ErrorKind};
use std::path::Path;

use anyhook::core::ports::StoreError;
use anyhook::files::{FileError, with_causes};
use anyhook::packages::PackageError;

/// What can go wrong: a row of `errors.txt` each, in this order.
///
/// ```
/// use anyhook_fleet::{Bundle, Trouble};
/// assert_eq!(Bundle::unverified(b"?").unwrap_err().trouble, Trouble::Form);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "`errors.txt` says what each is")]
pub enum Trouble {
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

impl Trouble {
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
    pub trouble: Trouble,
    pub(crate) what: String,
    /// What a person can do, where that is not the same for all of its kind.
    help: Option<String>,
}

impl From<serde_json::Error> for PolicyError {
    fn from(error: serde_json::Error) -> Self {
        Trouble::Form.error(error.to_string())
    }
}

impl From<PackageError> for PolicyError {
    fn from(error: PackageError) -> Self {
        let help = error.help.clone();
        Self {
            help,
            ..Trouble::Package.error(with_causes(&error))
        }
    }
}

impl From<FileError> for PolicyError {
    fn from(error: FileError) -> Self {
        let trouble = match &error {
            FileError::Io { source, .. } if is_full(source) => Trouble::NoRoomToKeep,
            _ => Trouble::File,
        };
        trouble.error(with_causes(&error))
    }
}

impl From<StoreError> for PolicyError {
    fn from(error: StoreError) -> Self {
        Trouble::Record.error(with_causes(&error))
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
                ErrorKind::PermissionDenied => Trouble::Denied,
                ErrorKind::NotFound => Trouble::Missing,
                ErrorKind::AlreadyExists => Trouble::Taken,
                _ if is_full(&error) => Trouble::NoRoom,
                _ => Trouble::Io,
            };
            trouble.error(format!("{what}: {error}"))
        }
    }

    /// Opens the folder of a store.
    pub(crate) fn no_store(folder: &Path) -> impl FnOnce(Error) -> Self {
        let io = Self::io("read the store", folder);
        move |error| match io(error) {
            denied if denied.trouble == Trouble::Denied => denied,
            other => other
                .advised("name the folder of a store; anyhook fleet store FOLDER FILE makes one"),
        }
    }

    /// Names the file of a lead in which a form is wrong.
    pub(crate) fn of_file(self, file: &Path) -> Self {
        if self.trouble != Trouble::Form {
            return self;
        }
        Self::unfit(
            format!("`{}` cannot be used: {}", file.display(), self.what),
            "mend it and type this again; docs/teams.md shows what it may hold",
        )
    }

    pub(crate) fn unfit(what: impl Into<String>, help: impl Into<String>) -> Self {
        Trouble::Unfit.error(what).advised(help)
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
        assert_eq!(Trouble::Nothing as usize + 2, ROWS.lines().count());
        for row in ROWS.lines().skip(1) {
            let cells: Vec<&str> = row.split('|').collect();
            assert!(
                cells.len() == 4 && cells[1].trim().parse::<u8>().is_ok(),
                "{row}"
            );
        }
        for trouble in [
            Trouble::Usage,
            Trouble::Denied,
            Trouble::Missing,
            Trouble::Taken,
            Trouble::NoRoom,
            Trouble::Io,
            Trouble::Form,
            Trouble::Hostile,
            Trouble::Unsigned,
            Trouble::Changed,
            Trouble::Key,
            Trouble::Older,
            Trouble::Twice,
            Trouble::Unfit,
            Trouble::Package,
            Trouble::Fetch,
            Trouble::Server,
            Trouble::NoRoomToKeep,
            Trouble::File,
            Trouble::Record,
            Trouble::Nothing,
        ] {
            assert_eq!(trouble.cell(0), format!("{trouble:?}"));
        }
    }
}
