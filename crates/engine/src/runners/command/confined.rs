//! What a hook that runs confined is given: its confinement, its private folder, and the variables that pass.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhook_confine::{ResolvedPath, Roots, Spec, VERB};
use anyhook_core::sandbox::{self, PathRoot, Sandbox, SandboxPath};

use crate::files;
use crate::processes::ConfinedJob;
use crate::runners::RunnerRequest;
use crate::world::UserFolders;

/// How a hook is confined, and the private folder that it has.
#[derive(Debug)]
pub(super) struct Confinement {
    pub(super) confined: ConfinedJob,
    pub(super) private: Option<PathBuf>,
}

/// How large a file may become in a private folder: a hook remembers something there, and does not fill the disk.
const FILE_SIZE: Option<NonZeroU64> = NonZeroU64::new(64 << 20);

/// Prepares the confinement of a hook whose package stands in the folder `root`, which is what a person trusted, and lies in
/// `live`: its private folder stays the same when another copy of it is trusted. Variables are not part of it: the code that
/// makes the environment leaves out what does not pass.
pub(super) fn prepare(
    sandbox: &Sandbox,
    asking: &RunnerRequest<'_>,
    root: &Path,
    live: &Path,
) -> Result<Confinement, String> {
    let (shared, world) = (asking.shared, asking.world);
    let anyhook = asking.anyhook()?;
    let places = world.places.as_ref();
    let private = places.map(|places| private(places, live)).transpose()?;
    let roots = Roots::new(&shared.project, world.home())
        .map_err(|error| format!("the project cannot be found: {error}"))?;
    let roots = Roots {
        package: root.canonicalize().ok(),
        private: private.clone(),
        ..roots
    };
    let mut spec = spec_of(sandbox, &roots)?;
    // The data of a package stands where the package lies; its copy leads there.
    let is_home = world.home().is_some_and(|home| home.starts_with(live));
    let lies = live.canonicalize().ok().filter(|_| !is_home);
    spec.read
        .extend(lies.and_then(|live| ResolvedPath::folder(&live)));
    // The file holds the universal form, which a hook of a host's own file is not given.
    let payload = shared.payload_file.as_ref();
    let payload = payload.filter(|_| asking.hook.speaks.is_none());
    let payload = payload.and_then(|file| file.canonicalize().ok());
    spec.read
        .extend(payload.and_then(|file| ResolvedPath::file(&file)));
    let record = world.config().record.as_ref();
    Ok(Confinement {
        confined: ConfinedJob {
            helper: vec![anyhook.into(), VERB.into()],
            spec,
            // Settings that cannot be read switch nothing off.
            watched: record.is_ok_and(|record| record.refusals),
        },
        private,
    })
}

fn spec_of(sandbox: &Sandbox, roots: &Roots) -> Result<Spec, String> {
    let kept = Sandbox {
        env: None,
        read: sandbox.read.as_deref().map(|places| kept(places, roots)),
        write: sandbox.write.as_deref().map(|places| kept(places, roots)),
        ..sandbox.clone()
    };
    let mut spec = Spec::of(&kept, roots).map_err(|error| error.to_string())?;
    let is_private = |place: &SandboxPath| place.root == PathRoot::Private;
    if sandbox.write.iter().flatten().all(is_private) {
        spec.file_size = FILE_SIZE;
    }
    Ok(spec)
}

/// Leaves out what would be the whole home: where the project or the package is the home itself, or a folder around it, its own
/// files are not told from a person's. What is named below it stays.
fn kept(places: &[SandboxPath], roots: &Roots) -> Vec<SandboxPath> {
    let holds_home = |folder: Option<&PathBuf>| {
        let home = roots.home.as_deref();
        home.zip(folder)
            .is_some_and(|(home, folder)| home.starts_with(folder))
    };
    let is_home = |place: &&SandboxPath| {
        let is_whole = place.below.as_os_str().is_empty();
        let folder = match place.root {
            PathRoot::Project => Some(&roots.project),
            PathRoot::Package => roots.package.as_ref(),
            PathRoot::Home | PathRoot::Private | PathRoot::System => None,
        };
        is_whole && holds_home(folder)
    };
    places
        .iter()
        .filter(|place| !is_home(place))
        .cloned()
        .collect()
}

/// Makes the private folder of a package.
fn private(places: &UserFolders, package: &Path) -> Result<PathBuf, String> {
    let folder = places
        .private()
        .join(files::name_of(&[package.as_os_str().as_bytes()]));
    files::private_dir(&folder).map_err(|error| format!("its private folder: {error}"))?;
    let real = fs::canonicalize(&folder);
    real.map_err(|error| format!("its private folder: {error}"))
}

/// Tells whether a variable of the caller passes.
pub(super) fn passes(sandbox: &Sandbox, name: &OsStr) -> bool {
    let env = sandbox.env.as_ref();
    env.is_none_or(|env| sandbox::passes(env, &name.to_string_lossy()))
}

/// The variables that lead to the private folder; temporary files stand there, where it may be written.
pub(super) fn variables(
    asking: &RunnerRequest<'_>,
    of: &Confinement,
) -> Vec<(&'static str, OsString)> {
    let Some(private) = &of.private else {
        return Vec::new();
    };
    let sandbox = asking.hook.sandbox.as_deref();
    let mut written = sandbox.iter().flat_map(|sandbox| &sandbox.write).flatten();
    let is_written = written.any(|place| place.holds(&SandboxPath::private()));
    let names = ["PRIVATE", "TMPDIR"].into_iter();
    let names = names.filter(|name| is_written || *name == "PRIVATE");
    names
        .map(|name| (name, private.clone().into_os_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_that_is_the_home_opens_none_of_it_but_what_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let roots = Roots {
            package: Some(home.join("package")),
            ..Roots::new(&home, Some(&home)).unwrap()
        };
        let places: Vec<SandboxPath> = ["./**", "./src/**", "${PACKAGE_ROOT}/**", "~/x"]
            .map(|text| text.parse().unwrap())
            .into();
        let kept: Vec<String> = kept(&places, &roots)
            .iter()
            .map(SandboxPath::to_string)
            .collect();
        assert_eq!(kept, ["./src/**", "${PACKAGE_ROOT}/**", "~/x"]);
    }
}
