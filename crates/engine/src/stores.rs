//! Where reports are kept.
//!
//! A store never changes a verdict: what it cannot keep is an error, which the line makes a notice of. What goes into one
//! is redacted, and has the payload only if that was asked for.
//!
//! ```
//! use anyhook_engine::core::report::Report;
//! use anyhook_engine::stores::{Filter, Jsonl, RecordDetail, ReportPage, Retention, ChainVerification};
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
//! // On disk, in files that prove each other.
//! let place = tempfile::tempdir()?;
//! let short = Retention { segment: 64 * 1024, ..Retention::default() };
//! let disk = Jsonl::new(place.path(), RecordDetail::Verdicts).retaining(short);
//! disk.append(&report)?;
//! let ReportPage { reports, skipped } =
//!     disk.search(&Filter { id: Some("k3".into()), ..Filter::default() }, 10)?;
//! assert_eq!((reports[0].result.verdict.text(), skipped), ("`.env` holds secrets".into(), 0));
//! assert_ne!(reports, [report], "the detail is a value, and values stay out");
//! let ChainVerification { records, broken, .. } = disk.verify(&[])?;
//! assert_eq!((records, broken), (1, vec![]));
//! let none = disk.purge(&Filter { session: Some("s9".into()), ..Filter::default() }, 0, "p1".into())?;
//! assert_eq!(none, 0);
//! assert_eq!(Retention::default().segment, 16 << 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::{Deserialize, Serialize};

mod jsonl;
mod kept;
mod payload;
mod search;

pub use jsonl::{ChainVerification, Jsonl, ReportPage, Retention};
pub(crate) use jsonl::{is_torn, once};
pub use search::{Filter, RecordCursor, VerdictFilter};

/// How much of a report is kept. Secrets are hidden and long texts cut in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordDetail {
    /// What was decided, by whom and why; values are replaced by their size.
    Verdicts,
    /// That, and the names and types of the input's fields.
    Shape,
    /// Everything.
    #[default]
    Payload,
}
