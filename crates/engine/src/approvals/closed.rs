//! A question that was answered: a second answer is told so, and a process that waits gets the answer with its note.

use serde::{Deserialize, Serialize};

use super::book::ApprovalClaim;
use super::{ApprovalChannel, ApprovalSubject, ApprovalUse, OpenQuestion};

/// The longest note of a no, in characters.
pub(super) const LONGEST_NOTE: usize = 2000;

/// A question that a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClosedQuestion {
    pub(super) code: String,
    about: ApprovalSubject,
    keys: Vec<String>,
    /// The note of a no that the agent has to hear; nothing where the answer was yes, or a no without one that waits for it.
    no: Option<String>,
    /// `yes` or `no`.
    said: String,
    by: ApprovalChannel,
    pub(super) at: i64,
    /// The call that heard the no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    heard: Option<ApprovalUse>,
}

impl ClosedQuestion {
    pub(super) fn yes(open: &OpenQuestion, by: ApprovalChannel, at: i64) -> Self {
        Self {
            code: open.code.clone(),
            about: open.about.clone(),
            keys: open.asked.iter().map(|put| put.key.clone()).collect(),
            no: None,
            said: "yes".to_owned(),
            by,
            at,
            heard: None,
        }
    }

    /// A no is heard by who waits for it, and by the next try if there is something to hear.
    pub(super) fn no(open: &OpenQuestion, note: &str, by: ApprovalChannel, at: i64) -> Self {
        let note: String = note.trim().chars().take(LONGEST_NOTE).collect();
        let is_heard = !note.is_empty() || !open.waiters.is_empty();
        Self {
            no: is_heard.then_some(note),
            said: "no".to_owned(),
            ..Self::yes(open, by, at)
        }
    }

    /// Says what became of the question.
    pub(super) fn words(&self) -> String {
        format!("{}, by {}", self.said, self.by.words())
    }

    /// Returns the note of a no to one of these questions, once: the call that hears it may be told of twice.
    pub(super) fn hear(
        &mut self,
        keys: &[&str],
        whose: ApprovalClaim<'_>,
        now: i64,
    ) -> Option<String> {
        let is_asked = self.keys.iter().any(|key| keys.contains(&&**key));
        if !is_asked || !whose.has_a_right(&self.about, self.heard.as_ref(), now) {
            return None;
        }
        let note = self.no.clone()?;
        self.heard.get_or_insert_with(|| whose.used(now));
        Some(note)
    }
}
