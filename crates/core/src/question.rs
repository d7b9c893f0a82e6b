//! The question that a hook asks a person, and the answers that the person may give.
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::question::{Choice, Grants, Question, AnswerLifetime, DefaultAnswer, Answerer};
//! use anyhook_core::result::HookResult;
//!
//! let choice = |label: &str, grants, remember| Choice { label: label.into(), grants, remember };
//! let question = Question {
//!     options: vec![
//!         choice("Push", Grants::Proceed, AnswerLifetime::Once),
//!         choice("Push, and do not ask again today", Grants::Allow, AnswerLifetime::Session),
//!         choice("No", Grants::Deny, AnswerLifetime::Once),
//!     ],
//!     timeout: Duration::from_secs(60),
//!     default: DefaultAnswer::Deny,
//!     who: Answerer::Anyone,
//!     ..Question::new("Push 3 commits to `main`?")
//! };
//! let said = HookResult::asks(question);
//! assert_eq!(said.verdict.questions()[0].options.len(), 3);
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::HookId;

/// One question to a person. Several questions on one event are all put, in one dialog.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_core::question::{Question, DefaultAnswer, Answerer};
///
/// let plain = Question::new("write `.env`?");
/// assert!(plain.options.is_empty(), "which means Allow and Deny");
/// assert_eq!(
///     (plain.timeout, plain.default, plain.who),
///     (Duration::from_secs(300), DefaultAnswer::Deny, Answerer::Anyone)
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Question {
    /// What is asked, in words that stand on their own.
    pub prompt: Box<str>,
    /// The choices, in order; empty means Allow and Deny.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// How long to wait for the person; 300 seconds unless told.
    #[serde(with = "seconds", default = "Question::patience")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub timeout: Duration,
    /// The answer that holds when none comes in time; deny unless told.
    #[serde(default)]
    pub default: DefaultAnswer,
    /// Who may answer.
    #[serde(default)]
    pub who: Answerer,
    /// The hook that asks; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

impl Question {
    /// Makes a question with the default choices, 300 seconds, and deny where no answer comes.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into().into(),
            options: Vec::new(),
            timeout: Self::patience(),
            default: DefaultAnswer::Deny,
            who: Answerer::Anyone,
            by: None,
        }
    }

    fn patience() -> Duration {
        Duration::from_mins(5)
    }

    /// Returns the choices that a person has: those of the question, or Allow and Deny.
    ///
    /// ```
    /// use anyhook_core::question::Question;
    ///
    /// let labels: Vec<Box<str>> =
    ///     Question::new("push?").choices().into_iter().map(|choice| choice.label).collect();
    /// assert_eq!(labels, ["Allow".into(), "Deny".into()]);
    /// ```
    pub fn choices(&self) -> Vec<Choice> {
        if self.options.is_empty() {
            return ["Allow", "Deny"].map(Choice::labelled).into();
        }
        self.options.clone()
    }

    /// Reads the label that a person chose, without regard to case and to spaces around it. A label that is none of the
    /// choices denies.
    ///
    /// ```
    /// use anyhook_core::question::{Answer, Choice, Question};
    ///
    /// let options = ["Allow once", "Allow always", "Deny"].map(Choice::labelled).into();
    /// let question = Question { options, ..Question::new("push?") };
    /// assert_eq!(question.chose(" allow always "), Answer::Chose(1));
    /// assert_eq!(question.chose("Approve"), Answer::Deny);
    /// ```
    pub fn chose(&self, label: &str) -> Answer {
        let label = label.trim();
        let choices = self.choices();
        let exact = choices.iter().position(|choice| &*choice.label == label);
        let wanted = label.to_lowercase();
        let like = || {
            let mut all = choices.iter();
            all.position(|choice| choice.label.trim().to_lowercase() == wanted)
        };
        let at = exact.or_else(like).and_then(|at| u16::try_from(at).ok());
        at.map_or(Answer::Deny, Answer::Chose)
    }
}

/// One choice of a question. A label that was not declared denies.
///
/// ```
/// use anyhook_core::question::{Choice, Grants, AnswerLifetime};
///
/// // Three labels mean something by themselves.
/// let meant = |label| {
///     let Choice { grants, remember, .. } = Choice::labelled(label);
///     (grants, remember)
/// };
/// assert_eq!(meant("Allow"), (Grants::Proceed, AnswerLifetime::Once));
/// assert_eq!(meant("Allow once"), (Grants::Proceed, AnswerLifetime::Once));
/// assert_eq!(meant("ALLOW ALWAYS"), (Grants::Proceed, AnswerLifetime::Session));
/// assert_eq!(meant("Approve"), (Grants::Deny, AnswerLifetime::Once));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Choice {
    /// What the person reads.
    pub label: Box<str>,
    /// What choosing it means.
    pub grants: Grants,
    /// How long the answer holds.
    #[serde(default)]
    pub remember: AnswerLifetime,
}

impl Choice {
    /// Makes a choice of a label alone: Allow, Allow once and Allow always let the action go on, whatever their case, and
    /// every other label denies.
    pub fn labelled(label: &str) -> Self {
        let (grants, remember) = match &*label.to_lowercase() {
            "allow" | "allow once" => (Grants::Proceed, AnswerLifetime::Once),
            "allow always" => (Grants::Proceed, AnswerLifetime::Session),
            _ => (Grants::Deny, AnswerLifetime::Once),
        };
        Self {
            label: label.into(),
            grants,
            remember,
        }
    }
}

/// What a choice means for the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Grants {
    /// The question is settled; the host still decides for itself.
    Proceed,
    /// The question is settled, and the host's own prompt is skipped.
    Allow,
    /// The action is refused.
    Deny,
}

/// How long an answer holds. Never by prefix: by the exact final action and the hook's definition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnswerLifetime {
    /// For this one action.
    #[default]
    Once,
    /// Until the session ends.
    Session,
    /// On disk.
    Always,
}

/// A question's answer where no person gave one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DefaultAnswer {
    /// Proceed as if allowed once.
    Allow,
    /// Refuse.
    #[default]
    Deny,
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answerer {
    /// The host, or an approver of ours.
    #[default]
    Anyone,
    /// Only the host (`defer`).
    Host,
}

/// What an approver answered. [`Answer::Defer`] is no answer: the next approver is asked, and with none left to ask it
/// is a refusal.
///
/// ```
/// use anyhook_core::question::Answer;
///
/// // The words as they are stored and sent.
/// let words =
///     [Answer::AllowOnce, Answer::AllowSession, Answer::AllowAlways, Answer::Deny, Answer::Defer]
///         .map(|answer| serde_json::to_value(answer).unwrap());
/// assert_eq!(words, ["allow_once", "allow_session", "allow_always", "deny", "defer"]);
/// let others = [Answer::Chose(1), Answer::TimedOut, Answer::Failed]
///     .map(|answer| serde_json::to_string(&answer).unwrap());
/// assert_eq!(others, [r#"{"chose":1}"#, r#""timed_out""#, r#""failed""#]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes, this once.
    AllowOnce,
    /// Yes, until the session ends.
    AllowSession,
    /// Yes, from now on.
    AllowAlways,
    /// No.
    Deny,
    /// The choice with this index among [`Question::choices`]; one that is not there is a refusal.
    Chose(u16),
    /// No answer came in time: the question's default holds.
    TimedOut,
    /// The asking failed: the question's default holds.
    Failed,
    /// This approver cannot put the question.
    Defer,
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}
