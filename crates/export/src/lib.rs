//! The record as JSON lines, [`lines`], and over OTLP/HTTP, [`Exporter`]: what `anyhook log export` does.
//!
//! ```
//! use anyhook::stores::{Filter, Jsonl, RecordDetail};
//!
//! let place = tempfile::tempdir()?;
//! let store = Jsonl::new(place.path(), RecordDetail::Verdicts);
//! let mut out = Vec::new();
//! let done = anyhook_export::lines(&store, &Filter::default(), &mut out)?;
//! assert_eq!((done.records, &*out), (0, &b""[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod otlp;
mod ship;

use std::io::{self, Write};

use anyhook::core::ports::StoreError;
use anyhook::files::FileError;
use anyhook::stores::{Filter, Jsonl, RecordCursor};
use serde_json::json;

pub use ship::Exporter;

/// So many records are held at once.
const TOGETHER: usize = 256;

/// Why nothing more was exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The record cannot be read.
    #[error("the record cannot be read")]
    Store(#[from] StoreError),
    /// The lines cannot be written.
    #[error("the lines cannot be written")]
    Lines(#[from] io::Error),
    /// The place up to which everything was sent cannot be kept.
    #[error("cannot keep how far the export came")]
    Place(#[from] FileError),
    /// The receiver did not take it.
    #[error(
        "`{to}` did not take the records: {why}; {sent} were sent, and the next export goes on behind them"
    )]
    Receiver {
        /// Its address.
        to: String,
        /// What it said.
        why: String,
        /// How many it took before.
        sent: u64,
    },
}

/// What an export did.
///
/// ```
/// assert_eq!(anyhook_export::ExportSummary::default().records, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// How many records went out.
    pub records: u64,
    /// How many lines of the record are no records.
    pub skipped: usize,
    /// How many of them the receiver rejected.
    pub rejected: u64,
    /// Whether another export to this receiver is at work, so that nothing was done.
    pub busy: bool,
    /// Whether records were removed by size or age before they were sent.
    pub lost: bool,
}

/// Writes a record a line, and the head of the chain at the end.
pub fn lines(
    store: &Jsonl,
    filter: &Filter,
    out: &mut dyn Write,
) -> Result<ExportSummary, ExportError> {
    let head = store.head_link()?;
    let (mut done, mut place) = (ExportSummary::default(), RecordCursor::default());
    loop {
        let page = store.news(&mut place, filter, TOGETHER)?;
        done.skipped += page.skipped;
        for report in &page.reports {
            serde_json::to_writer(&mut *out, report).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
        done.records += page.reports.len() as u64;
        if page.reports.is_empty() {
            break;
        }
    }
    if let Some(head) = head {
        writeln!(out, "{}", json!({"head": head}))?;
    }
    out.flush()?;
    Ok(done)
}
