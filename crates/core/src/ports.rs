//! The traits through which the kernel uses a clock and approvers. The engine implements them.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::event::Event;
//! use anyhook_core::ports::{Approver, DialogQuestion, Clock, Dialog};
//! use anyhook_core::question::{Answer, Question};
//!
//! /// A clock that stands still.
//! struct Noon;
//!
//! impl Clock for Noon {
//!     fn now(&self) -> i64 {
//!         1_700_000_000_000
//!     }
//!     fn since(&self) -> Duration {
//!         Duration::ZERO
//!     }
//! }
//!
//! /// Says yes to what it was told about beforehand, and leaves the rest to the next approver.
//! struct Beforehand(&'static str);
//!
//! impl Approver for Beforehand {
//!     fn answer(&self, _event: &Event, question: &Question) -> Answer {
//!         if &*question.prompt == self.0 { Answer::AllowOnce } else { Answer::Defer }
//!     }
//! }
//!
//! assert_eq!(Noon.since(), Noon.since());
//! let event = Event::new("tool:pre", serde_json::json!({}));
//! let [push, pull] = ["push?", "pull?"].map(Question::new);
//! assert_eq!(Beforehand("push?").answer(&event, &push), Answer::AllowOnce);
//! // Several questions about one event are one dialog.
//! let asks = [&push, &pull].map(|question| DialogQuestion { hook: "careful", question });
//! let dialog = Dialog { event: &event, action: "{}", before: None, asks: &asks };
//! let answers = Beforehand("push?").answer_all(&dialog);
//! assert_eq!(answers, [Answer::AllowOnce, Answer::Defer]);
//! ```

use crate::event::Event;
use crate::question::{Answer, Question};

/// A wall clock and a stop-watch; given, so that a test says what time it is.
///
/// The implementer keeps [`Clock::since`] from ever going back; [`Clock::now`] may jump, as a wall clock does.
pub trait Clock: Send + Sync {
    /// Returns milliseconds since 1970.
    fn now(&self) -> i64;
    /// Returns the time since some fixed moment; it never goes back.
    fn since(&self) -> std::time::Duration;
}

/// Puts a question to a person that a host cannot put.
///
/// The implementer says [`Answer::Defer`] only if it could not put the question at all, and never decides by itself: where
/// the person does not answer within the question's timeout, that is [`Answer::TimedOut`].
pub trait Approver: Send + Sync {
    /// Answers, or defers to the next approver.
    fn answer(&self, event: &Event, question: &Question) -> Answer;

    /// Answers all questions about one event, in their order; what is missing at the end is deferred. An approver that can
    /// show them in one dialog does so here. If it does not, they are put one after the other, up to the first no.
    fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(dialog.asks.len());
        for asks in dialog.asks {
            let answer = self.answer(dialog.event, asks.question);
            answers.push(answer);
            if answer == Answer::Deny {
                break;
            }
        }
        answers
    }
}

/// Everything that a person is asked about one event.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::ports::{Approver, DialogQuestion, Dialog};
/// use anyhook_core::question::{Answer, Question};
///
/// /// Takes the first choice of everything that one hook asks.
/// struct Trusting(&'static str);
///
/// impl Approver for Trusting {
///     fn answer(&self, _event: &Event, _question: &Question) -> Answer {
///         Answer::Defer
///     }
///     fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
///         let one = |asks: &DialogQuestion<'_>| match asks.hook {
///             hook if hook == self.0 => Answer::Chose(0),
///             _ => self.answer(dialog.event, asks.question),
///         };
///         dialog.asks.iter().map(one).collect()
///     }
/// }
///
/// let event = Event::new("tool:pre", serde_json::json!({"tool_name": "Bash"}));
/// let question = Question::new("push?");
/// let asks = ["deploy-gate", "lint"].map(|hook| DialogQuestion { hook, question: &question });
/// let dialog = Dialog { event: &event, action: r#"{"tool_name": "Bash"}"#, before: None, asks: &asks };
/// let answers = Trusting("deploy-gate").answer_all(&dialog);
/// assert_eq!(answers, [Answer::Chose(0), Answer::Defer]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dialog<'a> {
    /// The event, as the hooks left it.
    pub event: &'a Event,
    /// The exact final action, as the answers will be bound to it.
    pub action: &'a str,
    /// The action as it was before hooks rewrote it, where they did and it was kept.
    pub before: Option<&'a str>,
    /// The questions.
    pub asks: &'a [DialogQuestion<'a>],
}

/// One question of a dialog, and the hook that asks it.
#[derive(Debug, Clone, Copy)]
pub struct DialogQuestion<'a> {
    /// The hook's name.
    pub hook: &'a str,
    /// What it asks.
    pub question: &'a Question,
}

/// A store that could not keep or find a report.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct StoreError {
    /// What was being done, to what.
    pub what: String,
    /// Why it failed.
    pub source: Option<std::io::Error>,
}
