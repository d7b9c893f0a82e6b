//! What a hook asks a person, and what the person may answer (D19).
//!
//! ```
//! use std::time::Duration;
//!
//! use anyhook_core::question::{Choice, Grants, Question, Remember, Settled, Who};
//! use anyhook_core::result::HookResult;
//!
//! let choice = |label: &str, grants, remember| Choice { label: label.into(), grants, remember };
//! let question = Question {
//!     options: vec![
//!         choice("Push", Grants::Proceed, Remember::Once),
//!         choice("Push, and do not ask again today", Grants::Allow, Remember::Session),
//!         choice("No", Grants::Deny, Remember::Once),
//!     ],
//!     timeout: Duration::from_secs(60),
//!     default: Settled::Deny,
//!     who: Who::Anyone,
//!     ..Question::new("Push 3 commits to `main`?")
//! };
//! let said = HookResult::asks(question);
//! assert_eq!(said.verdict.questions()[0].options.len(), 3);
//! ```

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::result::HookId;

/// One question to a person. Several questions on one event are all put, in one dialog.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_core::question::{Question, Settled, Who};
///
/// let plain = Question::new("write `.env`?");
/// assert!(plain.options.is_empty(), "which means Allow and Deny");
/// assert_eq!(
///     (plain.timeout, plain.default, plain.who),
///     (Duration::from_secs(300), Settled::Deny, Who::Anyone)
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// What is asked, in words that stand on their own.
    pub prompt: Box<str>,
    /// The choices, in order; empty means Allow and Deny.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// How long to wait for the person; 300 seconds unless told.
    #[serde(with = "seconds", default = "Question::patience")]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub timeout: Duration,
    /// What holds when nobody answers in time; deny unless told.
    #[serde(default)]
    pub default: Settled,
    /// Who may answer.
    #[serde(default)]
    pub who: Who,
    /// The hook that asks; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

impl Question {
    /// Makes a question with the default choices, 300 seconds, and deny where nobody answers.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into().into(),
            options: Vec::new(),
            timeout: Self::patience(),
            default: Settled::Deny,
            who: Who::Anyone,
            by: None,
        }
    }

    fn patience() -> Duration {
        Duration::from_mins(5)
    }
}

/// One choice of a question. A label that nobody declared denies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    /// What the person reads.
    pub label: Box<str>,
    /// What choosing it means.
    pub grants: Grants,
    /// How long the answer holds.
    #[serde(default)]
    pub remember: Remember,
}

/// What a choice means for the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Remember {
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// Proceed as if allowed once.
    Allow,
    /// Refuse.
    #[default]
    Deny,
}

/// Who may answer a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// The host, or an approver of ours.
    #[default]
    Anyone,
    /// Only the host (`defer`).
    Host,
}

/// What an approver answered. [`Answer::Defer`] is no answer: the next approver is asked, and with nobody left to ask it
/// is a refusal (D19).
///
/// ```
/// use anyhook_core::question::Answer;
///
/// // The words as they are stored and sent.
/// let words =
///     [Answer::AllowOnce, Answer::AllowSession, Answer::AllowAlways, Answer::Deny, Answer::Defer]
///         .map(|answer| serde_json::to_value(answer).unwrap());
/// assert_eq!(words, ["allow_once", "allow_session", "allow_always", "deny", "defer"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
