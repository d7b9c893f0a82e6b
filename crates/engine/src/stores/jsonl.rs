//! The store on disk: one line of JSON for each report, appended with one write, in a chain of digests.
//!
//! `record-00000001.jsonl` and so on are the segments; a longer or older one is followed by the next, and the oldest go when
//! there is too much of them. `head` names the end. Who adds a line holds a lock on it for some microseconds: for the link
//! of the line before, and for the write. A line that a full disk or a crash tore is ended by the next writer, and skipped by
//! every reader.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::ports::StoreError;
use anyhook_core::report::Report;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::kept::kept;
use super::{Filter, RecordDetail};
use crate::files::{self, Durability, FileError};

mod chain;
mod purge;
mod segments;
mod verify;

pub(super) use chain::name_of;
use chain::{ChainHead, FIRST, PURGED, SEGMENT, linked};
pub use segments::Retention;
pub(super) use segments::{walk, whole};
pub use verify::ChainVerification;

/// How long one waits for another process that adds a line: that takes microseconds, and an answer may be waiting behind it.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Keeps reports in a directory, as lines of JSON.
#[derive(Debug, Clone)]
pub struct Jsonl {
    dir: PathBuf,
    keep: RecordDetail,
    retention: Retention,
    durable: Durability,
}

/// Reports, and what stood between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportPage {
    /// The reports, the newest last.
    pub reports: Vec<Report>,
    /// How many lines were looked at and were no reports: torn, or not ours.
    pub skipped: usize,
}

impl Jsonl {
    /// Keeps reports below `dir`, which is made for the first report.
    pub fn new(dir: impl Into<PathBuf>, keep: RecordDetail) -> Self {
        Self {
            dir: dir.into(),
            keep,
            retention: Retention::default(),
            durable: Durability::No,
        }
    }

    /// Keeps so much, for so long.
    #[must_use]
    pub fn retaining(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Brings each report to the disk before an action goes on, which is blocked where that fails; or leaves it to the system.
    #[must_use]
    pub fn durable(mut self, durable: Durability) -> Self {
        self.durable = durable;
        self
    }

    /// Finds reports, reading backwards from the newest and no further than needed.
    pub fn find(&self, filter: &Filter) -> Result<Vec<Report>, StoreError> {
        let page = self.search(filter, usize::MAX)?;
        Ok(page.reports)
    }

    /// Returns the files of the record, the oldest first.
    pub fn segments(&self) -> Vec<PathBuf> {
        let numbers = segments::all(&self.dir).into_iter();
        numbers
            .map(|number| segments::path(&self.dir, number))
            .collect()
    }

    /// Returns the head of the chain, to be kept elsewhere; nothing where nothing was added yet.
    pub fn head_link(&self) -> Result<Option<String>, StoreError> {
        let head = Self::head(&self.dir)?;
        Ok(head.map(|head| String::from_utf8_lossy(&head.link).into_owned()))
    }

    /// Returns a report as it is kept: redacted and cut.
    #[doc(hidden)]
    pub fn as_kept(&self, report: &Report) -> Result<Report, StoreError> {
        let body = self.body(report)?;
        serde_json::from_slice(&body).map_err(misread("read back", report))
    }

    /// Returns a report of this record as it leaves the machine.
    pub fn as_sent(&self, report: Report) -> Result<Report, StoreError> {
        match self.keep {
            // What the record keeps was redacted when it was kept.
            RecordDetail::Payload => Ok(report),
            RecordDetail::Shape | RecordDetail::Verdicts => self.as_kept(&report),
        }
    }

    /// Keeps one report, as one record.
    pub fn append(&self, report: &Report) -> Result<(), StoreError> {
        let body = self.body(report)?;
        self.add(&[body], report.at.unwrap_or_default())
    }

    /// Tells whether an action may go on only once its report is kept.
    pub fn is_required(&self) -> bool {
        self.durable == Durability::Yes
    }

    /// Adds many reports, each as a line of its own, with one write for all.
    pub fn append_all(&self, reports: &[Report]) -> Result<(), StoreError> {
        let bodies: Result<Vec<_>, _> = reports.iter().map(|report| self.body(report)).collect();
        let at = reports.last().and_then(|report| report.at);
        self.add(&bodies?, at.unwrap_or_default())
    }

    /// Reads the head; nothing where nothing was added yet.
    fn head(dir: &Path) -> Result<Option<ChainHead>, StoreError> {
        let file = files::reading(&dir.join("head")).map_err(refused)?;
        Ok(file.and_then(|file| ChainHead::read(&file)))
    }

    /// Writes a report as one object that is known to be read back.
    fn body(&self, report: &Report) -> Result<Vec<u8>, StoreError> {
        let mut value = kept(report, self.keep)?;
        let mut body = bytes(&value, report)?;
        if body.len() as u64 > self.retention.segment / 4 {
            value = kept(report, RecordDetail::Verdicts)?;
            if let Some(remarks) = value.as_object_mut().map(|all| all.entry("remarks")) {
                let remarks = remarks.or_insert_with(|| json!([]));
                let remark = "its values are too large, and were not kept";
                remarks
                    .as_array_mut()
                    .into_iter()
                    .for_each(|all| all.push(remark.into()));
            }
            body = bytes(&value, report)?;
        }
        if body.len() as u64 > self.retention.segment / 4 {
            let what = format!("the report `{}` is too long to be kept", report.id);
            return Err(StoreError { what, source: None });
        }
        Ok(body)
    }

    /// Adds lines behind the last one. What can be made before the lock is taken is made before.
    fn add(&self, bodies: &[Vec<u8>], at: i64) -> Result<(), StoreError> {
        let digests: Vec<[u8; 32]> = bodies
            .iter()
            .map(|body| Sha256::digest(body).into())
            .collect();
        files::private_dir(&self.dir).map_err(refused)?;
        let lock = files::lock(&self.dir.join("head"), PATIENCE).map_err(refused)?;
        let more: usize = bodies.iter().map(|body| body.len() + 80).sum();
        let mut end = RecordTail::find(&self.dir, ChainHead::read(lock.file()), at)?;
        let is_old = at.saturating_sub(end.head.begun) > self.retention.closes_after();
        if end.head.length > 0 && (is_old || end.head.length + more as u64 > self.retention.segment)
        {
            end = end.next(&self.dir, at)?;
            segments::prune(&self.dir, self.retention);
        }
        let mut lines = end.opening(at);
        for (body, digest) in bodies.iter().zip(&digests) {
            let (more, link) = linked(&end.head.link, body, digest);
            lines.extend(more);
            end.head.link = link;
        }
        let path = segments::path(&self.dir, end.head.segment);
        once(&mut end.file, &lines).map_err(failed("append to", &path))?;
        end.head.length += lines.len() as u64;
        // Where the head is not written, the next writer finds the end by itself.
        let _ = end.head.write(lock.file());
        drop(lock);
        self.sync(&end.file, &path)
    }

    fn sync(&self, file: &File, path: &Path) -> Result<(), StoreError> {
        match self.durable {
            Durability::Yes => {
                let folder = File::open(&self.dir).and_then(|dir| dir.sync_all());
                let both = file.sync_data().and(folder);
                both.map_err(failed("bring to the disk", path))
            }
            Durability::No => Ok(()),
        }
    }
}

impl ReportPage {
    /// Tells whether a line is none of those that only the chain needs.
    pub(super) fn may_be_record(line: &[u8]) -> bool {
        !line.starts_with(PURGED) && !line.starts_with(SEGMENT)
    }
}

/// The end of a record, held by who has the lock.
struct RecordTail {
    file: File,
    head: ChainHead,
    /// Whether the last line has no end.
    torn: bool,
}

impl RecordTail {
    /// Finds the end. Where the file is longer than the head says, a writer was killed between its line and the head; where
    /// it is shorter, it was cut, and the chain goes on from the head, so that this is found.
    fn find(dir: &Path, told: Option<ChainHead>, at: i64) -> Result<Self, StoreError> {
        let newest = || segments::all(dir).pop().unwrap_or(1);
        let mut head = told.unwrap_or_else(|| ChainHead {
            segment: newest(),
            length: 0,
            begun: at,
            link: FIRST,
        });
        let path = segments::path(dir, head.segment);
        let file = files::appending(&path).map_err(refused)?;
        let length = file.metadata().map_err(failed("look at", &path))?.size();
        let mut torn = false;
        if length > head.length {
            torn = is_torn(&file);
            head.link = segments::last_link(&path).unwrap_or(head.link);
        }
        head.length = length;
        Ok(Self { file, head, torn })
    }

    /// Begins the next segment.
    fn next(self, dir: &Path, at: i64) -> Result<Self, StoreError> {
        let segment = self.head.segment + 1;
        let file = files::appending(&segments::path(dir, segment)).map_err(refused)?;
        let head = ChainHead {
            segment,
            length: 0,
            begun: at,
            ..self.head
        };
        Ok(Self {
            file,
            head,
            torn: false,
        })
    }

    /// Returns what stands before the next line: the first line of a segment, or the end of a torn one.
    fn opening(&mut self, at: i64) -> Vec<u8> {
        match (self.head.length, self.torn) {
            (0, _) => {
                let after = String::from_utf8_lossy(&self.head.link);
                // No map of JSON: its first name must be `segment`.
                let body = format!(
                    "{{\"segment\":{},\"after\":\"{after}\",\"at\":{at}}}",
                    self.head.segment
                );
                let digest = Sha256::digest(&body).into();
                let (opening, link) = linked(&self.head.link, body.as_bytes(), &digest);
                self.head.link = link;
                opening
            }
            (_, true) => b"\n".to_vec(),
            (_, false) => Vec::new(),
        }
    }
}

fn bytes(value: &Value, report: &Report) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(misread("write", report))
}

/// Says that a report is no JSON that can be written or read.
pub(super) fn misread<'r>(
    doing: &'static str,
    report: &'r Report,
) -> impl Fn(serde_json::Error) -> StoreError + 'r {
    move |error| StoreError {
        what: format!("cannot {doing} the report `{}`", report.id),
        source: Some(error.into()),
    }
}

/// Writes all in one call, so that no other process's line gets in between. A rest is never written in a second one.
pub(crate) fn once(file: &mut File, line: &[u8]) -> io::Result<()> {
    loop {
        match file.write(line) {
            Ok(written) if written == line.len() => return Ok(()),
            Ok(_) => return Err(io::ErrorKind::StorageFull.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn is_torn(file: &File) -> bool {
    let mut end = [b'\n'];
    let length = file.metadata().map_or(0, |meta| meta.len());
    length > 0 && file.read_exact_at(&mut end, length - 1).is_ok() && end != [b'\n']
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError {
        what: format!("cannot {doing} `{}`", path.display()),
        source: Some(error),
    }
}

fn refused(error: FileError) -> StoreError {
    let what = error.to_string();
    let source = match error {
        FileError::Io { source, .. } => Some(source),
        _ => None,
    };
    StoreError { what, source }
}
