//! Snapshots of what an action may destroy, and the way back.
//!
//! A snapshot stands in a folder of ours, which only this user may enter. Of each repository it holds the tree of all files
//! that git does not ignore, as objects beside the repository's own, and a copy of what else stands in the repository's
//! folder: index, branches, stashes, settings. Files that git ignores and files outside are copied where the call names them.
//! Nothing is written below the repository, and git is asked through a repository of ours that only borrows the objects: so
//! no setting, filter or hook of the user's repository has a say.
//!
//! What is not kept: empty folders, owners, times, and modes of files in a repository other than whether they may be run.

mod copies;
mod need;
mod path;
mod repository;
mod restore;
mod shadow;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::config::UndoSettings;
use crate::files::{self, Durability, FileError, TEMPORARY};
use crate::world::World;
use copies::CopiedPath;
pub(crate) use need::{SnapshotScope, need};
use repository::Repository;
pub(crate) use repository::{folders_of, top_of};
pub use restore::{DifferingFile, RestoreOutcome, SnapshotChange, SnapshotDiff};

/// The file that says what a snapshot holds.
const FILE: &str = "snapshot.json";
const LONGEST: u64 = 16 << 20;
/// The most repositories of one snapshot: those in a repository count.
const MOST_REPOSITORIES: usize = 32;

/// The snapshots of a person.
#[derive(Debug, Clone)]
pub struct Snapshots {
    folder: PathBuf,
    home: PathBuf,
    bounds: UndoSettings,
}

/// One snapshot.
///
/// ```
/// use anyhook_engine::undo::StoredSnapshot;
/// let text = r#"{"id": "a1", "at": 7, "action": "Bash rm -rf src"}"#;
/// let stored: StoredSnapshot = serde_json::from_str(text)?;
/// assert_eq!((stored.id.as_str(), stored.losses.len()), ("a1", 0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredSnapshot {
    /// Its name.
    pub id: String,
    /// When it was taken.
    pub at: i64,
    /// The action that followed, in words.
    pub action: String,
    /// The session in which it was taken.
    #[serde(default)]
    pub session: Option<String>,
    /// What is not in it although it was to be.
    #[serde(default)]
    pub losses: Vec<String>,
    /// How many bytes it takes.
    #[serde(default)]
    pub bytes: u64,
    /// How long it took.
    #[serde(default)]
    pub milliseconds: u64,
    #[serde(default)]
    repositories: Vec<Repository>,
    #[serde(default)]
    copies: Vec<CopiedPath>,
}

/// What a snapshot is taken for.
#[derive(Debug)]
pub(crate) struct SnapshotRequest<'w> {
    pub(crate) id: &'w str,
    pub(crate) at: i64,
    pub(crate) action: String,
    pub(crate) session: Option<String>,
    pub(crate) need: SnapshotScope,
}

/// How much of its bounds a snapshot has left.
#[derive(Debug)]
struct SnapshotBudget {
    end: Instant,
    bytes: u64,
    losses: BTreeSet<String>,
}

impl SnapshotBudget {
    fn time(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Takes room for so many bytes, and tells whether it was there and time is left.
    fn take(&mut self, bytes: u64) -> bool {
        let rest = self
            .bytes
            .checked_sub(bytes)
            .filter(|_| !self.time().is_zero());
        self.bytes = rest.unwrap_or(self.bytes);
        rest.is_some()
    }

    fn lose(&mut self, what: impl Into<String>) {
        self.losses.insert(what.into());
    }
}

impl Snapshots {
    /// Finds those of the person of this world; nothing where there is no home.
    pub fn of(world: &World) -> Option<Self> {
        let places = world.places.as_ref()?;
        Some(Self {
            folder: places.undo(),
            home: places.home.clone(),
            bounds: world.config().undo.clone().unwrap_or_default(),
        })
    }

    /// Lists them, the newest first.
    pub fn list(&self) -> Vec<StoredSnapshot> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let read = |folder: &Path| {
            let bytes = files::read(&folder.join(FILE), LONGEST).ok()??;
            serde_json::from_slice(&bytes).ok()
        };
        let is_whole =
            |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        let entries = entries.filter(is_whole);
        let mut all: Vec<StoredSnapshot> =
            entries.filter_map(|entry| read(&entry.path())).collect();
        all.sort_by(|one, other| (other.at, &other.id).cmp(&(one.at, &one.id)));
        all
    }

    fn place(&self, snapshot: &StoredSnapshot) -> PathBuf {
        self.folder.join(&snapshot.id)
    }

    /// Takes one. It is there as a whole when this returns, or not at all.
    pub(crate) fn take(&self, wish: SnapshotRequest<'_>) -> Result<StoredSnapshot, FileError> {
        files::private_dir(&self.folder)?;
        let making = self.folder.join(format!("{}{}", TEMPORARY, wish.id));
        let taken = self.make(&making, wish);
        let io = FileError::io("make", &self.folder);
        match taken {
            Ok(snapshot) => {
                fs::rename(&making, self.place(&snapshot)).map_err(io)?;
                self.sweep(&snapshot);
                Ok(snapshot)
            }
            Err(error) => {
                let _ = fs::remove_dir_all(&making);
                Err(error)
            }
        }
    }

    fn make(&self, folder: &Path, wish: SnapshotRequest<'_>) -> Result<StoredSnapshot, FileError> {
        let began = Instant::now();
        files::private_dir(folder)?;
        let mut left = SnapshotBudget {
            end: began + self.bounds.time,
            bytes: self.bounds.size,
            losses: BTreeSet::new(),
        };
        let repositories = self.repositories(folder, &wish.need, &mut left);
        let copies = copies::take(folder, &wish.need, &repositories, &mut left);
        let snapshot = StoredSnapshot {
            id: wish.id.to_owned(),
            at: wish.at,
            action: wish.action,
            session: wish.session,
            bytes: self.bounds.size - left.bytes,
            losses: left.losses.into_iter().collect(),
            milliseconds: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            repositories,
            copies,
        };
        let text = serde_json::to_vec(&snapshot).unwrap_or_default();
        files::replace(&folder.join(FILE), &text, Durability::No)?;
        Ok(snapshot)
    }

    /// Takes each repository, and those in it.
    fn repositories(
        &self,
        folder: &Path,
        need: &SnapshotScope,
        left: &mut SnapshotBudget,
    ) -> Vec<Repository> {
        let mut tops: Vec<PathBuf> = Vec::new();
        for place in &need.places {
            let top = repository::top_of(place);
            tops.extend(top.filter(|top| !tops.contains(top)));
        }
        let mut taken = Vec::new();
        let mut at = 0;
        while let Some(top) = tops.get(at).cloned() {
            at += 1;
            if at > MOST_REPOSITORIES {
                left.lose(format!("more than {MOST_REPOSITORIES} repositories"));
                break;
            }
            let place = folder.join(taken.len().to_string());
            match Repository::take(&place, &top, need, &self.home, left) {
                Ok((repository, inner)) => {
                    taken.push(repository);
                    let new = inner.into_iter().filter(|inner| !tops.contains(inner));
                    let new: Vec<PathBuf> = new.collect();
                    tops.extend(new);
                }
                Err(why) => {
                    let _ = fs::remove_dir_all(&place);
                    left.lose(format!("the repository `{}`: {why}", top.display()));
                }
            }
        }
        taken
    }

    /// Removes those that are too old, and the oldest of more than fit. The one that was just taken stays.
    fn sweep(&self, newest: &StoredSnapshot) {
        const DAY: i64 = 24 * 60 * 60 * 1000;
        let oldest =
            i64::try_from(self.bounds.days).map_or(i64::MIN, |days| newest.at - days * DAY);
        let mut total = 0_u64;
        for snapshot in self.list() {
            total = total.saturating_add(snapshot.bytes);
            let is_over = snapshot.at < oldest || total > self.bounds.total;
            if is_over && snapshot.id != newest.id {
                let _ = fs::remove_dir_all(self.place(&snapshot));
            }
        }
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let is_left = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
            let age = entry.metadata().and_then(|meta| meta.modified()).ok();
            let age = age.and_then(|at| at.elapsed().ok()).unwrap_or_default();
            if is_left && age > Duration::from_hours(1) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests;
