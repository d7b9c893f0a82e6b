//! The file of the book: read as a whole, changed under a lock, replaced at once.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::closed::ClosedQuestion;
use super::{
    Approval, ApprovalBook, ApprovalUse, BookError, ONCE, OPEN, OpenQuestion, SAME, VERSION, within,
};
use crate::files::{self, Durability};

/// How long a change waits for another process; one takes a few milliseconds. A process that holds the lock for longer means harm,
/// and an answer that comes too late lets the action through.
const PATIENCE: Duration = Duration::from_millis(250);
/// The longest file that is read back.
const LIMIT: u64 = 16 * 1024 * 1024;

/// What the file holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BookContents {
    version: u32,
    pub(super) open: Vec<OpenQuestion>,
    pub(super) closed: Vec<ClosedQuestion>,
    pub(super) once: Vec<Approval>,
    pub(super) always: Vec<Approval>,
}

impl BookContents {
    /// Takes out what is over.
    fn tidy(&mut self, now: i64) {
        self.open.retain(|open| within(open.at, OPEN, now));
        self.closed.retain(|closed| within(closed.at, ONCE, now));
        self.once.retain(|approval| {
            let shared = |used: &ApprovalUse| within(used.at, SAME, now);
            within(approval.at, ONCE, now) && approval.used.as_ref().is_none_or(shared)
        });
    }
}

impl ApprovalBook {
    /// Reads the book, without what is over.
    pub(super) fn look(&self, now: i64) -> Result<BookContents, BookError> {
        let mut pages = load(&self.file("json"))?;
        pages.tidy(now);
        Ok(pages)
    }

    /// Changes the book: one step, which no other process sees half done. A file that cannot be understood is put aside: what was
    /// approved in it is asked again.
    pub(super) fn change<R>(
        &self,
        now: i64,
        change: impl FnOnce(&mut BookContents) -> Result<R, BookError>,
    ) -> Result<R, BookError> {
        files::private_dir(&self.folder)?;
        let _lock = files::lock(&self.file("lock"), PATIENCE)?;
        let path = self.file("json");
        let before = match load(&path) {
            Err(BookError::Unreadable { .. }) => {
                // Where even this fails, so does the writing below.
                let _ = std::fs::rename(&path, path.with_extension("json.bad"));
                BookContents::default()
            }
            loaded => loaded?,
        };
        let mut after = before.clone();
        after.tidy(now);
        let done = change(&mut after)?;
        if after != before {
            after.version = VERSION;
            files::replace(&path, &serde_json::to_vec(&after)?, Durability::Yes)?;
        }
        Ok(done)
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("book.{ending}"))
    }
}

fn load(path: &Path) -> Result<BookContents, BookError> {
    let unreadable = |why: String| BookError::Unreadable {
        path: path.into(),
        why,
    };
    let Some(bytes) = files::read(path, LIMIT)? else {
        return Ok(BookContents::default());
    };
    // Serde would also take an array for a struct; we never write one.
    if bytes.first() != Some(&b'{') {
        return Err(unreadable("it is no JSON object".to_owned()));
    }
    let read = serde_json::from_slice::<BookContents>(&bytes);
    let pages = read.map_err(|error| unreadable(error.to_string()))?;
    if pages.version > VERSION {
        let version = pages.version;
        return Err(unreadable(format!("it is of the later version {version}")));
    }
    Ok(pages)
}
