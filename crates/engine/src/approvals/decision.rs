//! The decision about one question, and who made it.

use anyhook_core::ports::DialogQuestion;
use anyhook_core::question::{Answer, AnswerLifetime, DefaultAnswer, Grants};
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
    pub lasts: AnswerLifetime,
    /// Where it comes from.
    pub via: DecisionSource,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionSource {
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
    pub(super) fn new(
        asks: &DialogQuestion<'_>,
        grants: Grants,
        lasts: AnswerLifetime,
        via: DecisionSource,
    ) -> Self {
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
    pub(super) fn of(asks: &DialogQuestion<'_>, answer: Answer) -> Option<Self> {
        let by_default = match asks.question.default {
            DefaultAnswer::Allow => (Grants::Proceed, AnswerLifetime::Once),
            DefaultAnswer::Deny => (Grants::Deny, AnswerLifetime::Once),
        };
        let ((grants, lasts), via) = match answer {
            Answer::AllowOnce => (
                (Grants::Proceed, AnswerLifetime::Once),
                DecisionSource::Person,
            ),
            // For always only on disk, by `anyhook approve --for always`.
            Answer::AllowSession | Answer::AllowAlways => (
                (Grants::Proceed, AnswerLifetime::Session),
                DecisionSource::Person,
            ),
            Answer::Deny => ((Grants::Deny, AnswerLifetime::Once), DecisionSource::Person),
            Answer::Chose(at) => (chosen(asks, at), DecisionSource::Person),
            Answer::TimedOut => (by_default, DecisionSource::TimedOut),
            Answer::Failed => (by_default, DecisionSource::Failed),
            Answer::Defer => return None,
        };
        Some(Self::new(asks, grants, lasts, via))
    }

    /// Says why the action is refused.
    pub(super) fn refusal(&self) -> Reason {
        let why = match self.via {
            DecisionSource::Before | DecisionSource::Person => "A person refused this",
            DecisionSource::TimedOut => "No answer came in time, so this is refused",
            DecisionSource::Failed => "The person could not be asked, so this is refused",
        };
        let mut reason = Reason::new(format!("{why}: {}", self.prompt));
        reason.by = self.by;
        reason
    }
}

/// What a choice gives. One that the question does not have gives nothing.
fn chosen(asks: &DialogQuestion<'_>, at: u16) -> (Grants, AnswerLifetime) {
    let choices = asks.question.choices();
    let choice = choices.get(usize::from(at));
    choice.map_or((Grants::Deny, AnswerLifetime::Once), |choice| {
        (choice.grants, choice.remember.min(AnswerLifetime::Session))
    })
}
