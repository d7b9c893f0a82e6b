//! The way back: what differs from a snapshot, and exactly that is restored.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::copies::{CopiedPath, below, join, link, put};
use super::repository::{Repository, names};
use super::shadow::ShadowRepository;
use super::{SnapshotRequest, SnapshotScope, Snapshots, StoredSnapshot};
use crate::files::links::plain;
use crate::files::{FileError, TEMPORARY};

/// How long git may take for one step: a person waits.
const PATIENCE: Duration = Duration::from_mins(5);
/// The longest difference in text, in bytes.
const LONGEST: usize = 1 << 20;

/// What became of one file since a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotChange {
    /// It was made.
    Made,
    /// It is gone.
    Gone,
    /// It is another.
    Changed,
}

impl SnapshotChange {
    /// Says in a word what an undo does to the file.
    ///
    /// ```
    /// use anyhook_engine::undo::SnapshotChange;
    /// assert_eq!(SnapshotChange::Gone.word(), "bring");
    /// ```
    pub const fn word(self) -> &'static str {
        match self {
            Self::Made => "remove",
            Self::Gone => "bring",
            Self::Changed => "change",
        }
    }
}

/// One file that differs.
///
/// ```
/// use anyhook_engine::undo::{SnapshotChange, DifferingFile};
/// let gone = DifferingFile { path: "/p/a".into(), change: SnapshotChange::Gone };
/// assert_eq!(serde_json::to_string(&gone)?, r#"{"path":"/p/a","change":"gone"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingFile {
    /// Where it stands, or stood.
    #[serde(serialize_with = "super::path::serialize")]
    pub path: PathBuf,
    /// What became of it.
    pub change: SnapshotChange,
}

impl DifferingFile {
    fn new(path: PathBuf, change: SnapshotChange) -> Self {
        Self { path, change }
    }
}

/// What differs now from a snapshot.
///
/// ```
/// use anyhook_engine::undo::{SnapshotChange, SnapshotDiff, DifferingFile};
/// let mut difference = SnapshotDiff::default();
/// assert!(difference.is_none());
/// difference.files.push(DifferingFile { path: "/p/a".into(), change: SnapshotChange::Gone });
/// assert!(!difference.is_none());
/// ```
#[derive(Debug, Clone, Default, Serialize)]
pub struct SnapshotDiff {
    /// The files, and what became of each.
    pub files: Vec<DifferingFile>,
    /// The files of repositories' own folders: branches, stashes, the index.
    pub state: Vec<DifferingFile>,
    /// What would change in the files of repositories, as a patch from now to then.
    pub patch: String,
}

impl SnapshotDiff {
    /// Lists all that differs: files, then what stands in repositories' own folders.
    pub fn all(&self) -> impl Iterator<Item = &DifferingFile> {
        self.files.iter().chain(&self.state)
    }

    /// Tells whether everything is as it was.
    pub fn is_none(&self) -> bool {
        self.files.is_empty() && self.state.is_empty()
    }
}

/// What was restored.
#[derive(Debug, Clone, Serialize)]
pub struct RestoreOutcome {
    /// The snapshot of what was there before, by which this is undone.
    pub before: String,
    /// What was restored.
    pub difference: SnapshotDiff,
    /// What could not be restored, and why.
    pub failed: Vec<String>,
}

impl Snapshots {
    /// Tells what differs now from a snapshot, below a path or everywhere.
    pub fn difference(
        &self,
        snapshot: &StoredSnapshot,
        path: Option<&Path>,
    ) -> Result<SnapshotDiff, FileError> {
        let (now, place) = self.now(snapshot)?;
        let difference = self.between(&now, &place, snapshot, path);
        let _ = fs::remove_dir_all(place);
        Ok(difference)
    }

    /// Restores what differs, after a snapshot of what is there now.
    pub fn restore(
        &self,
        snapshot: &StoredSnapshot,
        path: Option<&Path>,
        id: &str,
        at: i64,
    ) -> Result<RestoreOutcome, FileError> {
        let before = self.take(SnapshotRequest {
            id,
            at,
            action: format!("anyhook undo {}", snapshot.id),
            session: None,
            need: need_of(snapshot),
        })?;
        let now = self.place(&before);
        let difference = self.between(&before, &now, snapshot, path);
        let mut failed = before.losses.clone();
        let mut note = |what: &Path, done: io::Result<()>| {
            if let Err(error) = done {
                failed.push(format!("`{}`: {error}", what.display()));
            }
        };
        for repository in &snapshot.repositories {
            let then = self.place(snapshot).join(&repository.at);
            if path.is_none() {
                note(
                    &repository.common,
                    restore_objects(&then, &repository.common),
                );
                let state = then.join("state");
                let done = has_commits(&then, repository).and_then(|()| {
                    mirror(
                        &state,
                        &repository.common,
                        &repository.is_left(),
                        RestorePermissions::ALL,
                    )
                });
                note(&repository.common, done);
            }
            let git = repository.top.join(".git");
            if let Some(leads) = repository.leads.as_ref().filter(|_| !git.exists()) {
                let made = fs::create_dir_all(&repository.top);
                note(&git, made.and_then(|()| fs::write(&git, leads)));
            }
            let (tree, objects) = kept_in(&now, &before, repository);
            let done = files(&then, repository, tree, objects, path);
            note(&repository.top, done);
        }
        for copied in snapshot
            .copies
            .iter()
            .filter(|one| is_meant(&one.path, path))
        {
            let skip = is_repository(snapshot, &copied.path);
            let is_kept = |one: &CopiedPath| one.whole && one.path == copied.path;
            let is_there = copied.path.symlink_metadata().is_ok();
            let may = RestorePermissions {
                change: !is_there || before.copies.iter().any(is_kept),
                remove: copied.removes(),
            };
            let done = mirror(
                &self.place(snapshot).join(&copied.at),
                &copied.path,
                &skip,
                may,
            );
            note(&copied.path, done);
        }
        Ok(RestoreOutcome {
            before: before.id,
            difference,
            failed,
        })
    }

    /// Takes what is there now of all that a snapshot holds, into a folder that the caller removes.
    fn now(&self, snapshot: &StoredSnapshot) -> Result<(StoredSnapshot, PathBuf), FileError> {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        let look = LOOKS.fetch_add(1, Ordering::Relaxed);
        let id = format!("{TEMPORARY}looking-{}-{look}", std::process::id());
        let place = self.folder.join(&id);
        let wish = SnapshotRequest {
            id: &id,
            at: 0,
            action: String::new(),
            session: None,
            need: need_of(snapshot),
        };
        Ok((self.make(&place, wish)?, place))
    }

    fn between(
        &self,
        now: &StoredSnapshot,
        place: &Path,
        then: &StoredSnapshot,
        path: Option<&Path>,
    ) -> SnapshotDiff {
        let mut all = SnapshotDiff::default();
        for repository in &then.repositories {
            let kept = self.place(then).join(&repository.at);
            let (tree, objects) = kept_in(place, now, repository);
            let shadow = Repository::shadow(&kept, &repository.top, vec![objects]);
            let Some(base) = tree.or_else(|| empty(&shadow)) else {
                continue;
            };
            let told = diff(&shadow, LISTED, &base, &repository.tree).unwrap_or_default();
            let changes = changes(&told).into_iter();
            let changes =
                changes.map(|(name, change)| DifferingFile::new(repository.top.join(name), change));
            all.files
                .extend(changes.filter(|one| is_meant(&one.path, path)));
            let text = diff(&shadow, AS_PATCH, &base, &repository.tree).unwrap_or_default();
            let text = text.get(..LONGEST).unwrap_or(&text);
            all.patch.push_str(&String::from_utf8_lossy(text));
            if path.is_none() {
                let state = differing(
                    &kept.join("state"),
                    &repository.common,
                    &repository.is_left(),
                    true,
                );
                all.state.extend(state.unwrap_or_default());
            }
        }
        let copies = then.copies.iter().filter(|one| is_meant(&one.path, path));
        for copied in copies {
            let kept = self.place(then).join(&copied.at);
            let skip = is_repository(then, &copied.path);
            let differs = differing(&kept, &copied.path, &skip, copied.removes());
            let differs = differs.unwrap_or_default();
            all.files.extend(differs);
        }
        all
    }
}

/// How `git diff-tree` lists what differs, and how it shows it.
const LISTED: &[&str] = &["-z", "--name-status"];
const AS_PATCH: &[&str] = &["-p", "--no-ext-diff", "--no-textconv"];

/// Asks git what differs between two trees.
fn diff(shadow: &ShadowRepository, form: &[&str], now: &str, then: &str) -> Option<Vec<u8>> {
    let words = [&["diff-tree", "-r", "--no-renames"], form, &[now, then]].concat();
    shadow.ask(&words, Vec::new(), PATIENCE)
}

/// The tree of nothing.
fn empty(shadow: &ShadowRepository) -> Option<String> {
    let told = shadow.ask(&["mktree"], Vec::new(), PATIENCE)?;
    Some(String::from_utf8(told).ok()?.trim().to_owned())
}

/// What is to be kept before a snapshot is restored. Where a repository is none any more, its files are.
fn need_of(snapshot: &StoredSnapshot) -> SnapshotScope {
    let tops = snapshot.repositories.iter().map(|one| one.top.clone());
    let (tops, bare): (Vec<PathBuf>, Vec<PathBuf>) =
        tops.partition(|top| top.join(".git").symlink_metadata().is_ok());
    let files = snapshot.copies.iter().map(|one| one.path.clone());
    SnapshotScope::of_places(tops, files.chain(bare).collect())
}

/// Tells whether something in a copied folder is a repository, which is restored by itself.
fn is_repository<'s>(
    snapshot: &'s StoredSnapshot,
    folder: &'s Path,
) -> impl Fn(&Path) -> bool + 's {
    let is_top = |path: &Path| snapshot.repositories.iter().any(|one| one.top == path);
    move |name| is_top(&folder.join(name))
}

fn is_meant(path: &Path, only: Option<&Path>) -> bool {
    only.is_none_or(|only| path.starts_with(plain(only)))
}

/// The tree of a repository in another snapshot, and where its objects are there.
fn kept_in(
    place: &Path,
    snapshot: &StoredSnapshot,
    like: &Repository,
) -> (Option<String>, PathBuf) {
    let mut all = snapshot.repositories.iter();
    let found = all.find(|one| one.top == like.top);
    let at = found.map_or(Path::new("none"), |one| &one.at);
    let objects = place.join(at).join("repository/objects");
    (found.map(|one| one.tree.clone()), objects)
}

/// Reads an answer of git: what became of each file since then.
fn changes(told: &[u8]) -> Vec<(&Path, SnapshotChange)> {
    let mut parts = names(told);
    let mut all = Vec::new();
    while let (Some(status), Some(name)) = (parts.next(), parts.next()) {
        // From now to then: what is only there then is gone now.
        let change = match status.to_str() {
            Some("A") => SnapshotChange::Gone,
            Some("D") => SnapshotChange::Made,
            _ => SnapshotChange::Changed,
        };
        all.push((name, change));
    }
    all
}

/// Restores the files of a repository, of which the tree and the objects are now these.
fn files(
    then: &Path,
    repository: &Repository,
    now: Option<String>,
    objects: PathBuf,
    path: Option<&Path>,
) -> io::Result<()> {
    fs::create_dir_all(&repository.top)?;
    let mut shadow = Repository::shadow(then, &repository.top, vec![objects]);
    shadow.index = then.join("restoring");
    let failed = |what: &str| io::Error::other(format!("git could not {what}"));
    let ask = |words: &[&str], input| shadow.ask(words, input, PATIENCE);
    let base = now.or_else(|| empty(&shadow));
    let base = base.ok_or_else(|| failed("compare"))?;
    let told = diff(&shadow, LISTED, &base, &repository.tree).ok_or_else(|| failed("compare"))?;
    let mut wanted = Vec::new();
    for (name, change) in changes(&told) {
        let file = repository.top.join(name);
        if !is_meant(&file, path) {
            continue;
        }
        match change {
            SnapshotChange::Made => remove(&file, &repository.top)?,
            SnapshotChange::Gone | SnapshotChange::Changed => {
                wanted.extend_from_slice(name.as_os_str().as_encoded_bytes());
                wanted.push(0);
            }
        }
    }
    let _ = fs::remove_file(&shadow.index);
    ask(&["read-tree", &repository.tree], Vec::new()).ok_or_else(|| failed("read the snapshot"))?;
    ask(&["checkout-index", "-f", "-z", "--stdin"], wanted)
        .ok_or_else(|| failed("write all files"))?;
    fs::remove_file(&shadow.index)
}

/// Removes a file and the folders that are empty without it. A folder is another repository, and stays.
fn remove(file: &Path, top: &Path) -> io::Result<()> {
    match file.symlink_metadata() {
        Ok(meta) if meta.is_dir() => return Ok(()),
        Ok(_) => fs::remove_file(file)?,
        Err(_) => {}
    }
    let folders = file.ancestors().skip(1).take_while(|folder| *folder != top);
    for folder in folders {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

/// Puts back the objects that were kept and are missing.
fn restore_objects(then: &Path, common: &Path) -> io::Result<()> {
    let (kept, to) = (then.join("objects"), common.join("objects"));
    fs::create_dir_all(&to)?;
    if kept.is_dir() {
        link(&kept, &to)?;
    }
    Ok(())
}

/// Makes an error where a commit that a branch of the snapshot names is nowhere: a branch without one breaks a repository.
fn has_commits(then: &Path, repository: &Repository) -> io::Result<()> {
    let state = then.join("state");
    let is_other = |name: &Path| {
        !name.starts_with("refs") && !["HEAD", "packed-refs"].iter().any(|own| name == *own)
    };
    let mut named = String::new();
    for (name, meta) in below(&state, &is_other)? {
        if !meta.is_file() {
            continue;
        }
        let text = fs::read(join(&state, &name))?;
        for word in String::from_utf8_lossy(&text).split(|char: char| !char.is_ascii_hexdigit()) {
            if [40, 64].contains(&word.len()) {
                named.push_str(word);
                named.push('\n');
            }
        }
    }
    let objects = vec![repository.common.join("objects")];
    let shadow = Repository::shadow(then, &repository.top, objects);
    let words = ["cat-file", "--batch-check"];
    let told = shadow.ask(&words, named.into_bytes(), PATIENCE);
    let told = told.ok_or_else(|| io::Error::other("git could not look for its commits"))?;
    if told
        .split(|byte| *byte == b'\n')
        .any(|line| line.ends_with(b" missing"))
    {
        let why = "commits that its branches name are no longer there, so its branches and its index stay as they are";
        return Err(io::Error::other(why));
    }
    Ok(())
}

/// Tells which files of a copy differ from those at its place.
fn differing(
    kept: &Path,
    place: &Path,
    skip: &dyn Fn(&Path) -> bool,
    removes: bool,
) -> io::Result<Vec<DifferingFile>> {
    let mut all = Vec::new();
    for (name, meta) in below(kept, skip)? {
        let (kept, there) = (join(kept, &name), join(place, &name));
        match there.symlink_metadata() {
            Err(_) if meta.is_dir() && !name.as_os_str().is_empty() => {}
            Err(_) => all.push(DifferingFile::new(there, SnapshotChange::Gone)),
            Ok(_) if !is_same(&kept, &there)? => {
                all.push(DifferingFile::new(there, SnapshotChange::Changed));
            }
            Ok(_) => {}
        }
    }
    if removes && place.is_dir() {
        for (name, meta) in below(place, skip)? {
            if !meta.is_dir() && join(kept, &name).symlink_metadata().is_err() {
                all.push(DifferingFile::new(join(place, &name), SnapshotChange::Made));
            }
        }
    }
    Ok(all)
}

/// Tells whether two things are the same: files by their bytes and modes, links by where they lead, folders always.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (first, second) = (one.symlink_metadata()?, other.symlink_metadata()?);
    if first.file_type() != second.file_type() {
        return Ok(false);
    }
    if first.is_symlink() {
        return Ok(fs::read_link(one)? == fs::read_link(other)?);
    }
    if first.is_dir() {
        return Ok(true);
    }
    let is_like = first.len() == second.len() && first.permissions() == second.permissions();
    Ok(is_like && fs::read(one)? == fs::read(other)?)
}

/// What a restore may do to what stands there now: nothing goes that was not kept first, or that the action did not make.
#[derive(Clone, Copy)]
struct RestorePermissions {
    change: bool,
    remove: bool,
}

impl RestorePermissions {
    const ALL: Self = Self {
        change: true,
        remove: true,
    };
}

impl CopiedPath {
    /// Tells whether what is new at its place is removed: of a folder that was not copied whole, nothing is known to be new.
    fn removes(&self) -> bool {
        self.whole && self.named
    }
}

/// Makes a file or folder what it was, but for what is skipped.
fn mirror(
    kept: &Path,
    place: &Path,
    skip: &dyn Fn(&Path) -> bool,
    may: RestorePermissions,
) -> io::Result<()> {
    if let Some(folder) = place.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut stays = false;
    for (name, meta) in below(kept, skip)? {
        let (from, to) = (join(kept, &name), join(place, &name));
        let is_there = to.symlink_metadata().is_ok();
        if !(is_there && is_same(&from, &to)?) {
            if is_there && !may.change {
                stays = true;
                continue;
            }
            replace(&from, &to, &meta)?;
        }
        if meta.is_dir() {
            fs::set_permissions(&to, meta.permissions())?;
        }
    }
    if stays {
        let why = "what changed in it stays, because not all of it could be kept first";
        return Err(io::Error::other(why));
    }
    let new = if may.remove {
        below(place, skip)?
    } else {
        Vec::new()
    };
    for (name, meta) in new.into_iter().rev() {
        let path = join(place, &name);
        if join(kept, &name).symlink_metadata().is_ok() {
            continue;
        }
        if meta.is_dir() {
            // A folder with something in it that is skipped stays.
            let _ = fs::remove_dir(path);
        } else {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Puts one thing in the place of another: a reader sees the old one or the new one.
fn replace(from: &Path, to: &Path, meta: &fs::Metadata) -> io::Result<()> {
    match to.symlink_metadata() {
        Ok(old) if old.is_dir() && !meta.is_dir() => fs::remove_dir_all(to)?,
        Ok(old) if !old.is_dir() && meta.is_dir() => fs::remove_file(to)?,
        Ok(_) | Err(_) => {}
    }
    if meta.is_dir() {
        put(from, to, meta)?;
        return Ok(());
    }
    let name = to
        .file_name()
        .unwrap_or(OsStr::new("file"))
        .to_string_lossy();
    let new = to.with_file_name(format!("{TEMPORARY}{}", name.len()));
    let _ = fs::remove_file(&new);
    put(from, &new, meta)?;
    fs::rename(new, to)
}
