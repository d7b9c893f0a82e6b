//! The store on disk: one line of JSON for each report, appended with one write.
//!
//! `reports.jsonl` is the newest file; when a report would make it longer than 16 MiB it becomes `reports.1.jsonl`, and
//! what was `reports.3.jsonl` goes. Any number of processes append at once: a write is one `O_APPEND` call, and only
//! rotation takes a lock. A line that a full disk or a crash tore is ended by the next writer and skipped by every reader.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::ports::{Query, Store, StoreError};
use anyhook_core::report::Report;

use super::{Keep, StoreRow, is_wanted, redacted, without_payload};
use crate::files::{self, FileError};

mod backwards;

use backwards::{Backwards, Line};

/// The row.
pub(super) const ROW: StoreRow = StoreRow {
    name: "jsonl",
    summary: "Keeps one line of JSON for each report, in at most four files of 16 MiB.",
    open: |opening| Box::new(Jsonl::new(&opening.dir, opening.keep)),
};

/// How long a file may become.
const LIMIT: u64 = 16 * 1024 * 1024;
/// How many files there are.
const FILES: usize = 4;
/// How long one waits for another process to rename four files; an answer may be waiting behind it.
const PATIENCE: Duration = Duration::from_millis(250);

/// Keeps reports in a directory, as lines of JSON.
#[derive(Debug, Clone)]
pub struct Jsonl {
    dir: PathBuf,
    keep: Keep,
    limit: u64,
}

/// Reports, and what stood between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The reports, the newest last.
    pub reports: Vec<Report>,
    /// How many lines were looked at and were no reports: torn, or not ours.
    pub skipped: usize,
}

impl Jsonl {
    /// Keeps reports below `dir`, which is made for the first report.
    pub fn new(dir: impl Into<PathBuf>, keep: Keep) -> Self {
        Self {
            dir: dir.into(),
            keep,
            limit: LIMIT,
        }
    }

    /// Rotates at another length.
    #[must_use]
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Finds reports, reading backwards from the newest and no further than needed.
    pub fn read(&self, query: &Query) -> Result<Page, StoreError> {
        let last = query.last.unwrap_or(usize::MAX);
        let mut page = Page::default();
        for file in self.newest_first()? {
            for line in Backwards::new(file).map_err(failed("read", &self.dir))? {
                if page.reports.len() >= last {
                    break;
                }
                match line.map_err(failed("read", &self.dir))? {
                    Line::Text(line) => match serde_json::from_slice::<Report>(&line) {
                        Ok(report) if is_wanted(&report, query) => page.reports.push(report),
                        Ok(_) => {}
                        Err(_) => page.skipped += 1,
                    },
                    Line::TooLong => page.skipped += 1,
                }
            }
        }
        page.reports.reverse();
        Ok(page)
    }

    /// Opens all files before reading any. A rotation in between shows one file twice under two names, never hides one.
    fn newest_first(&self) -> Result<Vec<File>, StoreError> {
        let mut seen = Vec::new();
        let mut open = Vec::new();
        for age in 0..FILES {
            let path = self.path(age);
            let Some(file) = files::reading(&path).map_err(refused)? else {
                continue;
            };
            let meta = file.metadata().map_err(failed("look at", &path))?;
            let id = (meta.dev(), meta.ino());
            if !seen.contains(&id) {
                seen.push(id);
                open.push(file);
            }
        }
        Ok(open)
    }

    fn path(&self, age: usize) -> PathBuf {
        match age {
            0 => self.dir.join("reports.jsonl"),
            age => self.dir.join(format!("reports.{age}.jsonl")),
        }
    }

    /// Writes a report as one line that is known to be read back.
    fn line(&self, report: &Report) -> Result<Vec<u8>, StoreError> {
        let whole = match self.keep {
            Keep::Payload => self.encode(report)?,
            Keep::Verdicts => None,
        };
        if let Some(line) = whole {
            return Ok(line);
        }
        let mut lean = without_payload(report);
        if self.keep == Keep::Payload {
            let remark = "its values are too large or too deep, and were not kept";
            lean.remarks.push(remark.into());
        }
        self.encode(&lean)?.ok_or_else(|| StoreError {
            what: format!("the report `{}` is too long to be kept", report.id),
            source: None,
        })
    }

    /// Nothing where the line is longer than a quarter of a file, or deeper than a reader follows.
    fn encode(&self, report: &Report) -> Result<Option<Vec<u8>>, StoreError> {
        let mut line = serde_json::to_vec(report).map_err(|error| StoreError {
            what: format!("cannot write the report `{}` as JSON", report.id),
            source: Some(error.into()),
        })?;
        let fits = line.len() as u64 <= self.limit / 4;
        let is_readable = fits && serde_json::from_slice::<Report>(&line).is_ok();
        line.push(b'\n');
        Ok(is_readable.then_some(line))
    }

    /// Makes room for `more` bytes. Who waited for the lock looks again: another process may have rotated.
    fn rotate(&self, more: u64) -> Result<(), StoreError> {
        let lock = self.dir.join("reports.lock");
        let _lock = files::lock(&lock, PATIENCE).map_err(refused)?;
        let length = fs::metadata(self.path(0)).map_or(0, |meta| meta.len());
        if length + more <= self.limit {
            return Ok(());
        }
        for age in (1..FILES).rev() {
            match fs::rename(self.path(age - 1), self.path(age)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("rotate", &self.path(age - 1))(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Store for Jsonl {
    fn append(&self, report: &Report) -> Result<(), StoreError> {
        let mut line = self.line(&redacted(report)?)?;
        files::private_dir(&self.dir).map_err(refused)?;
        let path = self.path(0);
        let mut file = files::appending(&path).map_err(refused)?;
        let length = file.metadata().map_err(failed("look at", &path))?.len();
        if length > 0 && length + line.len() as u64 > self.limit {
            drop(file);
            self.rotate(line.len() as u64)?;
            file = files::appending(&path).map_err(refused)?;
        }
        if is_torn(&file) {
            line.insert(0, b'\n');
        }
        once(&mut file, &line).map_err(failed("append to", &path))
    }

    fn find(&self, query: &Query) -> Result<Vec<Report>, StoreError> {
        self.read(query).map(|page| page.reports)
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
