//! The decision about one question, and who made it.

use anyhook_core::ports::Asks;
use anyhook_core::question::{Answer, Grants, Remember, Settled};
use anyhook_core::result::{HookId, Reason};

/// The answer to one question of one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The hook that asked.
    pub hook: String,
    /// Its place among the hooks that were asked.
    pub by: Option<HookId>,
    /// What it asked.
    pub prompt: String,
    /// What the answer gives.
    pub grants: Grants,
    /// How long it holds.
    pub lasts: Remember,
    /// Where it comes from.
    pub via: Via,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// A person approved the very same action before.
    Before,
    /// An approver answered now.
    Person,
    /// No person answered in time: it is the question's default.
    TimedOut,
    /// The question could not be put: it is the question's default.
    Failed,
}

impl Decision {
    /// Makes the decision about a question of a hook that gives this, for so long.
    pub(super) fn new(asks: &Asks<'_>, grants: Grants, lasts: Remember, via: Via) -> Self {
        Self {
            hook: asks.hook.to_owned(),
            by: asks.question.by,
            prompt: asks.question.prompt.to_string(),
            grants,
            lasts,
            via,
        }
    }

    /// Reads an approver's answer; nothing where it defers.
    pub(super) fn of(asks: &Asks<'_>, answer: Answer) -> Option<Self> {
        let by_default = match asks.question.default {
            Settled::Allow => (Grants::Proceed, Remember::Once),
            Settled::Deny => (Grants::Deny, Remember::Once),
        };
        let ((grants, lasts), via) = match answer {
            Answer::AllowOnce => ((Grants::Proceed, Remember::Once), Via::Person),
            // For always only on disk, by `anyhook approve --for always`.
            Answer::AllowSession | Answer::AllowAlways => {
                ((Grants::Proceed, Remember::Session), Via::Person)
            }
            Answer::Deny => ((Grants::Deny, Remember::Once), Via::Person),
            Answer::Chose(at) => (chosen(asks, at), Via::Person),
            Answer::TimedOut => (by_default, Via::TimedOut),
            Answer::Failed => (by_default, Via::Failed),
            Answer::Defer => return None,
        };
        Some(Self::new(asks, grants, lasts, via))
    }

    /// Says why the action is refused.
    pub(super) fn refusal(&self) -> Reason {
        let why = match self.via {
            Via::Before | Via::Person => "A person refused this",
            Via::TimedOut => "No answer came in time, so this is refused",
            Via::Failed => "The person could not be asked, so this is refused",
        };
        let mut reason = Reason::new(format!("{why}: {}", self.prompt));
        reason.by = self.by;
        reason
    }
}

/// What a choice gives. One that the question does not have gives nothing.
fn chosen(asks: &Asks<'_>, at: u16) -> (Grants, Remember) {
    let choices = asks.question.choices();
    let choice = choices.get(usize::from(at));
    choice.map_or((Grants::Deny, Remember::Once), |choice| {
        (choice.grants, choice.remember.min(Remember::Session))
    })
}
