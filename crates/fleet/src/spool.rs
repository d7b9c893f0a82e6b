//! The spool of batches that wait to be sent, each in a file, and how far the record was sealed.
//!
//! A batch is sealed before it is sent, so that a process that was killed sends the same bytes again. The newest file tells how
//! far the record was sealed; where none waits, `place.json` does, which is written before the last file goes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::files::{self, Durable, FileError, Lock};
use anyhook::stores::Place;
use serde::{Deserialize, Serialize};

const ENDING: &str = ".batch";
/// A batch holds 16 MiB unpacked at most.
const LONGEST: u64 = 32 << 20;

/// The end of what was sealed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sealed {
    /// The name of the chain.
    pub(crate) chain: String,
    /// The number of the last batch.
    pub(crate) number: u64,
    /// Its link.
    pub(crate) link: String,
    /// The place in the record behind its last one.
    pub(crate) place: Place,
}

/// The folder of what waits, held by one process.
pub(crate) struct Spool {
    folder: PathBuf,
    pub(crate) end: Sealed,
    _lock: Lock,
}

impl Spool {
    /// Opens the folder; nothing where another process has it.
    pub(crate) fn open(folder: &Path) -> Result<Option<Self>, FileError> {
        files::private_dir(folder)?;
        let lock = match files::lock(&folder.join("lock"), Duration::ZERO) {
            Err(FileError::Busy { .. }) => return Ok(None),
            lock => lock?,
        };
        let mut spool = Self {
            folder: folder.to_owned(),
            end: Sealed::default(),
            _lock: lock,
        };
        spool.end = match spool.numbers().last() {
            Some(newest) => Some(spool.read(*newest)?.0),
            None => files::read(&spool.place(), 1 << 16)?
                .and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        }
        .unwrap_or_default();
        if spool.end.chain.is_empty() {
            let mut name = [0; 8];
            // Without random numbers the name is all zeros, as before: the chain goes on under it.
            let _ = getrandom::fill(&mut name);
            spool.end.chain = files::hex(&name);
            // On the disk before the first batch has its name.
            spool.keep(&spool.end)?;
        }
        Ok(Some(spool))
    }

    /// Keeps a batch, and with it how far the record was sealed.
    pub(crate) fn push(&mut self, end: Sealed, message: &[u8]) -> Result<(), FileError> {
        let mut bytes = serde_json::to_vec(&end).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(message);
        files::replace(&self.file(end.number), &bytes, Durable::Yes)?;
        self.end = end;
        Ok(())
    }

    /// Returns the oldest batch that waits.
    pub(crate) fn oldest(&self) -> Result<Option<(u64, Vec<u8>)>, FileError> {
        let Some(number) = self.numbers().first().copied() else {
            return Ok(None);
        };
        Ok(Some((number, self.read(number)?.1)))
    }

    /// Forgets a batch that the server has.
    pub(crate) fn sent(&self, number: u64) -> Result<(), FileError> {
        if number == self.end.number {
            self.keep(&self.end)?;
        }
        let file = self.file(number);
        fs::remove_file(&file).map_err(|source| FileError::Io {
            doing: "remove",
            path: file,
            source,
        })
    }

    /// Returns how many bytes wait.
    pub(crate) fn size(&self) -> u64 {
        let numbers = self.numbers().into_iter();
        numbers
            .filter_map(|number| fs::metadata(self.file(number)).ok())
            .map(|meta| meta.len())
            .sum()
    }

    fn keep(&self, end: &Sealed) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(end).unwrap_or_default();
        files::replace(&self.place(), &bytes, Durable::Yes)
    }

    /// Files are replaced as a whole, so one that is spoiled was changed by another program or a disk: it is never passed over.
    fn read(&self, number: u64) -> Result<(Sealed, Vec<u8>), FileError> {
        let file = self.file(number);
        let bytes = files::read(&file, LONGEST)?.unwrap_or_default();
        let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
        let end = parts
            .next()
            .and_then(|end| serde_json::from_slice(end).ok());
        let both = end.zip(parts.next().map(<[u8]>::to_vec));
        both.ok_or_else(|| FileError::Io {
            doing: "understand what waits in",
            path: file,
            source: std::io::ErrorKind::InvalidData.into(),
        })
    }

    fn numbers(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |name: &str| name.strip_suffix(ENDING)?.parse().ok();
        let mut numbers: Vec<u64> = entries
            .filter_map(|entry| number(&entry.file_name().to_string_lossy()))
            .collect();
        numbers.sort_unstable();
        numbers
    }

    fn file(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:012}{ENDING}"))
    }

    fn place(&self) -> PathBuf {
        self.folder.join("place.json")
    }
}
