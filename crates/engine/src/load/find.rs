//! Which files may be manifests for a folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Found, Layer};
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

/// Finds the manifests that hold for these folders: the person's own, then one for each folder, its own or that of the
/// nearest folder above it, up to the root of the repository. What stands in the place of one is found whatever it is: a
/// guard must not end by becoming a pipe.
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
/// let found = find(&world, &[project.join("src/deep")]);
/// assert_eq!(found.len(), 1);
/// assert_eq!(
///     (&found[0].file, found[0].layer),
///     (&project.join("hooks/hooks.json"), Layer::Project)
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find(world: &World, projects: &[PathBuf]) -> Vec<Found> {
    let own = world.places.iter().map(Places::user_manifest);
    let mut found: Vec<Found> = own
        .filter(|file| stands(file))
        .map(|file| Found {
            file,
            layer: Layer::Own,
        })
        .collect();
    for file in projects.iter().filter_map(|project| nearest(project)) {
        add(&mut found, file);
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
/// add_pinned(&pins, &[project], &mut found);
/// assert_eq!(found[0].file, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_pinned(trust: &Trust, projects: &[PathBuf], found: &mut Vec<Found>) {
    for project in projects {
        let real = project.canonicalize().unwrap_or_else(|_| project.clone());
        let pinned = real
            .ancestors()
            .flat_map(manifests_of)
            .filter(|file| trust.is_pinned(file).unwrap_or(false));
        pinned.for_each(|file| add(found, file));
    }
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
