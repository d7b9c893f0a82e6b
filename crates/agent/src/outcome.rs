//! The outcome of a run.

use anyhook::core::result::Reason;
use serde_json::Value;

use crate::provider::TokenUsage;

/// What a run came to.
///
/// ```
/// use anyhook_agent::outcome::{Finish, RunOutcome};
/// let outcome = RunOutcome { finish: Finish::Stop, text: "done".into(), ..RunOutcome::default() };
/// assert!(outcome.finish.is_good());
/// assert_eq!(outcome.finish.as_str(), "stop");
/// assert_eq!(Finish::Turns(50).told(), "the model was asked 50 times, which is the most for one prompt");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// Why it ended.
    pub finish: Finish,
    /// The model's last words.
    pub text: String,
    /// How often the model was asked.
    pub turns: u32,
    /// What it took.
    pub usage: TokenUsage,
}

/// Why a run ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Finish {
    /// The model had nothing more to do.
    #[default]
    Stop,
    /// A hook took what there was as the result (ATH-26).
    Submitted(Value),
    /// A hook refused the prompt.
    Refused(String),
    /// A hook refused what was to be sent to the model.
    Denied(String),
    /// A hook or the approver ended it.
    Halted(String),
    /// The person ended it.
    Cancelled,
    /// The model was asked so often.
    Turns(u32),
    /// The same call was refused again and again.
    Denials(String),
    /// The provider failed.
    Provider(String),
    /// A hook wrote what cannot be sent.
    Unsendable(String),
}

impl Finish {
    /// Returns the word that hooks read.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Submitted(_) => "submitted",
            Self::Refused(_) | Self::Denied(_) | Self::Halted(_) => "error_halted",
            Self::Cancelled => "error_cancelled",
            Self::Turns(_) => "error_max_turns",
            Self::Denials(_) => "error_consecutive_mistakes",
            Self::Provider(_) | Self::Unsendable(_) => "error_during_execution",
        }
    }

    /// Returns whether the work was done.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Stop | Self::Submitted(_))
    }

    /// Returns whether the loop itself failed, and neither a hook nor a person ended it.
    pub(crate) fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Turns(_) | Self::Denials(_) | Self::Provider(_) | Self::Unsendable(_)
        )
    }

    /// Returns what happened, for a person.
    pub fn told(&self) -> String {
        match self {
            Self::Stop => "done".into(),
            Self::Submitted(what) => format!("submitted: {what}"),
            Self::Refused(why) => format!("the prompt was refused: {why}"),
            Self::Denied(why) => format!("the request to the model was refused: {why}"),
            Self::Halted(why) => format!("halted: {why}"),
            Self::Cancelled => "cancelled".into(),
            Self::Turns(most) => {
                format!("the model was asked {most} times, which is the most for one prompt")
            }
            Self::Denials(call) => format!("the same call was refused again and again: {call}"),
            Self::Provider(why) => format!("the provider failed: {why}"),
            Self::Unsendable(why) => format!("a hook wrote what cannot be sent: {why}"),
        }
    }

    /// Reads why a hook ended the run: one that says `submitted` ended it well.
    pub(crate) fn halted(reasons: &[Reason], text: String) -> Self {
        let submitted = reasons
            .iter()
            .find(|reason| reason.code.as_deref() == Some("submitted"));
        match submitted {
            Some(reason) => Self::Submitted(reason.detail.clone().unwrap_or(Value::Null)),
            None => Self::Halted(text),
        }
    }
}
