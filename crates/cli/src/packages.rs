//! Packages of hooks for `anyhook add`: where they come from, and what a person reads about them.

use std::path::{Path, PathBuf};

use anyhook::mounts;
use anyhook::packages::{LockedPackage, PackageContents, PackageError, Packages};
use anyhook::text::word;
use anyhook::world::World;

use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::ui::visible;

/// How a lock file names what the program brings.
const BROUGHT: &str = "anyhook:";
/// The files of the package `guardrails`: name and content.
pub(crate) const GUARDRAILS: &[(&str, &str)] =
    &include!(concat!(env!("OUT_DIR"), "/guardrails.rs"));
/// What the program brings.
const PACKAGES: &[(&str, &[(&str, &str)])] = &[("guardrails", GUARDRAILS)];

/// A package before it is written.
pub(crate) struct PackageSource {
    pub(crate) tree: PackageContents,
    pub(crate) name: String,
    /// What the lock file says of it, but for its key and its digest.
    pub(crate) locked: LockedPackage,
}

/// Tells whether a word names a package: what the program brings, a repository, or a path, which has a slash.
pub(crate) fn is_source(text: &str) -> bool {
    let is_brought = PACKAGES.iter().any(|(name, _)| text == *name);
    is_brought || text.starts_with('.') || text.starts_with("git+") || text.contains(['/', ':'])
}

/// Returns the packages of the person, or those of this project.
pub(crate) fn of(is_own: bool, world: &World) -> Result<Packages, CliError> {
    if !is_own {
        return Ok(Packages::of_project(world));
    }
    Ok(Packages::of_user(error::places(world)?))
}

/// Says what is wrong with a package.
pub(crate) fn problem(error: PackageError) -> CliError {
    CliError::new(Exit::Data, error.what).or_help(error.help)
}

/// Reads a package; folders count from `base`.
pub(crate) fn read(
    text: &str,
    base: &Path,
    into: &Packages,
    world: &World,
) -> Result<PackageSource, CliError> {
    let brought = text.strip_prefix(BROUGHT).unwrap_or(text);
    if let Some((name, files)) = PACKAGES.iter().find(|(name, _)| *name == brought) {
        return Ok(PackageSource {
            tree: PackageContents::of(files),
            name: (*name).to_owned(),
            locked: LockedPackage {
                source: format!("{BROUGHT}{name}"),
                revision: Some(env!("CARGO_PKG_VERSION").to_owned()),
                ..LockedPackage::default()
            },
        });
    }
    if text.starts_with("git@") || text.starts_with("ssh:") {
        let what = format!("`{text}` is an address for ssh, which is not read");
        let help = "write https://HOST/REPOSITORY@REVISION; a credential helper of git opens a private one";
        return Err(CliError::new(Exit::Usage, what).help(help));
    }
    match repository(text, base) {
        Some(address) => fetched(&address, base, world),
        None => copied(text, base, into),
    }
}

/// Returns the address of a repository, if the text is one: with a scheme, or the folder of a repository and a revision.
fn repository(text: &str, base: &Path) -> Option<String> {
    if text.starts_with("git+") {
        return Some(text.to_owned());
    }
    if text.contains("://") || text.contains("::") {
        return Some(format!("git+{text}"));
    }
    let folder = base.join(text);
    let is_bare = |folder: &Path| folder.join("HEAD").is_file() && folder.join("objects").is_dir();
    let address = |folder: &Path, rest: &str| {
        let folder = folder.canonicalize().ok()?;
        Some(format!("git+file://{}{rest}", folder.to_str()?))
    };
    if folder.exists() {
        return address(&folder, "").filter(|_| is_bare(&folder));
    }
    let (path, inner) = text.split_once('#').map_or((text, ""), |(path, _)| {
        (path, text.get(path.len()..).unwrap_or_default())
    });
    let (path, revision) = path.rsplit_once('@').unwrap_or((path, ""));
    let folder = base.join(path);
    let is_one = folder.join(".git").exists() || is_bare(&folder);
    let revision = if revision.is_empty() {
        String::new()
    } else {
        format!("@{revision}")
    };
    address(&folder, &format!("{revision}{inner}")).filter(|_| is_one)
}

fn fetched(address: &str, base: &Path, world: &World) -> Result<PackageSource, CliError> {
    let source = mounts::ModuleSource::read(address, base).map_err(|error| {
        let help = "write https://HOST/REPOSITORY@REVISION, or the path of a folder";
        CliError::new(Exit::Usage, error.what).help(help)
    })?;
    let mounts::ModuleSource::Git(git) = source else {
        let what = format!("`{address}` is no repository");
        return Err(CliError::new(Exit::Usage, what));
    };
    let fetched = mounts::fetched(&git, world);
    let (folder, pinned) = fetched.map_err(|why| CliError::new(Exit::NoInput, why))?;
    let tree = PackageContents::read(&folder).map_err(problem)?;
    let inner = git.subdirectory.as_ref();
    let last = inner.unwrap_or(&git.url).trim_end_matches('/');
    let last = last.rsplit('/').next().unwrap_or_default();
    let own = tree.own_name();
    let source = match inner {
        Some(inner) => format!("{}#subdirectory={inner}", git.pin()),
        None => git.pin(),
    };
    Ok(PackageSource {
        tree,
        name: own.unwrap_or_else(|| last.strip_suffix(".git").unwrap_or(last).to_owned()),
        locked: LockedPackage {
            source,
            revision: Some(pinned.commit),
            ..LockedPackage::default()
        },
    })
}

fn copied(text: &str, base: &Path, into: &Packages) -> Result<PackageSource, CliError> {
    let folder = base.join(text);
    let real = folder
        .canonicalize()
        .map_err(|error| CliError::unreadable(&folder, error))?;
    let tree = PackageContents::read(&real).map_err(problem)?;
    let last = real
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = tree.own_name().or(last).unwrap_or_default();
    let source = from_folder(&real, into.folder());
    let source = source.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::new(
            Exit::Data,
            format!("`{}` cannot be written into a lock file", folder.display()),
        )
    })?;
    let locked = LockedPackage {
        source,
        ..LockedPackage::default()
    };
    Ok(PackageSource { tree, name, locked })
}

/// Returns the path of a folder as a lock file keeps it: counted from the folder of packages where it is in the same
/// project, so that it is the same for everybody, else absolute.
fn from_folder(real: &Path, packages: &Path) -> PathBuf {
    let project = packages
        .parent()
        .and_then(|project| project.canonicalize().ok());
    let below = project
        .as_ref()
        .and_then(|project| real.strip_prefix(project).ok());
    below.map_or_else(|| real.to_owned(), |below| Path::new("..").join(below))
}

/// Shows a path as a person would type it here.
pub(crate) fn shown(path: &Path, world: &World) -> String {
    let short = path.strip_prefix(&world.cwd).unwrap_or(path);
    visible(&word(&short.to_string_lossy()))
}

/// Says where a package came from.
pub(crate) fn from(source: &str, revision: Option<&str>) -> String {
    match revision {
        Some(revision) => format!("{} ({})", visible(source), short(revision)),
        None => visible(source),
    }
}

/// A commit is long, and its beginning is enough for a person.
pub(crate) fn short(revision: &str) -> &str {
    let is_commit = revision.len() >= 40;
    revision.get(..12).filter(|_| is_commit).unwrap_or(revision)
}

/// Says what a person types next.
pub(crate) fn now_trust(manifests: &[PathBuf], world: &World) -> String {
    let lines = manifests
        .iter()
        .map(|file| format!("Now: anyhook trust {}\n", shown(file, world)));
    lines.collect()
}
