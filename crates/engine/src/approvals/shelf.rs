//! The two files of the book: read as a whole, changed under a lock, replaced at once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::closed::Closed;
use super::{Approval, BookError, ONCE, OPEN, Open, SAME, VERSION, within};
use crate::files::{self, Durable};

/// How long a change waits for another process; one takes a few milliseconds. A process that holds the lock for longer means harm,
/// and an answer that comes too late lets the action through.
const PATIENCE: Duration = Duration::from_millis(250);
/// The longest file that is read back.
const LIMIT: u64 = 16 * 1024 * 1024;

/// What one file holds.
pub(super) trait Shelf: Default + Clone + PartialEq + Serialize + DeserializeOwned {
    /// The file's name, without its ending.
    const NAME: &'static str;
    /// What becomes of a file that cannot be understood, when it is to be changed.
    const GARBAGE: Garbage;

    /// Takes out what is over.
    fn tidy(&mut self, now: i64);
}

/// A file, as it is written.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    #[serde(default)]
    version: u32,
    #[serde(flatten)]
    shelf: T,
}

/// What becomes of a file that cannot be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Garbage {
    /// It is put aside: what was in it would be over within the hour.
    PutAside,
    /// It stays, and nothing is changed: a person has to look.
    Stays,
}

/// What is over soon: open questions, and approvals for once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Desk {
    pub(super) open: Vec<Open>,
    pub(super) once: Vec<Approval>,
    pub(super) closed: Vec<Closed>,
}

impl Shelf for Desk {
    const NAME: &'static str = "open";
    const GARBAGE: Garbage = Garbage::PutAside;

    fn tidy(&mut self, now: i64) {
        self.open.retain(|open| within(open.at, OPEN, now));
        self.closed.retain(|closed| within(closed.at, ONCE, now));
        self.once.retain(|approval| {
            let shared = |used: &super::Used| within(used.at, SAME, now);
            within(approval.at, ONCE, now) && approval.used.as_ref().is_none_or(shared)
        });
    }
}

/// What holds until it is taken back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Always {
    pub(super) approvals: Vec<Approval>,
}

impl Shelf for Always {
    const NAME: &'static str = "always";
    const GARBAGE: Garbage = Garbage::Stays;

    fn tidy(&mut self, _: i64) {}
}

/// Reads a file, without what is over.
pub(super) fn look<T: Shelf>(folder: &Path, now: i64) -> Result<T, BookError> {
    let mut shelf: T = load(&path::<T>(folder, "json"))?;
    shelf.tidy(now);
    Ok(shelf)
}

/// Changes a file: one step, which no other process sees half done.
pub(super) fn change<T: Shelf, R>(
    folder: &Path,
    now: i64,
    change: impl FnOnce(&mut T) -> Result<R, BookError>,
) -> Result<R, BookError> {
    files::private_dir(folder)?;
    let _lock = files::lock(&path::<T>(folder, "lock"), PATIENCE)?;
    let path = path::<T>(folder, "json");
    let before = match load::<T>(&path) {
        Err(BookError::Unreadable { .. }) if T::GARBAGE == Garbage::PutAside => {
            let aside = path.with_extension("json.bad");
            // Where even this fails, so does the writing below.
            let _ = std::fs::rename(&path, aside);
            T::default()
        }
        loaded => loaded?,
    };
    let mut after = before.clone();
    after.tidy(now);
    let done = change(&mut after)?;
    if after != before {
        let written = Versioned {
            version: VERSION,
            shelf: after,
        };
        files::replace(&path, &serde_json::to_vec(&written)?, Durable::Yes)?;
    }
    Ok(done)
}

fn path<T: Shelf>(folder: &Path, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", T::NAME))
}

fn load<T: Shelf>(path: &Path) -> Result<T, BookError> {
    let unreadable = |why: String| BookError::Unreadable {
        path: path.into(),
        why,
    };
    let Some(bytes) = files::read(path, LIMIT)? else {
        return Ok(T::default());
    };
    // Serde would also take an array for a struct; we never write one.
    if bytes.first() != Some(&b'{') {
        return Err(unreadable("it is no JSON object".to_owned()));
    }
    let read = serde_json::from_slice::<Versioned<T>>(&bytes);
    let Versioned { version, shelf } = read.map_err(|error| unreadable(error.to_string()))?;
    if version > VERSION {
        return Err(unreadable(format!("it is of the later version {version}")));
    }
    Ok(shelf)
}
