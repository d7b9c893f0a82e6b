//! Manifests that a person trusted for a folder or one above it, even if they are gone now.

use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat};

use super::finds::Finds;
use super::{Left, locals_of, manifests_of, named, of_native};
use crate::files::links;
use crate::layers::PACKAGES;
use crate::load::{Found, Layer};
use crate::trust::{Pins, Trust};
use crate::world::World;

/// Adds every manifest that was trusted for these folders or for one above, whatever stands between: a guard must not end
/// by being deleted, by a nearer manifest, or by a repository that is made around the agent.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::add_pinned;
/// use anyhook_engine::trust::Trust;
/// use anyhook_engine::world::{Places, World};
///
/// let place = tempfile::tempdir()?;
/// let project = place.path().canonicalize()?;
/// let [home, config, state] = ["home", "config", "state"].map(|name| project.join(name));
/// let places = Places { home, config, state };
/// let file = project.join("hooks/hooks.json");
/// fs::create_dir(project.join("hooks"))?;
/// fs::write(&file, r#"{"version": 1, "hooks": {}}"#)?;
/// let trust = Trust::new(places.trust());
/// trust.pin(&file, 0)?;
/// let world = World { places: Some(places), ..World::real() };
///
/// // Deleting it does not switch it off.
/// fs::remove_file(&file)?;
/// let mut found = Vec::new();
/// add_pinned(&world, &trust, &[project], "claude-code", &mut found);
/// assert_eq!(found[0].file, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_pinned(
    world: &World,
    trust: &Trust,
    projects: &[PathBuf],
    host: &str,
    found: &mut Vec<Found>,
) {
    if trust.is_empty() {
        return;
    }
    let pins = trust.pins();
    let mut finds = Finds::again(std::mem::take(found));
    let mut seen: Vec<PathBuf> = Vec::new();
    for project in projects {
        let left = Left::of(world, project, host);
        // A project that became a link was another folder when its hooks were trusted.
        let names = links::names(project);
        for folder in names.iter().flat_map(|name| name.ancestors()) {
            if !seen.iter().any(|other| other == folder) {
                seen.push(folder.to_owned());
                of_folder(folder, &pins, &left, &mut finds);
            }
        }
        for file in trust.of_worktree(project, candidates) {
            finds.add(file, Layer::Project);
        }
        // A file of a folder of hooks that is gone is in no list of that folder; the pins know its name.
        for file in pins.manifests() {
            let native = NativeFormat::of_file(file);
            let is_inside = |folder: &Path| names.iter().any(|name| name.starts_with(folder));
            let is_ours =
                native.is_some_and(|(format, folder)| is_inside(&folder) && left.is_ours(format));
            if is_ours {
                finds.add(file.to_owned(), Layer::Project);
            }
        }
    }
    *found = finds.into_files();
}

/// The files of a folder that may be manifests of a project.
fn candidates(folder: &Path) -> Vec<PathBuf> {
    manifests_of(folder).chain(locals_of(folder)).collect()
}

/// Adds what was trusted in one folder.
fn of_folder(folder: &Path, pins: &Pins, left: &Left<'_>, finds: &mut Finds) {
    let own = manifests_of(folder).map(|file| (file, Layer::Project));
    let local = locals_of(folder).map(|file| (file, Layer::Local));
    for (file, layer) in own.chain(local).filter(|(file, _)| pins.holds(file)) {
        finds.add(file, layer);
    }
    for (format, name) in FORMATS
        .iter()
        .flat_map(|format| format.files.iter().map(move |name| (format, name)))
    {
        let mut files = named(folder, name);
        files.retain(|file| pins.holds(file) && left.is_ours(format));
        for file in files {
            finds.add(file, of_native(name));
        }
    }
    add_packages(pins.packages(&folder.join(PACKAGES.0)), finds);
}

/// Adds every package of the person that was trusted, also those that are gone.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{Layer, add_pinned_of_home};
/// use anyhook_engine::trust::Trust;
///
/// let place = tempfile::tempdir()?;
/// let home = place.path().canonicalize()?;
/// let package = home.join(".aam/packages/style");
/// fs::create_dir_all(package.join("hooks"))?;
/// fs::write(package.join("hooks/hooks.json"), r#"{"version": 1, "hooks": {}}"#)?;
/// let pins = Trust::new(home.join("pins"));
/// pins.pin(&package.join("hooks/hooks.json"), 0)?;
/// fs::remove_dir_all(&package)?;
///
/// let mut found = Vec::new();
/// add_pinned_of_home(&pins, &home, &mut found);
/// assert_eq!((found.len(), found[0].layer), (1, Layer::Package));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_pinned_of_home(trust: &Trust, home: &Path, found: &mut Vec<Found>) {
    let mut finds = Finds::again(std::mem::take(found));
    add_packages(trust.packages(&home.join(PACKAGES.1)), &mut finds);
    *found = finds.into_files();
}

/// Adds the packages of a folder that were trusted, also those that are gone.
fn add_packages(trusted: Vec<PathBuf>, finds: &mut Finds) {
    for file in trusted {
        finds.add(file, Layer::Package);
    }
}
