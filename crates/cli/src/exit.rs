//! Every exit code, in one place.

use std::process::ExitCode;

/// How `anyhook` ends.
///
/// Towards a host (`run --host`) the code is part of that host's answer, `test` has codes of its own, and `confine` ends as its
/// command does. Everything else keeps to this list; 2 is never among it, because to most agents 2 means a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done,
    /// It did, and the answer is no: nothing found, a field is missing, something is not well.
    Negative,
    /// The command line is wrong.
    Usage,
    /// What was read makes no sense: bad JSON, a broken manifest.
    Data,
    /// A file is missing or cannot be read.
    NoInput,
    /// A bug of ours.
    Software,
    /// A file cannot be written.
    CannotCreate,
    /// Reading or writing failed on the way.
    Io,
    /// It is this caller is not allowed to do it, such as trusting without a terminal.
    Permission,
    /// Something has to be set up first.
    Config,
    /// The answer to a host, or to a hook's caller, in its own words.
    Answer(u8),
    /// How the tests of hook packages went, in the codes that test runners use: 0, 1, 2, 4.
    Tested(u8),
}

impl Exit {
    /// Every code with its meaning, as `anyhook help exit-codes` prints them.
    pub(crate) const TABLE: &[(Self, &str)] = &[
        (Self::Done, "it did what was asked"),
        (
            Self::Negative,
            "the answer is no: something was not found, or a check failed",
        ),
        (Self::Usage, "the command line is wrong"),
        (Self::Data, "the input cannot be understood"),
        (Self::NoInput, "a file is missing or cannot be read"),
        (Self::Software, "a bug of anyhook"),
        (Self::CannotCreate, "a file cannot be written"),
        (Self::Io, "reading or writing failed"),
        (Self::Permission, "not for this caller to do"),
        (Self::Config, "something has to be set up first"),
    ];

    /// Returns the number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Negative => 1,
            Self::Usage => 64,
            Self::Data => 65,
            Self::NoInput => 66,
            Self::Software => 70,
            Self::CannotCreate => 73,
            Self::Io => 74,
            Self::Permission => 77,
            Self::Config => 78,
            Self::Answer(code) | Self::Tested(code) => code,
        }
    }
}

/// An answer: yes is done, no is negative.
impl From<bool> for Exit {
    fn from(is_good: bool) -> Self {
        if is_good { Self::Done } else { Self::Negative }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
