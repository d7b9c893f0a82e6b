//! Our own program, which confines and which a confined command may start.

use std::path::{Path, PathBuf};

/// The hidden verb of `anyhook` that confines itself and becomes a command: `anyhook confined SPEC -- PROGRAM ARGS…`.
pub const VERB: &str = "confined";

/// Returns our program where this one runs, which a confined command may start: a hook answers through it.
pub(crate) fn ours() -> Option<PathBuf> {
    std::env::current_exe().ok().map(|own| beside(&own))
}

/// Returns our program in the folder of the one that confines.
pub(crate) fn beside(own: &Path) -> PathBuf {
    own.with_file_name("anyhook")
}
