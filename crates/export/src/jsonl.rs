//! Records as lines of JSON, with the head of the chain at the end.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhook::stores::{Filter, Jsonl, Place};
use serde_json::json;

use crate::{ExportError, Exported};

/// So many records are held at once.
const TOGETHER: usize = 512;

/// Makes a file that only this person reads.
pub(crate) fn create(file: &Path) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(file)
}

/// Writes them.
pub(crate) fn write(
    store: &Jsonl,
    filter: &Filter,
    to: Option<&Path>,
) -> Result<Exported, ExportError> {
    let failed = |source| ExportError::File {
        file: to.unwrap_or(Path::new("standard output")).into(),
        source,
    };
    let out: Box<dyn Write> = match to {
        Some(file) => Box::new(create(file).map_err(failed)?),
        None => Box::new(io::stdout()),
    };
    let mut out = BufWriter::new(out);
    let head = store.head_link()?;
    let (mut done, mut place) = (Exported::default(), Place::default());
    loop {
        let page = store.some_news(&mut place, filter, TOGETHER)?;
        done.skipped += page.skipped;
        for report in &page.reports {
            serde_json::to_writer(&mut out, report).map_err(|error| failed(error.into()))?;
            out.write_all(b"\n").map_err(failed)?;
        }
        done.records += page.reports.len() as u64;
        if page.reports.is_empty() {
            break;
        }
    }
    if let Some(head) = head {
        writeln!(out, "{}", json!({"head": head})).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    Ok(done)
}
