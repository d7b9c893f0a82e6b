//! The approvers, which put a question to a person if the host does not: one row and one file for each.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use anyhook_engine::approvers::{APPROVERS, ApproverRow, NoApprover, Patient, Terminal, find};
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::ports::Approver;
//! use anyhook_engine::core::question::{Answer, Question};
//! use serde_json::json;
//!
//! let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
//! let question = Question::new("push?");
//!
//! // By the name that a person types.
//! let ApproverRow { open, .. } = find("none").ok_or("no such approver")?;
//! assert_eq!(open().answer(&event, &question), Answer::Defer);
//! assert_eq!(NoApprover.answer(&event, &question), Answer::Defer);
//! assert!(APPROVERS.iter().all(|row| row.summary.ends_with('.')));
//!
//! // A terminal that is not there puts no question.
//! let terminal = Terminal::at("/nowhere/tty");
//! assert_eq!(terminal.answer(&event, &question), Answer::Defer);
//!
//! // An approver that never comes back is not waited for.
//! struct Asleep;
//! impl Approver for Asleep {
//!     fn answer(&self, _: &Event, _: &Question) -> Answer {
//!         loop {
//!             std::thread::park();
//!         }
//!     }
//! }
//! let patient = Patient::new(Arc::new(Asleep)).showing("before a hook rewrote it".into());
//! let question = Question { timeout: Duration::ZERO, ..question };
//! assert_eq!(patient.answer(&event, &question), Answer::TimedOut);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use anyhook_core::ports::Approver;

mod none;
mod patient;
mod terminal;

pub use none::NoApprover;
pub use patient::Patient;
pub use terminal::Terminal;

/// One way of asking a person.
#[derive(Debug, Clone, Copy)]
pub struct ApproverRow {
    /// Its name.
    pub name: &'static str,
    /// One sentence for help and reference pages.
    pub summary: &'static str,
    /// Makes it.
    pub open: fn() -> Arc<dyn Approver>,
}

/// Every approver.
pub static APPROVERS: &[ApproverRow] = &[terminal::ROW, none::ROW];

/// Finds an approver by its name.
pub fn find(name: &str) -> Option<&'static ApproverRow> {
    APPROVERS.iter().find(|row| row.name == name)
}
