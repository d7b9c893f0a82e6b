//! Reading the files of a record: line by line, and several of them at a time.

use std::io::{BufRead as _, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use anyhook_core::ports::StoreError;

use super::jsonl::{failed, refused};
use crate::files;

/// Shows every line of one file of the record that is a record; none where the file is gone.
pub fn lines_of(segment: &Path, visit: &mut dyn FnMut(&[u8])) -> Result<(), StoreError> {
    let Some(file) = files::reading(segment).map_err(refused)? else {
        return Ok(());
    };
    let (mut lines, mut line) = (BufReader::with_capacity(1 << 18, file), Vec::new());
    while lines
        .read_until(b'\n', &mut line)
        .map_err(failed("read", segment))?
        > 0
    {
        if line.starts_with(b"{\"version\":") {
            visit(&line);
        }
        line.clear();
    }
    Ok(())
}

/// Returns how many files are read at a time: more than four threads wait for the disk and not for a processor.
pub fn threads() -> usize {
    thread::available_parallelism()
        .map_or(1, NonZeroUsize::get)
        .min(4)
}

/// Does something with several files of a record at a time, and returns what came of each, in their order.
pub fn side_by_side<T: Send>(
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
