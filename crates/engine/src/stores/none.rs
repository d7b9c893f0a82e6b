//! The store that keeps nothing.

use anyhook_core::ports::{Query, Store, StoreError};
use anyhook_core::report::Report;

use super::StoreRow;

/// The row.
pub(super) const ROW: StoreRow = StoreRow {
    name: "none",
    summary: "Keeps nothing.",
    open: |_| Box::new(None),
};

/// Keeps nothing, and finds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct None;

impl Store for None {
    fn append(&self, _: &Report) -> Result<(), StoreError> {
        Ok(())
    }

    fn find(&self, _: &Query) -> Result<Vec<Report>, StoreError> {
        Ok(Vec::new())
    }
}
