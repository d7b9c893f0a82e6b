//! The store of a fleet: the stream, as lines of JSON by day, each record once.
//!
//! ```text
//!  2026-11-01/000000000001.jsonl   closed: `state.json` says up to which message of the stream
//!  2026-11-01/000000016200.jsonl   open: written again as a whole until it is long enough
//! ```
//!
//! What is behind the closed files is read from the stream again after a crash, and their files are written again. So no message is
//! written twice, whenever the process was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhook::files::{self, Durability, FileLock};
use anyhook::text::plain;
use serde::{Deserialize, Serialize};

use crate::batch::{Batch, BatchHeader};
use crate::control::Fleet;
use crate::error::PolicyError;
use crate::keys::NamedKey;
use crate::row::row;
use crate::server::{ServerConnection, StreamMessage};

/// So many records are a closed file.
const CLOSED: usize = 16_384;
/// What came is written at least this often.
const ROUND: Duration = Duration::from_secs(1);
/// So many reasons are told apart.
const REASONS: usize = 256;
/// How a file is called until it is whole.
const NEW: &str = ".new-";
/// A record may be this much older than its arrival, or newer: other clocks are wrong, and no member makes a folder of each year.
const OLDEST: i64 = 400 * 24 * 60 * 60 * 1000;
const NEWEST: i64 = 24 * 60 * 60 * 1000;
/// So much is known of all machines at most.
const LONGEST: u64 = 256 << 20;

/// What is known of the machine of a member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MachineState {
    /// The last batch.
    pub(crate) head: BatchHeader,
    /// How many batches never came.
    pub(crate) missing: u64,
    /// How often its record had lost its oldest part before it was sent.
    pub(crate) lost: u64,
}

/// What was taken and refused, up to a message of the stream.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ArchiveState {
    sequence: u64,
    pub(crate) machines: BTreeMap<String, MachineState>,
    /// How many messages were refused, by their subject and why.
    pub(crate) refused: BTreeMap<String, u64>,
}

/// The folder of a store, held by one process.
pub(crate) struct Archive {
    folder: PathBuf,
    people: BTreeMap<String, NamedKey>,
    /// What the closed files hold, and what they and the open ones hold.
    closed: ArchiveState,
    taken: ArchiveState,
    /// The rows that wait for their files to be closed, by their days.
    open: BTreeMap<String, Vec<u8>>,
    rows: usize,
    /// The last message of the stream that is in a file.
    written: u64,
    _lock: FileLock,
}

/// What a store did with what came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ArchiveSummary {
    /// How many records were written.
    pub(crate) records: u64,
    /// How many messages were refused.
    pub(crate) refused: u64,
    /// How many batches came again.
    pub(crate) again: u64,
}

impl ArchiveState {
    /// Counts a refusal. Its words are those of a stranger, so there are no more of them than a page has room for.
    fn refuse(&mut self, why: String) {
        let has_room = self.refused.len() < REASONS || self.refused.contains_key(&why);
        let why = if has_room { why } else { "others".into() };
        *self.refused.entry(why).or_default() += 1;
    }
}

impl Archive {
    /// Opens a store, and removes the files that were not closed; nothing where another process has it.
    pub(crate) fn open(folder: &Path, fleet: &Fleet) -> Result<Option<Self>, PolicyError> {
        files::private_dir(folder)?;
        let Some(lock) = files::lock_if_free(&folder.join("lock"))? else {
            return Ok(None);
        };
        let state = folder.join("state.json");
        let closed = match files::read(&state, LONGEST)? {
            None => ArchiveState::default(),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                let what = format!("`{}` cannot be understood: {error}", state.display());
                let help =
                    "move the folder of the store away: everything is read from the stream again";
                PolicyError::unfit(what, help)
            })?,
        };
        let archive = Self {
            folder: folder.to_owned(),
            people: fleet.members()?,
            taken: closed.clone(),
            written: closed.sequence,
            closed,
            open: BTreeMap::new(),
            rows: 0,
            _lock: lock,
        };
        archive.sweep()?;
        Ok(Some(archive))
    }

    /// Takes what is new in the stream and writes it, until there is no more or a round is over, and tells whether there was no
    /// more. Of a busy fleet, or over a slow line, something more has always come.
    pub(crate) async fn take(
        &mut self,
        server: &ServerConnection,
        done: &mut ArchiveSummary,
    ) -> Result<bool, PolicyError> {
        let begun = Instant::now();
        loop {
            let came = server.behind(self.taken.sequence).await?;
            let is_all = came.is_empty();
            for kept in came {
                self.judge(&kept, done);
            }
            // The open files are written as a whole, so not for each answer of many.
            let is_over = is_all || begun.elapsed() >= ROUND;
            if self.rows >= CLOSED || is_over && self.written < self.taken.sequence {
                self.write()?;
            }
            if is_over {
                return Ok(is_all);
            }
        }
    }

    /// Takes a message, leaves it out because it came before, or refuses it.
    fn judge(&mut self, kept: &StreamMessage, done: &mut ArchiveSummary) {
        self.taken.sequence = kept.sequence;
        let batch = match Batch::open(&kept.subject, &kept.message, &self.people) {
            Ok(batch) => batch,
            Err(why) => {
                done.refused += 1;
                self.taken
                    .refuse(format!("{}: {}", kept.subject, plain(&why)));
                return;
            }
        };
        let known = self.taken.machines.entry(kept.subject.clone()).or_default();
        let last = &known.head;
        if last.chain == batch.head.chain {
            if batch.head.number <= last.number {
                done.again += 1;
                return;
            }
            let next = last.number.saturating_add(1);
            known.missing = known.missing.saturating_add(batch.head.number - next);
        } else {
            let before = batch.head.number.saturating_sub(1);
            known.missing = known.missing.saturating_add(before);
        }
        known.lost += u64::from(batch.head.lost);
        known.head = batch.head;
        done.records += batch.reports.len() as u64;
        for report in &batch.reports {
            let day = day(report.at.unwrap_or_default(), kept.at);
            let rows = self.open.entry(day).or_default();
            rows.extend(format!("{}\n", row(report, &kept.subject)).bytes());
        }
        self.rows += batch.reports.len();
    }

    /// Writes the open files as a whole, and closes them where they are long enough.
    fn write(&mut self) -> Result<(), PolicyError> {
        let name = format!("{:012}.jsonl", self.closed.sequence + 1);
        for (day, rows) in &self.open {
            let folder = self.folder.join(day);
            files::private_dir(&folder)?;
            files::replace(&folder.join(&name), rows, Durability::Yes)?;
        }
        let bytes = serde_json::to_vec(&self.taken).unwrap_or_default();
        files::replace(&self.folder.join("taken.json"), &bytes, Durability::No)?;
        self.written = self.taken.sequence;
        if self.rows >= CLOSED {
            files::replace(&self.folder.join("state.json"), &bytes, Durability::Yes)?;
            self.closed = self.taken.clone();
            self.open.clear();
            self.rows = 0;
        }
        Ok(())
    }

    /// Removes the files that hold what is behind the closed ones.
    fn sweep(&self) -> Result<(), PolicyError> {
        for day in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            for entry in fs::read_dir(day.path()).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let first = name
                    .strip_suffix(".jsonl")
                    .and_then(|name| name.parse::<u64>().ok());
                let is_open = first.is_some_and(|first| first > self.closed.sequence);
                if is_open || name.starts_with(NEW) {
                    let path = entry.path();
                    fs::remove_file(&path).map_err(PolicyError::io("remove", &path))?;
                }
            }
        }
        Ok(())
    }
}

/// What a store knows of each machine, and what it refused.
pub(crate) fn known(folder: &Path) -> Result<ArchiveState, PolicyError> {
    fs::read_dir(folder).map_err(PolicyError::no_store(folder))?;
    let bytes = files::read(&folder.join("taken.json"), LONGEST)?.unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

/// The day of a record by its own clock, or that of its arrival where that clock cannot be right.
pub(crate) fn day(millis: i64, arrived: i64) -> String {
    let is_right = (arrived - OLDEST..arrived + NEWEST).contains(&millis);
    let at = jiff::Timestamp::from_millisecond(if is_right { millis } else { arrived });
    at.unwrap_or_default().strftime("%Y-%m-%d").to_string()
}
