//! Where reports are kept (D24): a table of stores, one row and one file for each.
//!
//! A store never changes a verdict: what it cannot keep is an error, which the line makes a notice of. What goes into one
//! is a copy without payload ([`without_payload`]) unless the payload was asked for.

use std::path::PathBuf;

use anyhook_core::ports::{Query, Store};
use anyhook_core::report::Report;

mod jsonl;
mod memory;
mod none;
mod payload;

pub use jsonl::{Jsonl, Page};
pub use memory::Memory;
pub use none::None;
pub use payload::without_payload;

/// How much of a report is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// What was decided, by whom and why; values are replaced by their size.
    #[default]
    Verdicts,
    /// Everything.
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
