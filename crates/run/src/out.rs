//! The output to the agent: its answer, and messages for a person.
//!
//! ```
//! assert!(!anyhook_run::out::is_nowhere(std::fs::File::open("Cargo.toml")?));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd;

/// Writes text to standard error; there is no one to tell if that fails.
pub fn err(text: &str) {
    if !text.is_empty() {
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Makes text safe to show on a terminal: control characters, also those of escape sequences, become visible.
pub fn visible(text: &str) -> String {
    anyhook_engine::text::tame(text)
}

/// Tells whether what is written here is read by no one: a closed descriptor is one of `/dev/null` by the time we run.
pub fn is_nowhere(stream: impl AsFd) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let nowhere = std::fs::metadata("/dev/null").map(|meta| meta.rdev());
    let stream = stream.as_fd().try_clone_to_owned().map(File::from);
    let device = stream
        .and_then(|stream| stream.metadata())
        .map(|meta| meta.rdev());
    matches!((device, nowhere), (Ok(device), Ok(nowhere)) if device != 0 && device == nowhere)
}

/// Writes text to standard output exactly as it is, for another program. Where there is a terminal instead, it is made
/// safe to show.
pub fn raw(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() {
        Cow::Owned(visible(text))
    } else {
        Cow::Borrowed(text)
    };
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}
