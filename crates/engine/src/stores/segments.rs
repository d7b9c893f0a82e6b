//! Reading the files of a record: line by line, and several of them at a time.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use anyhook_core::ports::StoreError;

use super::jsonl::{failed, refused};
use crate::files;

/// Shows every line of one file of the record that is a record; none where the file is gone.
pub(super) fn lines_of(segment: &Path, visit: &mut dyn FnMut(&[u8])) -> Result<(), StoreError> {
    walk(segment, 0, |line| {
        if line.starts_with(b"{\"version\":") {
            visit(line);
        }
        ControlFlow::Continue(())
    })
}

/// Reads one file of the record, which is never long; empty where the file is gone.
pub(super) fn whole(segment: &Path) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    if let Some(mut file) = files::reading(segment).map_err(refused)? {
        file.read_to_end(&mut bytes)
            .map_err(failed("read", segment))?;
    }
    Ok(bytes)
}

/// Shows the lines of a file from an offset on, each with its line break, until one is the last that is wanted.
pub(super) fn walk(
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

/// Returns how many files are read at a time: more than four threads wait for the disk and not for a processor.
pub(super) fn threads() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(4)
}

/// Does something with several files of a record at a time, and returns what came of each, in their order.
pub(super) fn side_by_side<T: Send>(
    segments: &[PathBuf],
    one: &(dyn Fn(&Path) -> Result<T, StoreError> + Sync),
) -> Result<Vec<T>, StoreError> {
    if let [only] = segments {
        return Ok(vec![one(only)?]);
    }
    // A thread that panicked is a bug of ours, and what it read is missing: that is said as an error.
    let failed = || StoreError {
        what: "a part of the record could not be read".into(),
        source: None,
    };
    thread::scope(|scope| {
        let all = segments.iter().map(|path| scope.spawn(move || one(path)));
        let all: Vec<_> = all.collect();
        let joined = all.into_iter().map(ScopedJoinHandle::join);
        joined
            .map(|came| came.unwrap_or_else(|_| Err(failed())))
            .collect()
    })
}
