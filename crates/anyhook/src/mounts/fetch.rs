//! Repositories, by the `git` command: fetched at one commit, and kept by it.
//!
//! The author of a plan, and the owner of a repository, may be strangers. So git is started without questions, without
//! hooks, submodules, links and filters, and with the one protocol that the source names. The repository itself is not
//! kept: its configuration would be a file that another program could change between two calls. What is kept is the tree of the
//! commit, and its digest is looked at each time that it is used.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_care::packages::PackageContents;
use anyhook_core::transcript::{End, Transcript};
use anyhook_engine::files;
use anyhook_engine::processes::{self, Job, find_program};
use anyhook_engine::world::World;

use super::lock::{PinnedCommit, is_hex};
use super::source::{GitSource, Scheme};

/// How long one call of git may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The one name that what was fetched has.
const IT: &str = "refs/anyhook/it";

/// A commit on this disk.
#[derive(Debug)]
pub(super) struct LocalCommit {
    pub(super) folder: PathBuf,
    pub(super) pinned: PinnedCommit,
}

impl LocalCommit {
    /// Returns the folder that a source means.
    pub(super) fn meant_by(&self, git: &GitSource) -> PathBuf {
        let inner = git.subdirectory.as_deref();
        inner.map_or_else(|| self.folder.clone(), |inner| self.folder.join(inner))
    }
}

/// Returns the folder where repositories are kept.
pub(super) fn cache(world: &World) -> Option<PathBuf> {
    let moved = world.var("XDG_CACHE_HOME").map(Path::new);
    let cache = match moved.filter(|path| path.is_absolute()) {
        Some(cache) => cache.to_owned(),
        None => world.places.as_ref()?.home.join(".cache"),
    };
    Some(cache.join("anyhook/modules"))
}

/// Fetches a repository at what the source names now, and returns the folder that the source means and its commit. Nothing
/// of the repository runs, and no setting of it is read.
///
/// ```
/// use anyhook::mounts::{ModuleSource, fetched};
/// use anyhook::world::World;
///
/// let ModuleSource::Git(git) = ModuleSource::read("git+file:///nowhere/at/all@v1", "".as_ref())? else { panic!() };
/// let world = World { places: None, env: [].into(), ..World::real() };
/// assert!(fetched(&git, &world).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fetched(git: &GitSource, world: &World) -> Result<(PathBuf, PinnedCommit), String> {
    let cache = cache(world).ok_or("there is no home folder to keep it in")?;
    let fetched = fetch(git, None, &cache, world)?;
    let folder = fetched.meant_by(git);
    if folder.is_dir() {
        return Ok((folder, fetched.pinned));
    }
    let inner = git.subdirectory.as_deref().unwrap_or_default();
    Err(format!("`{}` has no folder `{inner}`", git.pin()))
}

/// Returns the tree of a commit that is pinned, if it is kept and still what was pinned.
pub(super) fn kept(git: &GitSource, pinned: &PinnedCommit, cache: &Path) -> Option<LocalCommit> {
    let folder = place(git, &pinned.commit, cache);
    let is_it = folder.is_dir() && digest(&folder).is_ok_and(|found| found == pinned.digest);
    is_it.then(|| LocalCommit {
        folder,
        pinned: pinned.clone(),
    })
}

/// Returns the digest of a tree: the one of the packages that are added.
fn digest(folder: &Path) -> Result<String, String> {
    let tree = PackageContents::read(folder).map_err(|error| files::with_causes(&error))?;
    Ok(tree.digest())
}

fn place(git: &GitSource, commit: &str, cache: &Path) -> PathBuf {
    let repository = files::name_of(&[git.url.as_bytes()]);
    cache.join(repository).join(commit)
}

/// Fetches a repository: at the commit that is pinned, else at what the source names.
pub(super) fn fetch(
    git: &GitSource,
    pinned: Option<&PinnedCommit>,
    cache: &Path,
    world: &World,
) -> Result<LocalCommit, String> {
    files::private_dir(cache).map_err(|error| files::with_causes(&error))?;
    let room = tempfile::Builder::new().prefix(".git-").tempdir_in(cache);
    let room = room.map_err(|error| format!("there is no room for it: {error}"))?;
    let runs = GitRunner::new(git, room.path(), world)?;
    let commit = runs.commit(pinned)?;
    if pinned.is_some_and(|pinned| pinned.commit != commit) {
        return Err(format!("`{}` is not the commit that is pinned", git.pin()));
    }
    let tree = runs.tree(&commit)?;
    let digest = digest(&tree)?;
    if pinned.is_some_and(|pinned| pinned.digest != digest) {
        return Err(format!(
            "commit {commit} of `{}` has other files than those that were pinned",
            git.url
        ));
    }
    let folder = place(git, &commit, cache);
    settle(&tree, &folder).map_err(|error| format!("it cannot be kept: {error}"))?;
    Ok(LocalCommit {
        folder,
        pinned: PinnedCommit { commit, digest },
    })
}

/// Moves a tree to its place, over one that was there: that one may not be what it was.
fn settle(tree: &Path, folder: &Path) -> std::io::Result<()> {
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above)?;
    }
    if folder.symlink_metadata().is_ok() {
        let old = tempfile::Builder::new()
            .prefix(".old-")
            .tempdir_in(folder.parent().unwrap_or(folder))?;
        fs::rename(folder, old.path().join("tree"))?;
    }
    fs::rename(tree, folder)
}

/// The calls of git for one repository.
struct GitRunner<'a> {
    git: &'a GitSource,
    program: PathBuf,
    room: &'a Path,
    world: &'a World,
}

impl<'a> GitRunner<'a> {
    fn new(git: &'a GitSource, room: &'a Path, world: &'a World) -> Result<Self, String> {
        let path = world.var("PATH").unwrap_or_default();
        let program = find_program(OsStr::new("git"), path, Path::new("/"));
        Ok(Self {
            git,
            program: program.ok_or("`git` is not installed")?,
            room,
            world,
        })
    }

    /// Fetches what is meant, and returns its commit.
    fn commit(&self, pinned: Option<&PinnedCommit>) -> Result<String, String> {
        self.run(&["init", "--quiet", "--bare", "--template=", "."])?;
        let named = self.git.reference.as_deref().unwrap_or("HEAD");
        let wanted = pinned.map_or(named, |pinned| &pinned.commit);
        let what = format!("+{wanted}:{IT}");
        self.run(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-auto-gc",
            "--depth=1",
            "--",
            &self.git.url,
            &what,
        ])?;
        let name = format!("{IT}^{{commit}}");
        let found = self.run(&["rev-parse", "--verify", "--quiet", &name])?;
        let commit = found.trim().to_owned();
        if is_hex(&commit, &[40, 64]) {
            Ok(commit)
        } else {
            Err(format!("`{}` has no commit `{wanted}`", self.git.url))
        }
    }

    /// Writes the files of a commit, and nothing else: no hook and no filter of the repository runs here.
    fn tree(&self, commit: &str) -> Result<PathBuf, String> {
        let tree = self.room.join("tree");
        fs::create_dir(&tree).map_err(|error| format!("there is no room for it: {error}"))?;
        let mut work = OsString::from("--work-tree=");
        work.push(&tree);
        self.run_in(&work, &["read-tree", commit])?;
        self.run_in(&work, &["checkout-index", "--all", "--force", "--quiet"])?;
        Ok(tree)
    }

    fn run(&self, words: &[&str]) -> Result<String, String> {
        self.run_in(OsStr::new("--bare"), words)
    }

    fn run_in(&self, option: &OsStr, words: &[&str]) -> Result<String, String> {
        let mut args = self.settings();
        args.push(option.into());
        args.extend(words.iter().map(OsString::from));
        let needs_person = words.contains(&"fetch");
        let job = Job {
            program: self.program.clone(),
            args,
            env: self.env(needs_person),
            cwd: self.room.to_path_buf(),
            stdin: [].into(),
            deadline: PATIENCE,
            confined: None,
        };
        let ended = processes::run([(0, job)]).into_iter().next();
        let transcript = ended.map(|(_, transcript)| transcript);
        self.said(words, transcript)
    }

    /// What git is told, whatever its own settings say.
    fn settings(&self) -> Vec<OsString> {
        let protocol = format!("protocol.{}.allow=always", self.git.scheme.name());
        let settings = [
            "protocol.allow=never",
            "protocol.ext.allow=never",
            &protocol,
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.symlinks=false",
            "core.autocrlf=false",
            "core.askPass=",
            "credential.interactive=false",
            "submodule.recurse=false",
            "fetch.recurseSubmodules=false",
            "transfer.bundleURI=false",
            "gc.auto=0",
            "maintenance.auto=false",
        ];
        let settings = settings
            .iter()
            .flat_map(|setting| ["-c".into(), setting.into()]);
        settings.collect()
    }

    fn said(&self, words: &[&str], transcript: Option<Transcript>) -> Result<String, String> {
        let what = words.first().copied().unwrap_or_default();
        let transcript = transcript.ok_or_else(|| format!("`git {what}` never ended"))?;
        match &transcript.end {
            End::Code(0) => Ok(transcript.stdout.text().into_owned()),
            End::Code(_) | End::Signal(_) => {
                let text = transcript.stderr.text();
                // The cause stands in the line that git marks; what follows it is advice.
                let is_marked =
                    |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
                let told = text.lines().find(is_marked).or(text.lines().last());
                let told = told.unwrap_or("it says no more");
                let told = anyhook_engine::text::plain(told);
                let told: String = told.chars().take(300).collect();
                Err(format!("`git {what}` of `{}` failed: {told}", self.git.url))
            }
            End::TimedOut => Err(format!("`git {what}` of `{}` took too long", self.git.url)),
            End::NotStarted(why) => Err(format!("`git` did not start: {why}")),
        }
    }

    /// The environment: nothing of git's own is handed on. The person's own settings are read for fetching alone, where
    /// they say how the network is reached and who the person is; what is written to the disk is of no setting of theirs.
    fn env(&self, needs_person: bool) -> Vec<(OsString, OsString)> {
        let all = self.world.env.iter();
        let is_ours = |name: &OsString| !name.to_string_lossy().starts_with("GIT_");
        let mut env: Vec<(OsString, OsString)> = all
            .filter(|(name, _)| is_ours(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut set = |name: &str, value: &OsStr| env.push((name.into(), value.into()));
        set("GIT_TERMINAL_PROMPT", OsStr::new("0"));
        set("GIT_ASKPASS", OsStr::new("true"));
        set("SSH_ASKPASS", OsStr::new("true"));
        set("GIT_ALLOW_PROTOCOL", OsStr::new(self.git.scheme.name()));
        set("GIT_DIR", self.room.as_os_str());
        set("GIT_CONFIG_NOSYSTEM", OsStr::new("1"));
        set("GIT_NO_REPLACE_OBJECTS", OsStr::new("1"));
        set("GIT_ATTR_NOSYSTEM", OsStr::new("1"));
        set("LC_ALL", OsStr::new("C"));
        if !needs_person || self.git.scheme != Scheme::Https {
            set("GIT_CONFIG_GLOBAL", OsStr::new("/dev/null"));
        }
        env
    }
}
