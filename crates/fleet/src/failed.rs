//! The error of a command, and how it is printed.

use std::io::Write as _;

use anyhook::files::with_causes;
use anyhook::text::tame;

use crate::error::PolicyError;

/// Why a command ended with an error.
pub(crate) enum Failed {
    Usage(String),
    Policy(PolicyError),
    /// A program that was started found something, and said so itself.
    Found(u8),
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usage(what) => f.write_str(what),
            Self::Policy(error) => f.write_str(&with_causes(error)),
            Self::Found(code) => write!(f, "a program found something, and ended with {code}"),
        }
    }
}

impl From<PolicyError> for Failed {
    fn from(error: PolicyError) -> Self {
        Self::Policy(error)
    }
}

/// Says something beside what is printed.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(tame(text).as_bytes());
}
