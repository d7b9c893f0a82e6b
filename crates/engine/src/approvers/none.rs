//! The approver that asks no person: every question keeps its default.

use std::sync::Arc;

use anyhook_core::event::Event;
use anyhook_core::ports::Approver;
use anyhook_core::question::{Answer, Question};

use super::ApproverRow;

/// The row.
pub(super) const ROW: ApproverRow = ApproverRow {
    name: "none",
    summary: "Asks no person, so that every question is a refusal.",
    open: || Arc::new(NoApprover),
};

/// Asks no person: it leaves every question to its default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoApprover;

impl Approver for NoApprover {
    fn answer(&self, _event: &Event, _question: &Question) -> Answer {
        Answer::Defer
    }
}
