//! Which files may be manifests for a folder.

use std::cell::OnceCell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat};

use super::{Found, Layer};
use crate::folders;
use crate::layers::{ADOPTED, OF_PACKAGE, PACKAGES};
use crate::trust::{Trust, named_by_plugin};
use crate::world::{Places, World};

/// The most packages that are looked for in one folder. Those that were trusted are found by their pins.
const MOST_PACKAGES: usize = 1000;

/// Returns the files that would be a project's manifest.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_engine::load::manifests_of;
///
/// let files: Vec<_> = manifests_of(Path::new("/p")).collect();
/// assert_eq!(files, [Path::new("/p/.anyhook/hooks.json"), Path::new("/p/hooks/hooks.json")]);
/// ```
pub fn manifests_of(project: &Path) -> impl Iterator<Item = PathBuf> {
    Layer::Project.below(project)
}

/// Returns the files that would stand beside a project's manifest without being committed.
///
/// ```
/// use std::path::Path;
///
/// use anyhook_engine::load::locals_of;
///
/// let mut files = locals_of(Path::new("/p"));
/// assert_eq!(files.next().as_deref(), Some(Path::new("/p/.anyhook/hooks.local.json")));
/// ```
pub fn locals_of(project: &Path) -> impl Iterator<Item = PathBuf> {
    Layer::Local.below(project)
}

/// Finds the manifests that hold for these folders when `host` calls, layer by layer from the outermost (D30): that of
/// whoever manages the machine, the person's own, one for each folder, its own or that of the nearest folder above it, up
/// to the root of the repository, in the same way those of other hosts and the local ones, and those of packages.
/// What stands in the place of one is found whatever it is: a guard must not end by becoming a pipe.
///
/// What a host keeps for itself it runs itself, so it is not found for that host, and not for one that reads it too, where
/// that host is known to run it in this folder.
///
/// ```
/// use std::fs;
///
/// use anyhook_engine::load::{Layer, find};
/// use anyhook_engine::world::World;
///
/// let place = tempfile::tempdir()?;
/// let project = place.path().join("project");
/// fs::create_dir_all(project.join("hooks"))?;
/// fs::create_dir_all(project.join("src/deep"))?;
/// fs::write(project.join("hooks/hooks.json"), "{}")?;
///
/// // From any folder of the project, and without a home no other.
/// let managed = place.path().join("managed");
/// let world = World { places: None, managed, ..World::real() };
/// let found = find(&world, &[project.join("src/deep")], "claude-code");
/// assert_eq!(found.len(), 1);
/// assert_eq!(
///     (&found[0].file, found[0].layer),
///     (&project.join("hooks/hooks.json"), Layer::Project)
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find(world: &World, projects: &[PathBuf], host: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let managed = world.managed.join("hooks.json");
    if stands(&managed) {
        push(&mut found, managed, Layer::Managed);
    }
    if let Some(places) = &world.places {
        let own = Some(places.user_manifest()).filter(|file| stands(file));
        for file in own.into_iter().chain(adopted(places)) {
            push(&mut found, file, Layer::User);
        }
    }
    let walks: Vec<Vec<&Path>> = projects.iter().map(|project| upwards(project)).collect();
    for layer in [Layer::Project, Layer::Local] {
        if layer == Layer::Local {
            natives(world, &walks, host, &mut found);
        }
        for walk in &walks {
            let first = |folder: &&Path| layer.below(folder).find(|file| stands(file));
            if let Some(file) = walk.iter().find_map(first) {
                add(&mut found, file, layer);
            }
        }
    }
    packages(world, &walks, &mut found);
    found
}

/// The folders from a project up to the root of its repository: each is looked at once, whatever is looked for.
pub(crate) fn upwards(project: &Path) -> Vec<&Path> {
    let mut walk = Vec::new();
    for folder in project.ancestors() {
        walk.push(folder);
        if folder.join(".git").exists() {
            break;
        }
    }
    walk
}

/// Adds the files of hosts in the nearest folder that has them. Those in the person's home are the person's own, for that
/// host alone.
fn natives(world: &World, walks: &[Vec<&Path>], host: &str, found: &mut Vec<Found>) {
    let home = world.places.as_ref().map(|places| &*places.home);
    for walk in walks {
        let left = Left::of(world, walk.first().copied().unwrap_or(Path::new("")), host);
        let names = FORMATS
            .iter()
            .flat_map(|format| format.files.iter().map(move |name| (format, name)));
        for (format, name) in names {
            let below_home = walk.iter().take_while(|folder| Some(**folder) != home);
            let mut there = below_home.map(|folder| {
                let mut files = named(folder, name);
                files.retain(|file| stands(file));
                files
            });
            let files = there.find(|files| !files.is_empty()).unwrap_or_default();
            if !files.is_empty() && left.is_ours(format) {
                for file in files {
                    add(found, file, of_native(name));
                }
            }
        }
    }
}

/// Whether the files of hosts are ours to run in a project when a host calls: all but those that it runs there itself. One
/// that is not known to run it is run twice rather than never.
struct Left<'w> {
    world: &'w World,
    project: &'w Path,
    host: &'w str,
    /// Whether the host runs such files here: found out when there is one.
    runs: OnceCell<bool>,
}

impl<'w> Left<'w> {
    fn of(world: &'w World, project: &'w Path, host: &'w str) -> Self {
        Self {
            world,
            project,
            host,
            runs: OnceCell::new(),
        }
    }

    fn is_ours(&self, format: &NativeFormat) -> bool {
        let runs = || {
            let host = anyhook_wires::host(self.host);
            host.is_none_or(|host| folders::runs_projects(self.world, host, self.project))
        };
        !format.is_read_by(self.host) || !*self.runs.get_or_init(runs)
    }
}

/// Hosts call their own files that are not committed so too.
fn of_native(name: &str) -> Layer {
    if name.contains(".local.") {
        Layer::Local
    } else {
        Layer::Project
    }
}

/// Adds the manifests of packages: those in the nearest folder of the project that has packages, and the person's.
fn packages(world: &World, walks: &[Vec<&Path>], found: &mut Vec<Found>) {
    let of_project = walks.iter().filter_map(|walk| {
        let mut folders = walk.iter().map(|folder| folder.join(PACKAGES.0));
        folders.find(|folder| stands(folder))
    });
    let home = world.places.iter();
    let own = home.map(|places| places.home.join(PACKAGES.1));
    for folder in of_project.chain(own).collect::<Vec<_>>() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let all = entries.take(MOST_PACKAGES);
        let mut files: Vec<PathBuf> = all.flat_map(|entry| of_package(&entry.path())).collect();
        files.sort();
        for file in files {
            add(found, file, Layer::Package);
        }
    }
}

/// Returns the manifest of a package at its usual place, else those that its `plugin.json` names.
fn of_package(package: &Path) -> Vec<PathBuf> {
    let usual = package.join(OF_PACKAGE);
    if stands(&usual) {
        return vec![usual];
    }
    let mut named = named_by_plugin(package);
    named.retain(|file| stands(file));
    named
}

/// Adds every manifest that was trusted for these folders or for one above, whatever stands between: a guard must not end
/// by being deleted, by a nearer manifest, or by a repository that somebody makes around the agent.
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
/// Trust::new(places.trust()).pin(&file, 0)?;
/// let world = World { places: Some(places), ..World::real() };
///
/// // Deleting it does not switch it off.
/// fs::remove_file(&file)?;
/// let mut found = Vec::new();
/// add_pinned(&world, &[project], "claude-code", &mut found);
/// assert_eq!(found[0].file, file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_pinned(world: &World, projects: &[PathBuf], host: &str, found: &mut Vec<Found>) {
    let places = world.places.as_ref();
    let trust = places.map(|places| Trust::new(places.trust()));
    let Some(trust) = &trust.filter(|trust| !trust.is_empty()) else {
        return;
    };
    for project in projects {
        let real = project.canonicalize().unwrap_or_else(|_| project.clone());
        let left = Left::of(world, project, host);
        for folder in real.ancestors() {
            let own = manifests_of(folder).map(|file| (file, Layer::Project));
            let local = locals_of(folder).map(|file| (file, Layer::Local));
            let is_pinned = |file: &Path| trust.is_pinned(file).unwrap_or(false);
            let pinned = own.chain(local).filter(|(file, _)| is_pinned(file));
            pinned.for_each(|(file, layer)| add(found, file, layer));
            for (format, name) in FORMATS
                .iter()
                .flat_map(|format| format.files.iter().map(move |name| (format, name)))
            {
                let mut files = named(folder, name);
                files.retain(|file| is_pinned(file) && left.is_ours(format));
                for file in files {
                    add(found, file, of_native(name));
                }
            }
            add_packages(trust, &folder.join(PACKAGES.0), found);
        }
        // A file of a folder of hooks that is gone is in no list of that folder; the pins know its name.
        for file in trust.pinned() {
            let native = NativeFormat::of_file(&file);
            let is_ours = native
                .is_some_and(|(format, folder)| real.starts_with(folder) && left.is_ours(format));
            if is_ours {
                add(found, file, Layer::Project);
            }
        }
    }
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
    add_packages(trust, &home.join(PACKAGES.1), found);
}

/// Adds the packages of a folder that were trusted, also those that are gone.
fn add_packages(trust: &Trust, folder: &Path, found: &mut Vec<Found>) {
    for file in trust.packages(folder) {
        add(found, file, Layer::Package);
    }
}

/// Returns the files in which hosts other than this one keep hooks for themselves, below a folder.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// use anyhook_engine::load::natives_of;
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
    let Some((parent, rest)) = name.split_once("/*") else {
        return vec![folder.join(name)];
    };
    let (ending, below) = match rest.split_once('/') {
        Some((ending, below)) => (ending, Some(below)),
        None => (rest, None),
    };
    let entries = std::fs::read_dir(folder.join(parent));
    let names = entries.into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = names
        .map(|entry| entry.path())
        .filter(|file| file.to_string_lossy().ends_with(ending))
        .map(|file| match below {
            Some(below) => file.join(below),
            None => file,
        })
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

fn push(found: &mut Vec<Found>, file: PathBuf, layer: Layer) {
    found.push(Found { file, layer });
}

fn add(found: &mut Vec<Found>, file: PathBuf, layer: Layer) {
    let is_it = |other: &Found| {
        let real = |file: &Path| file.canonicalize().ok();
        other.file == file || real(&other.file).is_some_and(|other| Some(other) == real(&file))
    };
    if !found.iter().any(is_it) {
        push(found, file, layer);
    }
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
