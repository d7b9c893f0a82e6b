//! One repository of a snapshot.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::copies;
use super::shadow::{ObjectFormat, ShadowRepository, setting};
use super::{SnapshotBudget, SnapshotScope};
use crate::files::links::real;
use crate::files::read_up_to;

/// What of a repository's own folder is no state of it: objects, which are borrowed; other repositories; large files.
const NOT_STATE: &[&str] = &["objects", "modules", "lfs", "annex"];
/// A file of one line.
const LONGEST_LINE: u64 = 4096;
/// What git keeps in the place of a large file is shorter.
const LONGEST_POINTER: u64 = 256;
/// What is told where git takes too long.
const LATE: &str = "git did not answer in time";

/// A repository as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Repository {
    /// The folder of its files.
    #[serde(with = "super::path")]
    pub(super) top: PathBuf,
    /// Its own folder, which all work trees share.
    #[serde(with = "super::path")]
    pub(super) common: PathBuf,
    /// What its `.git` says where that is a file.
    pub(super) leads: Option<String>,
    /// The tree of its files.
    pub(super) tree: String,
    /// Where it stands in the snapshot.
    pub(super) at: PathBuf,
}

/// Finds the repository around a place.
pub(crate) fn top_of(place: &Path) -> Option<PathBuf> {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    place.ancestors().find(has_git).map(Path::to_owned)
}

/// The own folder of a repository's work tree, and the one that all of them share. A `.git` that leads elsewhere counts only
/// if it is known there: as a work tree or as a module of another repository.
pub(crate) fn folders_of(top: &Path) -> Result<(PathBuf, PathBuf), String> {
    let git = top.join(".git");
    let meta = git.symlink_metadata().map_err(|error| error.to_string())?;
    if meta.is_dir() {
        return Ok((git.clone(), git));
    }
    let elsewhere = || "its `.git` leads to a folder that does not know of it".to_owned();
    let line = |file: &Path| {
        let bytes = read_up_to(file, LONGEST_LINE).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        Some(text.trim_end().to_owned())
    };
    let told = line(&git)
        .filter(|_| meta.is_file())
        .ok_or_else(elsewhere)?;
    let told = told.strip_prefix("gitdir:").ok_or_else(elsewhere)?;
    let own = real(&top.join(told.trim()));
    if let Some(back) = line(&own.join("gitdir")) {
        let common = line(&own.join("commondir")).ok_or_else(elsewhere)?;
        let is_known = real(&own.join(back)) == git;
        return if is_known {
            Ok((own.clone(), real(&own.join(common))))
        } else {
            Err(elsewhere())
        };
    }
    let worktree = setting(&own.join("config"), "worktree");
    if worktree.is_some_and(|worktree| real(&own.join(worktree)) == top) {
        Ok((own.clone(), own))
    } else {
        Err(elsewhere())
    }
}

/// Tells whether something in a repository's own folder is no state of it.
fn is_no_state(name: &Path) -> bool {
    let first = name.components().next().map(Component::as_os_str);
    let is_first = NOT_STATE
        .iter()
        .any(|other| first == Some(OsStr::new(other)));
    is_first || name.extension() == Some(OsStr::new("lock"))
}

impl Repository {
    /// Keeps it in a new folder, and returns it with the repositories in it.
    pub(super) fn take(
        place: &Path,
        top: &Path,
        need: &SnapshotScope,
        home: &Path,
        left: &mut SnapshotBudget,
    ) -> Result<(Self, Vec<PathBuf>), String> {
        let (own, common) = folders_of(top)?;
        let at = place.file_name().map(PathBuf::from).unwrap_or_default();
        let told = |error: io::Error| error.to_string();
        fs::create_dir_all(place).map_err(told)?;
        let whole = copies::copy(&common, &place.join("state"), &is_no_state, left);
        if !whole.map_err(told)? {
            return Err("not all of its own folder can be read".to_owned());
        }
        let mut objects = vec![common.join("objects")];
        if need.drops(&common) {
            let kept = place.join("objects");
            copies::link(&common.join("objects"), &kept).map_err(told)?;
            objects.push(kept);
        }
        let shadow = Self::shadow(place, top, Vec::new());
        shadow
            .make(&objects, ObjectFormat::of(&common), home)
            .map_err(told)?;
        copy_index(&own, &common, &shadow).map_err(told)?;
        let files = UndoFiles::of(&shadow, left).ok_or(LATE)?;
        let (tree, inner) = files.tree(&common, home, left)?;
        let repository = Self {
            top: top.to_owned(),
            common,
            leads: fs::read_to_string(top.join(".git")).ok(),
            tree,
            at,
        };
        Ok((repository, inner))
    }

    /// Tells what of its own folder stays as it is when it is restored: what is no state, and the state of other work trees
    /// that are still there, in which other agents may be at work.
    pub(super) fn is_left(&self) -> impl Fn(&Path) -> bool + use<> {
        let own = self
            .leads
            .as_deref()
            .and_then(|leads| Path::new(leads.trim()).file_name());
        let all = fs::read_dir(self.common.join("worktrees"))
            .into_iter()
            .flatten()
            .flatten();
        let others = all
            .map(|entry| entry.file_name())
            .filter(|name| Some(&**name) != own);
        let others: Vec<PathBuf> = others
            .map(|name| Path::new("worktrees").join(name))
            .collect();
        move |name| is_no_state(name) || others.iter().any(|other| name.starts_with(other))
    }

    /// Our repository that stands for it in a folder of a snapshot.
    pub(super) fn shadow(place: &Path, top: &Path, objects: Vec<PathBuf>) -> ShadowRepository {
        ShadowRepository {
            git: place.join("repository"),
            top: top.to_owned(),
            index: place.join("index"),
            objects,
        }
    }

    /// Lists the files at these places and below them that git ignores.
    pub(super) fn ignored_below(
        &self,
        folder: &Path,
        paths: &[&Path],
        left: &SnapshotBudget,
    ) -> Option<Vec<PathBuf>> {
        if paths.is_empty() {
            return Some(Vec::new());
        }
        let shadow = Self::shadow(&folder.join(&self.at), &self.top, Vec::new());
        let mut words = vec!["ls-files", "-z", "-o", "-i", "--exclude-standard", "--"];
        for path in paths {
            let below = path.strip_prefix(&self.top).ok()?.to_str()?;
            words.push(if below.is_empty() { "." } else { below });
        }
        let told = shadow.ask(&words, Vec::new(), left.time())?;
        Some(names(&told).map(|name| self.top.join(name)).collect())
    }
}

/// The names in an answer of git.
pub(super) fn names(told: &[u8]) -> impl Iterator<Item = &Path> {
    let names = told
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names.map(|name| Path::new(OsStr::from_bytes(name)))
}

/// Starts with the index of the repository: what it knows of the times of files need not be read again. By its own time git
/// tells which of them may have changed since.
fn copy_index(own: &Path, common: &Path, shadow: &ShadowRepository) -> io::Result<()> {
    let exclude = common.join("info/exclude");
    if exclude.is_file() {
        fs::copy(exclude, shadow.git.join("info/exclude"))?;
    }
    let index = own.join("index");
    let Ok(meta) = index.symlink_metadata() else {
        return Ok(());
    };
    fs::copy(&index, &shadow.index)?;
    let file = fs::OpenOptions::new().write(true).open(&shadow.index)?;
    file.set_modified(meta.modified()?)?;
    for entry in fs::read_dir(own)?.flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("sharedindex.") {
            fs::copy(entry.path(), shadow.git.join(name))?;
        }
    }
    Ok(())
}

/// The files of a repository, as git lists them.
struct UndoFiles<'s> {
    shadow: &'s ShadowRepository,
    /// The names of those that are not as the index says, and of those that it does not know.
    changed: Vec<u8>,
    all: Vec<u8>,
}

/// One file, as git lists it.
struct IndexEntry<'l> {
    /// How git sees it: `?` is not known, `S` and small letters are not looked at.
    tag: u8,
    mode: &'l [u8],
    digest: &'l [u8],
    name: &'l Path,
}

impl<'l> IndexEntry<'l> {
    fn of(line: &'l [u8]) -> Option<Self> {
        let (tag, rest) = (*line.first()?, line.get(2..)?);
        let (fixed, name) = match memchr::memchr(b'\t', rest) {
            Some(at) if tag != b'?' => (rest.get(..at)?, rest.get(at + 1..)?),
            _ => (&b""[..], rest),
        };
        let mut fixed = fixed.split(|byte| *byte == b' ');
        Some(Self {
            tag,
            mode: fixed.next().unwrap_or_default(),
            digest: fixed.next().unwrap_or_default(),
            name: Path::new(OsStr::from_bytes(name)),
        })
    }
}

impl<'s> UndoFiles<'s> {
    /// Asks git; the files that changed may be known.
    fn of(shadow: &'s ShadowRepository, left: &SnapshotBudget) -> Option<Self> {
        // Several threads of git look at the files; of a repository in this one only its commit counts.
        const CHANGED: &[&str] = &[
            "-c",
            "core.preloadIndex=true",
            "diff-files",
            "-z",
            "--name-only",
            "--ignore-submodules=dirty",
        ];
        const ALL: &[&str] = &[
            "ls-files",
            "-z",
            "-v",
            "-s",
            "-c",
            "-o",
            "--exclude-standard",
        ];
        let (changed, all) = shadow.ask_both(CHANGED, ALL, left.time())?;
        let mut files = Self {
            shadow,
            changed,
            all,
        };
        let flagged = files.entries().filter(|entry| {
            let is_flagged = entry.tag == b'S' || entry.tag.is_ascii_lowercase();
            is_flagged && shadow.top.join(entry.name).symlink_metadata().is_ok()
        });
        let flagged = listed(flagged.map(|entry| entry.name));
        // Git does not look at these: its index says so.
        if !flagged.is_empty() {
            for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
                let words = ["update-index", "-z", flag, "--stdin"];
                shadow.ask(&words, flagged.clone(), left.time())?;
            }
            files.changed = shadow.ask(CHANGED, Vec::new(), left.time())?;
        }
        let unknown = files.entries().filter(|entry| entry.tag == b'?');
        let unknown = listed(unknown.map(|entry| entry.name));
        files.changed.extend(unknown);
        Some(files)
    }

    fn entries(&self) -> impl Iterator<Item = IndexEntry<'_>> {
        let lines = self.all.split(|byte| *byte == 0);
        lines.filter_map(IndexEntry::of)
    }

    /// Writes the tree of all files, and returns it with the repositories that are among them.
    fn tree(
        self,
        common: &Path,
        home: &Path,
        left: &mut SnapshotBudget,
    ) -> Result<(String, Vec<PathBuf>), String> {
        let mut inner = self.modules();
        let converted = self.converted(common, home, left).ok_or(LATE)?;
        if !converted.is_empty() {
            let words = ["update-index", "-z", "--force-remove", "--stdin"];
            let input = listed(converted.iter().copied());
            self.shadow.ask(&words, input, left.time()).ok_or(LATE)?;
        }
        let mut changed = BTreeSet::new();
        let (mut many, mut bytes) = (0_usize, 0_u64);
        for name in names(&self.changed).chain(converted) {
            if changed.contains(name) {
                continue;
            }
            let path = self.shadow.top.join(name);
            let meta = path.symlink_metadata().ok();
            if meta.as_ref().is_some_and(fs::Metadata::is_dir) {
                // A repository in this one; only its commit is in the tree.
                inner.push(real(&path));
                continue;
            }
            let size = meta.map_or(0, |meta| meta.len());
            if left.take(size) {
                changed.insert(name.to_owned());
            } else {
                (many, bytes) = (many + 1, bytes.saturating_add(size));
            }
        }
        if many > 0 {
            left.lose(format!(
                "files that do not fit: {many}, of {} MB",
                bytes >> 20
            ));
        }
        if !changed.is_empty() {
            let words = ["update-index", "-z", "--add", "--remove", "--stdin"];
            let input = listed(changed.iter().map(PathBuf::as_path));
            self.shadow
                .ask(&words, input, left.time())
                .ok_or("its changed files could not be read")?;
        }
        let told = self.shadow.ask(&["write-tree"], Vec::new(), left.time());
        let tree = String::from_utf8(told.ok_or(LATE)?).map_err(|error| error.to_string())?;
        inner.sort();
        inner.dedup();
        Ok((tree.trim().to_owned(), inner))
    }

    /// The modules whose files are there.
    fn modules(&self) -> Vec<PathBuf> {
        let modules = self.entries().filter(|entry| entry.mode == b"160000");
        let tops = modules.map(|entry| real(&self.shadow.top.join(entry.name)));
        tops.filter(|top| top.join(".git").exists()).collect()
    }

    /// The files that git converts, so that what its index names is not what stands on the disk.
    fn converted(&self, common: &Path, home: &Path, left: &SnapshotBudget) -> Option<Vec<&Path>> {
        let attributes = self.attributes(common);
        let settings = [common.join("config"), home.join(".gitconfig")].map(|file| text(&file));
        let ends = |text: &String| ["autocrlf", "eol"].iter().any(|word| text.contains(word));
        if attributes.is_none() && !settings.iter().any(ends) {
            return Some(Vec::new());
        }
        let may_keep_size = attributes.unwrap_or_default();
        let files = || {
            self.entries()
                .filter(|entry| entry.mode.starts_with(b"100"))
        };
        let digests = files().flat_map(|entry| [entry.digest, &b"\n"[..]].concat());
        let words = ["cat-file", "--batch-check=%(objectsize)"];
        let sizes = self.shadow.ask(&words, digests.collect(), left.time())?;
        let sizes = String::from_utf8(sizes).ok()?;
        let is_other = |(entry, size): &(IndexEntry<'_>, &str)| {
            let size: Option<u64> = size.parse().ok();
            let meta = self.shadow.top.join(entry.name).symlink_metadata();
            meta.is_ok_and(|meta| {
                let is_same = size == Some(meta.len()) && meta.len() >= may_keep_size;
                meta.is_file() && !is_same
            })
        };
        let others = files().zip(sizes.lines()).filter(is_other);
        Some(others.map(|(entry, _)| entry.name).collect())
    }

    /// Below which size a file may be as long as what git keeps in its place, if there are attributes by which it converts files.
    fn attributes(&self, common: &Path) -> Option<u64> {
        let is_it =
            |entry: &IndexEntry<'_>| entry.name.file_name() == Some(OsStr::new(".gitattributes"));
        let named: Vec<PathBuf> = (self.entries().filter(is_it))
            .map(|entry| self.shadow.top.join(entry.name))
            .collect();
        let own = common.join("info/attributes");
        if named.is_empty() && !own.exists() {
            return None;
        }
        let files = named.into_iter().chain([own]);
        let texts: Vec<String> = files.map(|file| text(&file)).collect();
        let says = |word: &str| texts.iter().any(|text| text.contains(word));
        let filters = texts.iter().flat_map(|text| text.split_whitespace());
        let mut filters = filters.filter_map(|word| word.strip_prefix("filter="));
        if says("ident") || says("encoding") || filters.any(|name| name != "lfs") {
            Some(u64::MAX)
        } else {
            Some(LONGEST_POINTER)
        }
    }
}

fn text(file: &Path) -> String {
    let bytes = read_up_to(file, 64 << 10).unwrap_or_default();
    String::from_utf8_lossy(&bytes).to_ascii_lowercase()
}

fn listed<'n>(names: impl Iterator<Item = &'n Path>) -> Vec<u8> {
    let mut input = Vec::new();
    for name in names {
        input.extend_from_slice(name.as_os_str().as_bytes());
        input.push(0);
    }
    input
}
