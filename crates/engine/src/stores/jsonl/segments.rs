//! The files of a record: numbered segments, the oldest of which go when there is too much or when they are too old.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhook_core::ports::StoreError;

use super::chain::{ChainDigest, ChainedLine};
use super::{failed, refused};
use crate::files;

const BEFORE: &str = "record-";
const AFTER: &str = ".jsonl";

/// How much of a record is kept.
///
/// ```
/// use anyhook_engine::stores::Retention;
/// assert_eq!(Retention::default().days, 90);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// How long one file may become, in bytes.
    pub segment: u64,
    /// How much all files may take together, in bytes.
    pub total: u64,
    /// For how many days a file is kept.
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            segment: 16 << 20,
            total: 512 << 20,
            days: 90,
        }
    }
}

impl Retention {
    /// Returns the age at which a segment is closed, in milliseconds: a seventh of the time that it is kept, or a week.
    pub(super) fn closes_after(self) -> i64 {
        i64::from((self.days / 7).clamp(1, 7)) * 86_400_000
    }
}

/// Returns the path of a segment.
pub(super) fn path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{BEFORE}{number:08}{AFTER}"))
}

/// Returns the numbers of all segments, the oldest first.
pub(super) fn all(dir: &Path) -> Vec<u64> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix(BEFORE)?.strip_suffix(AFTER)?.parse().ok();
    let mut numbers: Vec<u64> = entries
        .filter_map(|entry| number(&entry.file_name().to_string_lossy()))
        .collect();
    numbers.sort_unstable();
    numbers
}

/// Removes the oldest segments while all together are longer than they may be, and those that are too old; never the newest.
pub(super) fn prune(dir: &Path, kept: Retention) {
    let mut numbers = all(dir);
    let _ = numbers.pop();
    let (mut total, mut goes): (u64, bool) = (0, false);
    let oldest = Duration::from_hours(u64::from(kept.days) * 24);
    for number in numbers.into_iter().rev() {
        let path = path(dir, number);
        let Ok(meta) = fs::symlink_metadata(&path) else {
            continue;
        };
        total = total.saturating_add(meta.len());
        let age = meta
            .modified()
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        // What is older than one that goes goes too: no gap may look like a segment that was removed by hand.
        goes |= total.saturating_add(kept.segment) > kept.total;
        goes |= age.is_some_and(|age| age > oldest);
        if goes {
            // One that cannot be removed is tried again when the next segment begins.
            let _ = fs::remove_file(path);
        }
    }
}

/// Finds the link that the next line of a file continues: that of its last line that has one.
pub(super) fn last_link(segment: &Path) -> Option<ChainDigest> {
    let bytes = whole(segment).ok()?;
    let mut lines = bytes.rsplit(|byte| *byte == b'\n');
    lines.find_map(|line| ChainedLine::of(line).map(|parts| parts.link))
}

/// Reads one file of the record, which is never long; empty where the file is gone.
pub(in crate::stores) fn whole(segment: &Path) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    if let Some(mut file) = files::reading(segment).map_err(refused)? {
        file.read_to_end(&mut bytes)
            .map_err(failed("read", segment))?;
    }
    Ok(bytes)
}

/// Shows the lines of a file from an offset on, each with its line break, until one is the last that is wanted.
pub(in crate::stores) fn walk(
    segment: &Path,
    offset: u64,
    mut visit: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let Some(mut file) = files::reading(segment).map_err(refused)? else {
        return Ok(());
    };
    file.seek(SeekFrom::Start(offset))
        .map_err(failed("read", segment))?;
    let (mut lines, mut line) = (BufReader::with_capacity(1 << 18, file), Vec::new());
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line);
        let length = read.map_err(failed("read", segment))?;
        if length == 0 || visit(&line).is_break() {
            return Ok(());
        }
    }
}
