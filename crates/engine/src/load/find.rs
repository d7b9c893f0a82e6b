//! Which files may be manifests for a folder.

mod finds;
mod pinned;
mod plugins;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, ReadDir};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhook_wires::native_files::{FORMATS, NativeFormat};

pub use finds::ManifestFiles;

use super::{Layer, ManifestFile, TrustScope};
use crate::files::links::LinkResolver;
use crate::folders;
use crate::layers::{OF_PACKAGE, PACKAGES};
use crate::policy;
use crate::trust::{Trust, is_plugin, named_by_plugin};
use crate::world::World;

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

/// Finds the manifests that hold for these folders when `host` calls, layer by layer from the outermost: that of
/// the administrator, the person's own, one for each folder, its own or that of the nearest folder above it, up
/// to the root of the repository, in the same way those of other hosts and the local ones, and those of packages; then those that
/// were trusted, where trust is given, also those that are gone. What stands in the place of one is found whatever it is: a guard
/// must not end by becoming a pipe.
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
/// let found = find(&world, &[project.join("src/deep")], "claude-code", None);
/// assert_eq!(found.len(), 1);
/// assert_eq!(
///     (&found[0].file, found[0].layer),
///     (&project.join("hooks/hooks.json"), Layer::Project)
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find(
    world: &World,
    projects: &[PathBuf],
    host: &str,
    pinned: Option<&Trust>,
) -> Vec<ManifestFile> {
    let search = ManifestSearch::new(world, projects, host);
    ManifestSearch { pinned, ..search }.files().files
}

/// Where manifests are looked for, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct ManifestSearch<'a> {
    /// The world.
    pub world: &'a World,
    /// The folders.
    pub projects: &'a [PathBuf],
    /// The host that calls.
    pub host: &'a str,
    /// Whether every file counts as trusted: then no folder holds too many.
    pub trusting: TrustScope,
    /// The pins, by which also that is found which is gone.
    pub pinned: Option<&'a Trust>,
    /// The layer of the person's own file, where it is known.
    pub own: Option<Layer>,
}

impl<'a> ManifestSearch<'a> {
    /// Looks for what stands there.
    pub fn new(world: &'a World, projects: &'a [PathBuf], host: &'a str) -> Self {
        Self {
            world,
            projects,
            host,
            trusting: TrustScope::Pinned,
            pinned: None,
            own: None,
        }
    }

    /// Finds the files, and tells of the folders in which too many stand.
    pub fn files(&self) -> ManifestFiles {
        let (world, host) = (self.world, self.host);
        let mut found = ManifestFiles::new(self.trusting);
        let managed = world.managed.join("hooks.json");
        if stands(&managed) {
            found.add(managed, Layer::Managed);
        }
        let policy = policy::folder(&world.managed);
        for file in policy.iter().flat_map(|folder| of_policy(folder)) {
            found.add(file, Layer::Managed);
        }
        if let Some(places) = &world.places {
            let file = places.user_manifest();
            if stands(&file) {
                found.add(
                    file,
                    self.own.unwrap_or_else(|| self.layer_of(&places.config)),
                );
            }
        }
        let walk = |project| upwards(project).into_iter().map(SearchFolder::of).collect();
        let walks: Vec<Vec<SearchFolder<'_>>> =
            self.projects.iter().map(|project| walk(project)).collect();
        for layer in [Layer::Project, Layer::Local] {
            if layer == Layer::Local {
                natives(world, &walks, host, &mut found);
            }
            for walk in &walks {
                let first = |level: &SearchFolder<'_>| {
                    layer.names().find_map(|name| level.named(name).pop())
                };
                if let Some(file) = walk.iter().find_map(first) {
                    found.add(file, layer);
                }
            }
        }
        packages(world, &walks, &mut found);
        plugins::add(world, &walks, host, &mut found);
        if let Some(trust) = self.pinned {
            found.add_pinned(self, trust);
        }
        found
    }

    /// What stands in the project came with it, whatever the environment calls it.
    fn layer_of(&self, config: &Path) -> Layer {
        if is_inside(self.world, &[config], self.projects) {
            Layer::Project
        } else {
            Layer::User
        }
    }
}

/// Tells whether one of these folders of ours came with one of these projects: then its files are a stranger's. What stands
/// in a project did, because `XDG_CONFIG_HOME` is what some program set; but a project that is the person's home, or holds
/// it, brings none of it.
pub(crate) fn is_inside(world: &World, folders: &[&Path], projects: &[PathBuf]) -> bool {
    let mut links = LinkResolver::default();
    let mut real = |path: &Path| links.real(path);
    let folders: Vec<PathBuf> = folders.iter().map(|folder| real(folder)).collect();
    let mut holds = |root: &Path| {
        let root = real(root);
        let told = world.places.as_ref().map(|places| real(&places.home));
        let is_home = || {
            let home = world.own_home().map(|home| real(&home));
            let is_its = home.is_some_and(|home| home.starts_with(&root));
            is_its || told.is_some_and(|home| home.starts_with(&root) && !is_brought(&home, &root))
        };
        folders.iter().any(|folder| folder.starts_with(&root)) && !is_home()
    };
    projects
        .iter()
        .any(|project| holds(project) || repository_of(project).is_some_and(&mut holds))
}

/// Returns the root of the repository in which a folder stands, which may be the folder itself.
pub(crate) fn repository_of(folder: &Path) -> Option<&Path> {
    let mut above = folder.ancestors();
    above.find(|folder| folder.join(".git").exists())
}

/// Tells whether a home stands in a project that has a repository or hooks of its own: such a project may have set `HOME`.
fn is_brought(home: &Path, root: &Path) -> bool {
    let above = home.ancestors().skip(1);
    let mut within = above.take_while(|folder| folder.starts_with(root));
    within.any(|folder| {
        let hooks = manifests_of(folder).chain(natives_of(folder, ""));
        hooks.chain([folder.join(".git")]).any(|file| stands(&file))
    })
}

/// The folders from a project up to the root of its repository: each is looked at once, whatever is looked for.
pub fn upwards(project: &Path) -> Vec<&Path> {
    let root = repository_of(project);
    let below = project
        .ancestors()
        .take_while(|folder| Some(*folder) != root);
    below.chain(root).collect()
}

/// A folder in which files are looked for.
struct SearchFolder<'p> {
    folder: &'p Path,
    /// What stands in it; nothing where that is more than is worth a look, or cannot be known.
    names: Option<Vec<OsString>>,
}

/// To list more than this costs more than to ask for each file.
const LISTED: usize = 128;

impl<'p> SearchFolder<'p> {
    fn of(folder: &'p Path) -> Self {
        let names = |all: ReadDir| all.take(LISTED + 1).map(|one| Ok(one?.file_name()));
        let listed = fs::read_dir(folder).and_then(|all| names(all).collect());
        Self {
            folder,
            names: listed.ok().filter(|names: &Vec<_>| names.len() <= LISTED),
        }
    }

    /// Tells whether something may stand below it at this relative path. A disk that takes two spellings for one name may hold
    /// it under the other, and of letters beyond ASCII we do not know which those are.
    fn may_have(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or_default();
        self.names.as_ref().is_none_or(|names| {
            let mut names = names.iter();
            names.any(|name| name.eq_ignore_ascii_case(first) || !name.is_ascii())
        })
    }

    /// Returns what stands below it under a name, which may have a `*`.
    fn named(&self, name: &str) -> Vec<PathBuf> {
        if !self.may_have(name) {
            return Vec::new();
        }
        let mut files = named(self.folder, name);
        files.retain(|file| stands(file));
        files
    }
}

/// Adds the files of hosts in the nearest folder that has them. Those in the person's home are the person's own, for that
/// host alone.
fn natives(world: &World, walks: &[Vec<SearchFolder<'_>>], host: &str, found: &mut ManifestFiles) {
    let home = world.home();
    for walk in walks {
        let project = walk.first().map(|level| level.folder);
        let left = HostFileCheck::of(world, project.unwrap_or(Path::new("")), host);
        let all = FORMATS.iter();
        let all = all.flat_map(|format| format.files.iter().map(move |name| (*format, *name)));
        for (format, name) in all {
            let below_home = walk.iter().take_while(|level| Some(level.folder) != home);
            let mut there = below_home.map(|level| (level.folder, level.named(name)));
            let there = there.find(|(_, files)| !files.is_empty());
            if let Some((folder, files)) = there.filter(|_| left.is_ours(format, name)) {
                let of_kind = folder.join(name.split_once("/*").map_or(name, |(above, _)| above));
                for file in found.bounded(&of_kind, files) {
                    found.add(file, of_native(name));
                }
            }
        }
    }
}

/// Whether the files of hosts are ours to run in a project when a host calls: all but those that it runs there itself. One
/// that is not known to run it is run twice rather than never.
struct HostFileCheck<'w> {
    world: &'w World,
    project: &'w Path,
    host: &'w str,
    /// Whether the host runs such files here: found out when there is one.
    runs: OnceCell<bool>,
}

impl<'w> HostFileCheck<'w> {
    fn of(world: &'w World, project: &'w Path, host: &'w str) -> Self {
        Self {
            world,
            project,
            host,
            runs: OnceCell::new(),
        }
    }

    /// Tells it of a file of this name, below its folder.
    fn is_ours(&self, format: &NativeFormat, name: &str) -> bool {
        let runs = || {
            let host = anyhook_wires::host(self.host);
            host.is_none_or(|host| folders::runs_projects(self.world, host, self.project))
        };
        NativeFormat::is_of_plugin(name)
            || !format.is_read_by(self.host)
            || !*self.runs.get_or_init(runs)
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
fn packages(world: &World, walks: &[Vec<SearchFolder<'_>>], found: &mut ManifestFiles) {
    let nearest = |name: &str| -> Vec<PathBuf> {
        let walks = walks.iter();
        let of_walk = |walk: &Vec<_>| {
            walk.iter()
                .find_map(|level: &SearchFolder<'_>| level.named(name).pop())
        };
        walks.filter_map(of_walk).collect()
    };
    let home = world.places.iter();
    let own = home.map(|places| places.home.join(PACKAGES.1));
    for folder in nearest(PLUGINS) {
        let all = found.bounded(&folder, inside(&folder));
        for file in all.iter().flat_map(|plugin| of_clients(plugin)) {
            found.add(file, Layer::Package);
        }
    }
    for folder in nearest(PACKAGES.0).into_iter().chain(own) {
        let all = found.bounded(&folder, inside(&folder));
        let mut files: Vec<PathBuf> = all.iter().flat_map(|package| of_package(package)).collect();
        files.sort();
        for file in files {
            found.add(file, Layer::Package);
        }
    }
}

/// Where a project has Agent Plugins.
const PLUGINS: &str = ".agents/plugins";

/// Returns what stands in a folder, by name.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Returns the files that an Agent Plugin has for single agents. What it has for one of them may be in none for another, so
/// all of them count.
fn of_clients(plugin: &Path) -> Vec<PathBuf> {
    let names = FORMATS.iter().flat_map(|format| format.files);
    let names = names.filter(|name| NativeFormat::is_of_plugin(name));
    let files = names.flat_map(|name| named(plugin, name));
    files.filter(|file| stands(file)).collect()
}

/// Returns the manifests of a revision of the policy. The first one is always among them: a policy whose files are gone is one
/// that cannot be read, and not one without hooks.
pub(crate) fn of_policy(folder: &Path) -> Vec<PathBuf> {
    let packages = inside(&folder.join(PACKAGES.0));
    let of_packages = packages.iter().flat_map(|package| of_package(package));
    std::iter::once(folder.join(OF_PACKAGE))
        .chain(of_packages)
        .collect()
}

/// Returns the manifests of a package: that of the usual place, and those that its `plugin.json` names or is. A universal one at
/// the usual place is the only one, because the others say the same for one agent.
fn of_package(package: &Path) -> Vec<PathBuf> {
    let usual = package.join(OF_PACKAGE);
    let mut named = named_by_plugin(package);
    named.retain(|file| *file != usual && stands(file));
    named.extend(of_clients(package));
    let of_plugin = || fs::read_to_string(&usual).is_ok_and(|text| is_plugin(package, &text));
    if !stands(&usual) {
        return named;
    }
    if named.is_empty() || !of_plugin() {
        return vec![usual];
    }
    named.insert(0, usual);
    named
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
    let names = FORMATS.iter().flat_map(|format| {
        let is_ours = |name: &&&str| NativeFormat::is_of_plugin(name) || !format.is_read_by(host);
        format.files.iter().filter(is_ours)
    });
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
    let entries = fs::read_dir(folder.join(parent));
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
