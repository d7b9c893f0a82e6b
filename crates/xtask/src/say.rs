//! The one place that prints.
//!
//! A closed pipe is no reason to die in the middle of a run, so a line that cannot be written is dropped.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Prints one line for the reader of a run.
pub(crate) fn line(text: impl Display) {
    let _ = writeln!(io::stdout(), "{text}");
}

/// Prints one line about why nothing was run.
pub(crate) fn error(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}
