//! The batch that waits to be sent, and how far the record was sealed.
//!
//! A batch is sealed into a file before it is sent, so that a process that was killed sends the same bytes again. That file tells
//! how far the record was sealed; where none waits, `place.json` does, which is written before the file goes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::files::{self, Durability, FileError, FileLock};
use anyhook::stores::RecordCursor;
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;
use crate::keys::random;

const WAITING: &str = "waiting.batch";
/// A batch holds 16 MiB unpacked at most.
const LONGEST: u64 = 32 << 20;

/// The end of what was sealed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpoolEnd {
    /// The name of the chain.
    pub(crate) chain: String,
    /// The number of the last batch.
    pub(crate) number: u64,
    /// Its link.
    pub(crate) link: String,
    /// The place in the record behind its last one.
    pub(crate) place: RecordCursor,
}

/// The folder of the batch that waits, held by one process.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    pub(crate) end: SpoolEnd,
    _lock: FileLock,
}

impl Spool {
    /// Opens the folder; nothing where another process has it.
    pub(crate) fn open(folder: &Path) -> Result<Option<Self>, FileError> {
        files::private_dir(folder)?;
        let Some(lock) = files::lock_if_free(&folder.join("lock"))? else {
            return Ok(None);
        };
        let mut spool = Self {
            folder: folder.to_owned(),
            end: SpoolEnd::default(),
            _lock: lock,
        };
        let end = match spool.waiting()? {
            Some((end, _)) => Some(end),
            None => files::read(&spool.place(), 1 << 16)?
                .and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        };
        spool.end = end.unwrap_or_default();
        if spool.end.chain.is_empty() {
            // Without random numbers the name is all zeros: the chain goes on under it.
            spool.end.chain = files::hex(&random::<8>().unwrap_or_default());
            // On the disk before the first batch has its name.
            spool.keep(&spool.end)?;
        }
        Ok(Some(spool))
    }

    /// Keeps a batch until it is sent.
    pub(crate) fn push(&mut self, end: SpoolEnd, message: &[u8]) -> Result<(), FileError> {
        let mut bytes = serde_json::to_vec(&end).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(message);
        files::replace(&self.folder.join(WAITING), &bytes, Durability::Yes)?;
        self.end = end;
        Ok(())
    }

    /// Returns the batch that waits, and the end of what was sealed with it.
    pub(crate) fn waiting(&self) -> Result<Option<(SpoolEnd, Vec<u8>)>, FileError> {
        let file = self.folder.join(WAITING);
        let Some(bytes) = files::read(&file, LONGEST)? else {
            return Ok(None);
        };
        let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
        let end = parts
            .next()
            .and_then(|end| serde_json::from_slice(end).ok());
        let both = end.zip(parts.next().map(<[u8]>::to_vec));
        both.map(Some).ok_or_else(|| FileError::Io {
            doing: "understand what waits in",
            path: file,
            source: std::io::ErrorKind::InvalidData.into(),
        })
    }

    /// Removes the batch that was sent.
    pub(crate) fn sent(&self) -> Result<(), PolicyError> {
        self.keep(&self.end)?;
        let file = self.folder.join(WAITING);
        fs::remove_file(&file).map_err(PolicyError::io("remove", &file))
    }

    fn keep(&self, end: &SpoolEnd) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(end).unwrap_or_default();
        files::replace(&self.place(), &bytes, Durability::Yes)
    }

    fn place(&self) -> PathBuf {
        self.folder.join("place.json")
    }
}
