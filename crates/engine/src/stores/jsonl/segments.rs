//! The files of a record: numbered segments, the oldest of which go when there is too much or when they are too old.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhook_core::ports::StoreError;

use super::backwards::{Backwards, Line};
use super::chain::{FIRST, Link, Parts, SEGMENT, UNLINKED};
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
        // What is older than one that goes goes too: no gap may look like a segment that somebody removed.
        goes |= total.saturating_add(kept.segment) > kept.total;
        goes |= age.is_some_and(|age| age > oldest);
        if goes {
            // One that cannot be removed is tried again when the next segment begins.
            let _ = fs::remove_file(path);
        }
    }
}

/// Finds the link that the next line of a file continues: that of its last line that has one.
pub(super) fn last_link(file: &File) -> Option<Link> {
    let lines = Backwards::new(file.try_clone().ok()?).ok()?;
    let of = |line: Line| match line {
        Line::Text(text) => Parts::of(&text).map(|parts| parts.link),
        Line::TooLong => None,
    };
    let mut links = lines.map_while(Result::ok).filter_map(of);
    links.find(|link| *link != UNLINKED)
}

/// What was found by holding the lines of a record against their chain.
///
/// ```
/// use anyhook_engine::stores::Verified;
/// assert!(Verified::default().broken.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of the oldest segment; older ones were removed by size or age.
    pub oldest: u64,
    /// How many segments there are.
    pub segments: usize,
    /// How many records stand in them.
    pub records: u64,
    /// How many records were purged, and left their digest.
    pub purged: u64,
    /// How many lines are no record: a crash or a full disk tore them, or they are not ours.
    pub torn: u64,
    /// How many records have no link, because another process held the head for too long.
    pub unlinked: u64,
    /// The link of the last line.
    pub head: String,
    /// Where the chain does not hold: the file, the line from 1, and what is wrong.
    pub broken: Vec<(PathBuf, u64, &'static str)>,
}

/// Holds every line against the chain, from the oldest to the newest.
pub(super) fn verify(dir: &Path) -> Result<Verified, StoreError> {
    let numbers = all(dir);
    let mut found = Verified {
        oldest: numbers.first().copied().unwrap_or_default(),
        segments: numbers.len(),
        ..Verified::default()
    };
    let mut before: Option<Link> = None;
    let newest = numbers.last().copied();
    for pair in numbers.windows(2) {
        if let [one, next] = pair
            && one + 1 != *next
        {
            found
                .broken
                .push((path(dir, one + 1), 1, "a segment is missing"));
        }
    }
    // The head is read first: what is added meanwhile only makes the last segment longer.
    let head = super::Jsonl::head(dir)?;
    let mut reached_head = head.is_none();
    for number in numbers {
        let path = path(dir, number);
        let Some(file) = files::reading(&path).map_err(refused)? else {
            continue;
        };
        let mut lines = BufReader::with_capacity(1 << 20, file);
        let (mut line, mut at, mut place) = (Vec::new(), 0, 0);
        loop {
            line.clear();
            let length = lines
                .read_until(b'\n', &mut line)
                .map_err(failed("read", &path))?;
            if length == 0 {
                break;
            }
            (at, place) = (at + 1, place + length as u64);
            if at == 1 && !line.starts_with(SEGMENT) {
                found.broken.push((
                    path.clone(),
                    1,
                    "the first line of the segment is not its own",
                ));
            }
            if let Some(wrong) = step(&line, &mut before, &mut found) {
                found.broken.push((path.clone(), at, wrong));
            }
            reached_head |= head.is_some_and(|head| {
                head.segment == number && head.length == place && Some(head.link) == before
            });
        }
        // One that a writer made and was killed before it wrote is the newest.
        if at == 0 && Some(number) != newest {
            found.broken.push((path, 0, "the segment is empty"));
        }
    }
    if !reached_head && found.broken.is_empty() {
        let number = head.map(|head| head.segment).unwrap_or_default();
        found.broken.push((
            path(dir, number),
            0,
            "the end does not match the head: lines were removed or changed there",
        ));
    }
    let link = before.unwrap_or(FIRST);
    found.head = String::from_utf8_lossy(&link).into_owned();
    Ok(found)
}

/// Holds one line against the link before it, and says what is wrong.
fn step(line: &[u8], before: &mut Option<Link>, found: &mut Verified) -> Option<&'static str> {
    let whole = line.strip_suffix(b"\n");
    let Some(parts) = whole.and_then(Parts::of) else {
        found.torn += u64::from(line != b"\n");
        return None;
    };
    match (parts.is_segment(), parts.is_purged()) {
        (true, _) => {}
        (false, true) => found.purged += 1,
        (false, false) => found.records += 1,
    }
    if parts.link == UNLINKED {
        found.unlinked += 1;
        return None;
    }
    // The oldest segment that is left says itself what stood before it.
    let told = || {
        let header: serde_json::Value = serde_json::from_slice(whole?).ok()?;
        header.get("after")?.as_str()?.as_bytes().try_into().ok()
    };
    let known = before.or_else(|| told().filter(|_| parts.is_segment()));
    let expected = known.map(|before| super::chain::link(&before, &parts.digest()));
    *before = Some(parts.link);
    match expected {
        Some(expected) if expected == parts.link => None,
        Some(_) => Some("this line, or one before it, was changed, removed or added"),
        None => Some("the first line does not say what stood before it"),
    }
}
