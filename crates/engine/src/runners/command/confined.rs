//! What a hook that runs confined is given: its confinement, its private folder, and the variables that pass.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhook_core::sandbox::{self, Place, Sandbox};

use crate::runners::Asking;
use crate::sandbox::{Folders, Prepared};
use crate::world::Pass;

/// Prepares the confinement of a hook; nothing where it runs open.
pub(super) fn prepare(
    asking: &Asking<'_>,
    root: &Path,
    live: &Path,
) -> Option<Result<Prepared, String>> {
    let sandbox = asking.hook.sandbox.as_deref()?;
    let shared = asking.shared;
    // The file holds the universal form, which a hook of a host's own file is not given.
    let payload = shared.payload_file.as_deref();
    let payload = payload.filter(|_| asking.hook.speaks.is_none());
    let folders = |anyhook| Folders {
        project: &shared.project,
        package: root,
        live,
        places: asking.world.places.as_ref(),
        anyhook,
        // What is only told, as in a replay, is not watched; settings that cannot be read switch nothing off.
        watched: shared.pass == Pass::Real
            && asking
                .world
                .config()
                .record
                .as_ref()
                .is_ok_and(|record| record.refusals),
    };
    let files: Vec<&Path> = payload.into_iter().collect();
    let prepare = |anyhook| crate::sandbox::prepare(sandbox, folders(anyhook), &files);
    Some(asking.anyhook().and_then(prepare))
}

/// Tells whether a variable of the caller passes.
pub(super) fn passes(sandbox: &Sandbox, name: &OsStr) -> bool {
    let env = sandbox.env.as_ref();
    env.is_none_or(|env| sandbox::passes(env, &name.to_string_lossy()))
}

/// The variables that lead to the private folder; temporary files stand there, where it may be written.
pub(super) fn variables(asking: &Asking<'_>, prepared: &Prepared) -> Vec<(&'static str, OsString)> {
    let Some(private) = &prepared.private else {
        return Vec::new();
    };
    let sandbox = asking.hook.sandbox.as_deref();
    let mut written = sandbox.iter().flat_map(|sandbox| &sandbox.write).flatten();
    let is_written = written.any(|place| place.holds(&Place::private()));
    let names = ["PRIVATE", "TMPDIR"].into_iter();
    let names = names.filter(|name| is_written || *name == "PRIVATE");
    names
        .map(|name| (name, private.clone().into_os_string()))
        .collect()
}
