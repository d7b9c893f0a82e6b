//! Reading the files of a record.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

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
