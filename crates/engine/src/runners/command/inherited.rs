//! The environment variables that a hook gets from the caller.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::lists::OF_SHELLS;
use crate::runners::RunnerContext;
use crate::search::ordered;

/// Returns what of the caller's environment is handed on: neither what would change a shell, nor what stands under the
/// names that are ours, nor the key of the model that prompt hooks ask.
pub(super) fn inherited<'e>(
    env: &'e BTreeMap<OsString, OsString>,
    key: &'e str,
) -> impl Iterator<Item = (&'e OsString, &'e OsString)> {
    env.iter().filter(move |(name, _)| {
        let name = name.as_bytes();
        let ours = name.starts_with(b"ANYHOOK_");
        let of_shells = OF_SHELLS.iter().any(|other| other.as_bytes() == name);
        // A function that bash would import goes by several spellings of this prefix.
        let function = name.starts_with(b"BASH_FUNC_") || name.ends_with(b"()");
        let key = name == key.as_bytes();
        !(key || ours || of_shells || function || name == b"file" || name == b"files")
    })
}

/// Writes the `PATH` of hooks: our own folder, then the caller's. What leads into the project comes last, so that a file
/// there never passes for `sh`; what is relative would mean the same and goes.
pub(super) fn path(shared: &RunnerContext, root: &Path, told: &OsStr) -> Option<OsString> {
    let strange = shared.projects.iter().map(PathBuf::as_path);
    let told = ordered(told, strange.chain([root]));
    let own = shared.own.iter().map(Path::new);
    let folders = own.chain(told.iter().map(PathBuf::as_path));
    std::env::join_paths(folders)
        .ok()
        .filter(|path| !path.is_empty())
}
