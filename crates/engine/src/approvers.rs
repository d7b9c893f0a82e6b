//! The approvers, which put a question to a person if the host does not: one file for each.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use anyhook_engine::approvers::{TimedApprover, Terminal};
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::ports::Approver;
//! use anyhook_engine::core::question::{Answer, Question};
//! use serde_json::json;
//!
//! let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
//! let question = Question::new("push?");
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
//! let patient = TimedApprover::new(Arc::new(Asleep)).showing("before a hook rewrote it".into());
//! let question = Question { timeout: Duration::ZERO, ..question };
//! assert_eq!(patient.answer(&event, &question), Answer::TimedOut);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use anyhook_core::event::Event;
use anyhook_core::ports::{Approver, Dialog, DialogQuestion};
use anyhook_core::question::{Answer, Question};

mod patient;
mod terminal;

pub use patient::TimedApprover;
pub use terminal::Terminal;

/// Puts one question in a dialog of its own.
fn answer_one(approver: &dyn Approver, event: &Event, question: &Question) -> Answer {
    let hook = "a hook";
    let answers = approver.answer_all(&Dialog {
        event,
        action: "",
        before: None,
        asks: &[DialogQuestion { hook, question }],
    });
    answers.first().copied().unwrap_or(Answer::Defer)
}
