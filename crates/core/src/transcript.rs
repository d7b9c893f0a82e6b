//! The output of a process that has ended: its exit, standard output and standard error, which an answer is read from.
//!
//! A [`Transcript`] is what a runner saw, byte for byte. Reading a verdict out of it is the business of a wire.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::transcript::{Capture, End, Transcript};
//!
//! let transcript = Transcript {
//!     stdout: Capture { kept: b"{\"continue\": true}".to_vec(), dropped: 0 },
//!     stderr: Capture { kept: vec![b'n', b'o', 0xff], dropped: 12 },
//!     end: End::Code(2),
//!     took: Duration::from_millis(40),
//! };
//! assert_eq!(transcript.stdout.text(), "{\"continue\": true}");
//! assert_eq!(transcript.stderr.text(), "no\u{fffd}", "bytes of any kind can be shown");
//! ```

use std::time::Duration;

/// Everything that a hook's process left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// What it wrote to its standard output.
    pub stdout: Capture,
    /// What it wrote to its standard error.
    pub stderr: Capture,
    /// How it ended.
    pub end: End,
    /// From the start of the process to its end.
    pub took: Duration,
}

/// One captured stream: the kept head, and how much came after it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The first bytes, up to the runner's bound.
    pub kept: Vec<u8>,
    /// How many bytes came after those; they were read and thrown away, so that the process never blocks.
    pub dropped: u64,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It left with this exit code.
    Code(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// Its deadline passed, and we ended its whole process group.
    TimedOut,
    /// It never started; the text says what was tried and why it failed.
    NotStarted(String),
}

impl Capture {
    /// The kept bytes as text; what is no UTF-8 becomes the replacement character.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.kept)
    }
}
