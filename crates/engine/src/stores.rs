//! Where reports are kept: a table of stores, one row and one file for each.
//!
//! A store never changes a verdict: what it cannot keep is an error, which the line makes a notice of. What goes into one
//! is a copy without payload ([`without_payload`]) unless the payload was asked for.
//!
//! ```
//! use anyhook_engine::core::ports::{Query, Store};
//! use anyhook_engine::core::report::Report;
//! use anyhook_engine::stores::{
//!     Jsonl, Keep, Memory, None, Opening, Page, Purge, Retention, STORES, StoreRow, Verified, find,
//!     without_payload,
//! };
//! use serde_json::json;
//!
//! let report = Report::from_json(json!({
//!     "version": 1,
//!     "id": "k3f9",
//!     "event": {"name": "tool:pre"},
//!     "result": {
//!         "verdict": "deny",
//!         "reasons": [{"text": "`.env` holds secrets", "detail": {"line": 7}}],
//!     },
//!     "hooks": [],
//!     "steps": [],
//! }))?;
//! let lean = without_payload(&report);
//! assert_eq!(lean.result.verdict.text(), "`.env` holds secrets");
//! assert_ne!(lean, report, "the detail is a value, and values stay out");
//!
//! // On disk, in files that prove each other.
//! let place = tempfile::tempdir()?;
//! let disk = Jsonl::new(place.path(), Keep::Verdicts).limit(64 * 1024);
//! disk.append(&report)?;
//! let Page { reports, skipped } =
//!     disk.read(&Query { id: Some("k3".into()), ..Query::default() })?;
//! assert_eq!((reports, skipped), (vec![lean], 0));
//! let Verified { records, broken, .. } = disk.verify()?;
//! assert_eq!((records, broken), (1, vec![]));
//! let none = disk.purge(&Purge { session: Some("s9".into()), ..Purge::default() }, 0, "p1".into())?;
//! assert_eq!(none, 0);
//! assert_eq!(Retention::default().segment, 16 << 20);
//!
//! // In this process, or nowhere.
//! let memory = Memory::new(Keep::Payload);
//! memory.append(&report)?;
//! assert_eq!(memory.find(&Query::default())?, [report.clone()]);
//! None.append(&report)?;
//! assert_eq!(None.find(&Query::default())?, []);
//!
//! // By the name that a person types.
//! let StoreRow { open, .. } = find("jsonl").ok_or("no such store")?;
//! let opened = open(&Opening { dir: place.path().into(), keep: Keep::Verdicts });
//! assert_eq!(opened.find(&Query::default())?.len(), 1);
//! assert!(STORES.iter().all(|row| row.summary.ends_with('.')));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;

use anyhook_core::ports::{Query, Store};
use anyhook_core::report::Report;
use serde::{Deserialize, Serialize};

mod jsonl;
mod kept;
mod memory;
mod none;
mod payload;
mod search;
mod segments;

pub use jsonl::{Jsonl, Page, Purge, Retention, Verified};
pub(crate) use jsonl::{is_torn, once};
pub use memory::Memory;
pub use none::None;
pub use payload::without_payload;
pub use search::{Filter, Place, Said};
#[doc(hidden)]
pub use segments::{lines_of, side_by_side, threads};

/// How much of a report is kept. Secrets are hidden and long texts cut in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keep {
    /// What was decided, by whom and why; values are replaced by their size.
    Verdicts,
    /// That, and the names and types of the input's fields.
    Shape,
    /// Everything.
    #[default]
    Payload,
}

/// What a store is opened with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The directory for whatever it puts on disk.
    pub dir: PathBuf,
    /// How much of a report it keeps.
    pub keep: Keep,
}

/// One kind of store.
#[derive(Debug)]
pub struct StoreRow {
    /// The name that a person types.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Opens one; nothing is touched before the first report.
    pub open: fn(&Opening) -> Box<dyn Store>,
}

/// Every kind of store.
pub static STORES: &[StoreRow] = &[none::ROW, memory::ROW, jsonl::ROW];

/// Returns the row of a store.
pub fn find(name: &str) -> Option<&'static StoreRow> {
    STORES.iter().find(|row| row.name == name)
}

/// Tells whether a report is among those that are asked for.
fn is_wanted(report: &Report, query: &Query) -> bool {
    let id = query.id.as_deref();
    let session = query.session.as_deref();
    id.is_none_or(|id| report.id.starts_with(id))
        && session.is_none_or(|session| report.event.session.as_deref() == Some(session))
}
