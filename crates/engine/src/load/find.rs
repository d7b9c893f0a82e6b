//! Which files may be manifests for a folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat};

use super::{Found, Layer};
use crate::install::ADOPTED;
use crate::trust::Trust;
use crate::world::{Places, World};

/// The names under which a project keeps its manifest, the first one wins.
const PROJECT_MANIFESTS: &[&str] = &[".anyhook/hooks.json", "hooks/hooks.json"];

/// Returns the files that would be a project's manifest.
///
/// ```
/// use std::path::Path;
///
/// use anyhook::load::manifests_of;
///
/// let files: Vec<_> = manifests_of(Path::new("/p")).collect();
/// assert_eq!(files, [Path::new("/p/.anyhook/hooks.json"), Path::new("/p/hooks/hooks.json")]);
/// ```
pub fn manifests_of(project: &Path) -> impl Iterator<Item = PathBuf> {
    PROJECT_MANIFESTS.iter().map(|name| project.join(name))
}

/// Finds the manifests that hold for these folders when `host` calls: the person's own, then one for each folder, its own
/// or that of the nearest folder above it, up to the root of the repository, and in the same way those of other hosts.
/// What stands in the place of one is found whatever it is: a guard must not end by becoming a pipe.
///
/// What a host keeps for itself it runs itself, so it is not found for that host, and not for one that reads it too.
///
/// ```
/// use std::fs;
///
/// use anyhook::load::{Layer, find};
/// use anyhook::world::World;
///
/// let place = tempfile::tempdir()?;
/// let project = place.path().join("project");
/// fs::create_dir_all(project.join("hooks"))?;
/// fs::create_dir_all(project.join("src/deep"))?;
/// fs::write(project.join("hooks/hooks.json"), "{}")?;
///
/// // From any folder of the project, and without a home no other.
/// let world = World { places: None, ..World::real() };
/// let found = find(&world, &[project.join("src/deep")], "claude-code");
/// assert_eq!(found.len(), 1);
/// assert_eq!(
///     (&found[0].file, found[0].layer),
///     (&project.join("hooks/hooks.json"), Layer::Project)
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find(world: &World, projects: &[PathBuf], host: &str) -> Vec<Found> {
    let own = world.places.iter().map(Places::user_manifest);
    let own = own.filter(|file| stands(file));
    let adopted = world.places.iter().flat_map(adopted);
    let mut found: Vec<Found> = own
        .chain(adopted)
        .map(|file| Found {
            file,
            layer: Layer::Own,
        })
        .collect();
    let universal = projects.iter().filter_map(|project| nearest(project));
    universal.for_each(|file| add(&mut found, file));
    let home = world.places.as_ref().map(|places| &*places.home);
    for format in FORMATS.iter().filter(|format| !format.is_read_by(host)) {
        for name in format.files {
            let files = projects
                .iter()
                .flat_map(|project| nearest_native(project, name, home));
            files.for_each(|file| add(&mut found, file));
        }
    }
    found
}

/// Adds every manifest that was trusted for these folders or for one above, whatever stands between: a guard must not end
/// by being deleted, by a nearer manifest, or by a repository that somebody makes around the agent.
///
/// ```
/// use std::fs;
///
/// use anyhook::load::add_pinned;
/// use anyhook::trust::Trust;
///
/// let place = tempfile::tempdir()?;
/// let project = place.path().canonicalize()?;
/// let file = project.join("hooks/hooks.json");
/// fs::create_dir(project.join("hooks"))?;
/// fs::write(&file, r#"{"version": 1, "hooks": {}}"#)?;
/// let pins = Trust::new(project.join("pins"));
/// pins.pin(&file, 0)?;
///
/// // Deleting it does not switch it off.
/// fs::remove_file(&file)?;
/// let mut found = Vec::new();
/// add_pinned(&pins, &[project], "claude-code", &mut found);
/// assert_eq!(found[0].file, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_pinned(trust: &Trust, projects: &[PathBuf], host: &str, found: &mut Vec<Found>) {
    for project in projects {
        let real = project.canonicalize().unwrap_or_else(|_| project.clone());
        let natives = |folder: &Path| natives_of(folder, host);
        let pinned = real
            .ancestors()
            .flat_map(|folder| manifests_of(folder).chain(natives(folder)))
            .filter(|file| trust.is_pinned(file).unwrap_or(false));
        pinned.for_each(|file| add(found, file));
        // A file of a folder of hooks that is gone is in no list of that folder; the pins know its name.
        let gone = trust.pinned().into_iter().filter(|file| {
            NativeFormat::of_file(file).is_some_and(|(format, folder)| {
                !format.is_read_by(host) && real.starts_with(folder)
            })
        });
        gone.for_each(|file| add(found, file));
    }
}

/// Returns the files in which hosts other than this one keep hooks for themselves, below a folder.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// use anyhook::load::natives_of;
///
/// // Claude Code runs its own files itself; under Codex they are ours to run.
/// let settings = PathBuf::from("/p/.claude/settings.json");
/// assert!(natives_of(Path::new("/p"), "codex").contains(&settings));
/// assert!(!natives_of(Path::new("/p"), "claude-code").contains(&settings));
/// ```
pub fn natives_of(folder: &Path, host: &str) -> Vec<PathBuf> {
    let formats = FORMATS.iter().filter(|format| !format.is_read_by(host));
    let names = formats.flat_map(|format| format.files);
    names.flat_map(|name| named(folder, name)).collect()
}

/// Returns the files below a folder that a name stands for; one with a `*` stands for those that are there.
fn named(folder: &Path, name: &str) -> Vec<PathBuf> {
    let Some((parent, ending)) = name.split_once("/*") else {
        return vec![folder.join(name)];
    };
    let entries = std::fs::read_dir(folder.join(parent));
    let names = entries.into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = names
        .map(|entry| entry.path())
        .filter(|file| file.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// Finds the files that the person handed over to us: they hold for every host.
fn adopted(places: &Places) -> Vec<PathBuf> {
    let of_host = |format: &&NativeFormat| {
        let folder = places.config.join(ADOPTED).join(format.host);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        files
    };
    FORMATS.iter().flat_map(of_host).collect()
}

fn add(found: &mut Vec<Found>, file: PathBuf) {
    let is_it = |other: &Found| {
        let real = |file: &Path| file.canonicalize().ok();
        other.file == file || real(&other.file).is_some_and(|other| Some(other) == real(&file))
    };
    if !found.iter().any(is_it) {
        found.push(Found {
            file,
            layer: Layer::Project,
        });
    }
}

fn nearest(project: &Path) -> Option<PathBuf> {
    for folder in project.ancestors() {
        let file = manifests_of(folder).find(|file| stands(file));
        if file.is_some() || folder.join(".git").exists() {
            return file;
        }
    }
    None
}

/// Finds a host's own files of this name, in the nearest folder that has them. Those in the person's home are the person's
/// own, for that host alone.
fn nearest_native(project: &Path, name: &str, home: Option<&Path>) -> Vec<PathBuf> {
    for folder in project.ancestors() {
        if Some(folder) == home {
            break;
        }
        let mut files = named(folder, name);
        files.retain(|file| stands(file));
        if !files.is_empty() || folder.join(".git").exists() {
            return files;
        }
    }
    Vec::new()
}

/// Tells whether anything stands in the place of a file, also what may not be looked at.
fn stands(file: &Path) -> bool {
    match file.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            ErrorKind::NotFound
                | ErrorKind::NotADirectory
                | ErrorKind::InvalidInput
                | ErrorKind::InvalidFilename
        ),
    }
}
