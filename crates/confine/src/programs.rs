//! Our own programs: the helper, and where it is found.

use std::ffi::OsString;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// The name of the helper program.
pub const HELPER: &str = "anyhook-confined";

/// The verb under which `anyhook` is the helper itself.
pub const VERB: &str = "confined";

/// Returns the beginning of the command line that confines, for the program `anyhook` at this path: the helper beside it, or
/// else `anyhook confined`, which reads the same arguments.
pub fn helper(anyhook: &Path) -> Vec<OsString> {
    let beside = anyhook.with_file_name(format!("{HELPER}{}", std::env::consts::EXE_SUFFIX));
    if beside.is_file() {
        return vec![beside.into()];
    }
    vec![anyhook.into(), VERB.into()]
}

/// Returns our own programs beside the one that runs, which a confined command may start: a hook answers through them.
#[cfg(target_os = "linux")]
pub(crate) fn ours() -> Vec<PathBuf> {
    let own = std::env::current_exe();
    own.map(|own| beside(&own)).unwrap_or_default()
}

/// Returns our own programs beside one of them.
#[cfg(target_os = "linux")]
pub(crate) fn beside(own: &Path) -> Vec<PathBuf> {
    vec![own.with_file_name("anyhook"), own.with_file_name(HELPER)]
}
