//! Approvals: a person lets one exact action through that a hook asked about.
//!
//! Where the host cannot ask, an Ask becomes a Deny and leaves an *open question* in the [`ApprovalBook`], with a one-time code
//! for the person. `anyhook approve CODE` answers it, once, for the session or always; [`settle`] finds that answer when
//! the very same action comes again. An approval is bound to the exact final action ([`ExactAction`]), to the definition of the
//! hook that asks, and to its question: if one of them is different, it is another question. It settles that question and
//! nothing else: a Deny stands, and the host still decides for itself.
//!
//! What it does not promise: a code is no secret that protects. A program that can read our files can read it; only a person on
//! a terminal, with no agent above, may use one.
//!
//! ```
//! use anyhook_engine::approvals::{
//!     ApprovalSubject, ApprovalAnswer, Approval, ApprovalBook, BookError, Decision, ExactAction, ONCE, OPEN, OpenQuestion, AskedQuestion,
//!     SAME, Settlement, SettlementContext, ApprovalUse, VERSION, DecisionSource, put_all, settle,
//! };
//! use anyhook_engine::core::can::Capabilities;
//! use anyhook_engine::core::event::Event;
//! use anyhook_engine::core::hook::Hooks;
//! use anyhook_engine::core::manifest::Manifest;
//! use anyhook_engine::core::question::{Grants, Question, AnswerLifetime};
//! use anyhook_engine::core::result::{HookId, HookResult, Verdict};
//! use anyhook_engine::load;
//! use serde_json::json;
//!
//! // A hook asked about an action, on a host that cannot ask.
//! let place = tempfile::tempdir()?;
//! let file = place.path().join("hooks.json");
//! let manifest = r#"{"version": 1, "hooks": {"pre-tool-use": [{"hooks": [
//!     {"type": "command", "command": "./careful.sh", "name": "careful"}
//! ]}]}}"#;
//! std::fs::write(&file, manifest)?;
//! let hooks: Hooks =
//!     load::hooks(&Manifest::parse(manifest)?.manifest, &file).into_iter().collect();
//! let event =
//!     Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": "git push"}}));
//! let question = Question { by: Some(HookId(0)), ..Question::new("push?") };
//! let asked = HookResult::asks(question);
//!
//! // It is left open, under a code for the person.
//! let book = ApprovalBook::new(place.path().join("approvals"));
//! let exact = ExactAction::of(&event, &asked);
//! let puts: Vec<AskedQuestion> = put_all(&asked, &hooks, &exact).ok_or("cannot be put")?;
//! let code = book.open(ApprovalSubject::of(&event, &exact, None), &exact.text, puts, 0)?;
//! let shown: OpenQuestion = book.waiting(0)?.remove(0);
//! assert_eq!((&shown.code, &*shown.asked[0].hook), (&code, "careful"));
//! assert!(matches!(shown.may_last(AnswerLifetime::Session), Err(BookError::NoSession)));
//!
//! // The person says yes, once; a code works one time.
//! let yes = ApprovalAnswer { grants: Grants::Proceed, lasts: AnswerLifetime::Once };
//! book.approve(&shown, &[yes], None, 1000)?;
//! let late = book.refuse(&shown, "", 1000);
//! assert!(matches!(late, Err(BookError::Answered(said)) if said == "yes, by anyhook approve"));
//! let given: Vec<Approval> = book.approvals(None, 1000)?;
//! assert_eq!((given[0].id().len(), &given[0].used), (8, &None::<ApprovalUse>));
//!
//! // The very same action comes again, and its question is settled.
//! static MUTE: Capabilities = Capabilities { verdicts: &[], ..Capabilities::EVERYTHING };
//! let settled = |now| {
//!     let (book, session, approvers) = (Some(&book), None, &[][..]);
//!     let with = SettlementContext { hooks: &hooks, can: &MUTE, book, session, now, approvers };
//!     let Settlement { result, decisions, trouble, .. } = settle(&event, asked.clone(), &with);
//!     assert!(trouble.is_empty());
//!     assert!(decisions.iter().all(|Decision { via, .. }| *via == DecisionSource::Before));
//!     result.verdict
//! };
//! assert_eq!(settled(2000), Verdict::Continue);
//! // It is used up; the same call told twice shares it, a later call does not.
//! let later = 2000 + i64::try_from(SAME.as_millis())? + 1;
//! assert!(matches!(settled(later), Verdict::Ask { .. }));
//!
//! assert_eq!(book.revoke(None, None, later)?, 0, "nothing is left to take back");
//! assert!(SAME < ONCE && ONCE < OPEN && VERSION == 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::time::Duration;

mod book;
mod closed;
mod decision;
mod error;
mod exact;
mod open;
mod pages;
mod questions;
mod settle;
mod waiter;

pub use book::{ApprovalAnswer, ApprovalBook, given};
pub use decision::{Decision, DecisionSource};
pub use error::BookError;
pub use exact::ExactAction;
pub use open::{AskedQuestion, OpenQuestion};
pub(crate) use questions::KeptQuestion;
pub use settle::{Settlement, SettlementContext, put_all, settle};
pub(crate) use waiter::LOOK;

pub use crate::state::{Approval, ApprovalChannel, ApprovalSubject, ApprovalUse};

/// The version of the files' JSON.
pub const VERSION: u32 = 1;
/// How long an open question waits for an answer, counted from the last time that it was asked.
pub const OPEN: Duration = Duration::from_hours(1);
/// How long an approval for once waits for its action.
pub const ONCE: Duration = Duration::from_mins(15);
/// How long an approval that was used serves for the same call, told twice.
pub const SAME: Duration = Duration::from_secs(2);

impl Approval {
    /// Makes the approval of one question.
    ///
    /// ```
    /// use anyhook_engine::approvals::{ApprovalSubject, ApprovalAnswer, Approval, ApprovalChannel, AskedQuestion};
    /// use anyhook_engine::core::question::{Grants, AnswerLifetime};
    ///
    /// let about = ApprovalSubject {
    ///     host: "codex".into(),
    ///     session: None,
    ///     kept: None,
    ///     event: "tool:pre".into(),
    ///     summary: "Bash git push".into(),
    /// };
    /// let put = AskedQuestion {
    ///     key: "5f2a90c1d7".into(),
    ///     hook: "careful".into(),
    ///     place: None,
    ///     definition: None,
    ///     prompt: "push?".into(),
    ///     options: Vec::new(),
    ///     longest: AnswerLifetime::Always,
    /// };
    /// let yes = ApprovalAnswer { grants: Grants::Proceed, lasts: AnswerLifetime::Once };
    /// let approval = Approval::new(&about, &put, yes, ApprovalChannel::Dialog, 1000);
    /// assert_eq!((approval.id(), &*approval.hook, &approval.by), ("5f2a90c1", "careful", &Some(ApprovalChannel::Dialog)));
    /// ```
    pub fn new(
        about: &ApprovalSubject,
        put: &AskedQuestion,
        answer: ApprovalAnswer,
        by: ApprovalChannel,
        at: i64,
    ) -> Self {
        Self {
            key: put.key.clone(),
            about: about.clone(),
            hook: put.hook.clone(),
            place: put.place.clone(),
            definition: put.definition.clone(),
            by: Some(by),
            grants: answer.grants,
            lasts: answer.lasts,
            at,
            used: None,
        }
    }
}

/// Tells whether a moment lies at most so long before `now`. One that lies after it is of a clock that was set, and does
/// not count.
fn within(at: i64, limit: Duration, now: i64) -> bool {
    let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
    now.checked_sub(at)
        .is_some_and(|ago| (0..=limit).contains(&ago))
}

#[cfg(test)]
mod tests;
