//! The result: the answer of one hook and the answer of all hooks together have the same type.
//!
//! A [`HookResult`] is a verdict (the gravest wins) and effects (all accumulate). Folding is one associative operation,
//! [`HookResult::then`], with [`HookResult::default`] as its identity.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use crate::effects::{
    EffectLists, Effects, Injection, Level, Lifetime, NativeAnswer, Notice, Placement, Rewrite,
    RewriteFallback, Role,
};
use crate::event::{Datum, Map};
pub use crate::id::HookId;
use crate::question::Question;
use crate::words::words;

/// A verdict and its effects; 32 bytes, and nothing on the heap for a hook that has nothing to say.
///
/// ```
/// use anyhook_core::result::{HookResult, Kind};
/// let both = HookResult::deny("no secrets").then(HookResult::default().inject("lint: 2 errors"));
/// assert_eq!(both.verdict.kind(), Kind::Deny);
/// assert_eq!(both.effects.inject().len(), 1);
/// ```
///
/// Each verdict has a constructor, from the lightest to the gravest, and each effect a method that adds to what was said:
///
/// ```
/// use anyhook_core::question::{Question, DefaultAnswer};
/// use anyhook_core::result::{HookResult, Injection, Kind, Level, Notice};
/// use serde_json::{Map, json};
///
/// let patient = Question { default: DefaultAnswer::Allow, ..Question::new("push to `main`?") };
/// let all = [
///     HookResult::proceed(),
///     HookResult::allow(),
///     HookResult::allow_because("it reads one file of the project"),
///     HookResult::ask("push to `main`?"),
///     HookResult::asks(patient),
///     HookResult::deny("deploys are frozen until Monday; open a pull request instead"),
///     HookResult::halt("the budget of this session is spent"),
/// ];
/// assert!(all.is_sorted_by_key(|said| said.verdict.kind()));
///
/// let said = HookResult::proceed()
///     .modify("tool_input", json!({"command": "pnpm install"}))
///     .remove("draft")
///     .inject("this project uses pnpm")
///     .injecting(Injection::new("two files do not parse yet").ephemeral())
///     .notify("npm became pnpm")
///     .notifying(Notice::new("the linter is not installed").at(Level::Warning))
///     .native("claude-code", Map::from_iter([("sessionTitle".into(), json!("Install"))]))
///     .reply(json!({"score": 7}))
///     .quiet();
/// assert_eq!(said.verdict.kind(), Kind::Continue);
/// assert!(!said.is_identity());
/// assert_eq!(said.effects.rewrite("draft").unwrap().value, None);
/// assert_eq!(said.effects.inject().len() + said.effects.notify().len(), 4);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HookResult {
    /// What is to become of the action.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Everything else that was said.
    #[serde(default, skip_serializing_if = "Effects::is_empty")]
    pub effects: Effects,
}

/// What is to become of the action, from the lightest to the gravest.
///
/// Of two verdicts the graver stands; equal ones keep all that either said.
///
/// ```
/// use anyhook_core::result::{HookResult, Kind, Reason, Verdict};
///
/// let refused = |text| HookResult::deny(text).verdict;
/// let asked = HookResult::ask("write `.env`?").verdict;
/// assert_eq!(asked.questions().len(), 1);
///
/// let all = asked.then(refused("`.env` holds secrets")).then(refused("deploys are frozen"));
/// assert_eq!(all.kind(), Kind::Deny);
/// assert_eq!(all.text(), "`.env` holds secrets\ndeploys are frozen");
/// assert_eq!(all.reasons()[0], Reason::new("`.env` holds secrets"));
/// assert!(matches!(Verdict::default(), Verdict::Continue));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing to say.
    #[default]
    Continue,
    /// Approved: the host's own prompt may be skipped.
    Allow {
        /// Who approved, and why; at least one.
        reasons: Reasons,
    },
    /// A person has to decide.
    Ask {
        /// Every question; at least one.
        questions: Box<[Question]>,
    },
    /// Refused.
    Deny {
        /// Why, the leading reason first; at least one.
        reasons: Reasons,
    },
    /// Refused, and the agent stops.
    Halt {
        /// Why, the leading reason first; at least one.
        reasons: Reasons,
    },
}

/// Why, in the order in which it was said.
///
/// At least one: a refusal never comes without a word.
///
/// ```
/// use anyhook_core::result::{Reason, Reasons, Verdict};
///
/// let reasons: Reasons = [Reason::new("deploys are frozen")].into();
/// assert_eq!(Verdict::Deny { reasons }.text(), "deploys are frozen");
/// ```
pub type Reasons = Box<[Reason]>;

/// One reason: text for a model that says what rule, why, and what to do instead.
///
/// ```
/// use anyhook_core::result::{HookResult, Reason, Verdict};
///
/// let reason = Reason {
///     code: Some("frozen".into()),
///     detail: Some(serde_json::json!({"until": "Monday"})),
///     ..Reason::new("deploys are frozen; open a pull request instead")
/// };
/// let said = HookResult::from(Verdict::Deny { reasons: [reason].into() });
/// assert_eq!(said.verdict.reasons()[0].code.as_deref(), Some("frozen"));
/// // Which hook said it is for the dispatch to say, not for the hook.
/// assert_eq!(said.verdict.reasons()[0].by, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reason {
    /// The text; may be empty for an approval.
    pub text: Box<str>,
    /// A stable code for machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Box<str>>,
    /// What belongs to the reason and is no text, such as the corrected value of a refused rewrite.
    #[serde(
        default,
        deserialize_with = "crate::event::given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub detail: Option<serde_json::Value>,
    /// The hook that said it; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

impl Reason {
    /// Makes a reason from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into().into(),
            ..Self::default()
        }
    }
}

/// The kind of a verdict, without what it carries; ordered by gravity.
///
/// ```
/// use anyhook_core::result::Kind;
///
/// let ladder = [Kind::Continue, Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt];
/// assert!(ladder.is_sorted());
/// assert_eq!(ladder.map(Kind::as_str), ["continue", "allow", "ask", "deny", "halt"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Nothing to say.
    Continue,
    /// Approved.
    Allow,
    /// A person decides.
    Ask,
    /// Refused.
    Deny,
    /// Refused, and the agent stops.
    Halt,
}

words!(Kind { Continue = "continue", Allow = "allow", Ask = "ask", Deny = "deny", Halt = "halt" });

impl Verdict {
    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Continue => Kind::Continue,
            Self::Allow { .. } => Kind::Allow,
            Self::Ask { .. } => Kind::Ask,
            Self::Deny { .. } => Kind::Deny,
            Self::Halt { .. } => Kind::Halt,
        }
    }

    /// Returns the reasons of an approval or a refusal.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Allow { reasons } | Self::Deny { reasons } | Self::Halt { reasons } => reasons,
            Self::Continue | Self::Ask { .. } => &[],
        }
    }

    /// Returns the questions of an ask.
    pub fn questions(&self) -> &[Question] {
        match self {
            Self::Ask { questions } => questions,
            Self::Continue | Self::Allow { .. } | Self::Deny { .. } | Self::Halt { .. } => &[],
        }
    }

    /// Joins the texts of all reasons, or of all questions, with line breaks.
    pub fn text(&self) -> String {
        let reasons = self.reasons().iter().map(|r| &*r.text);
        let questions = self.questions().iter().map(|q| &*q.prompt);
        let said: Vec<&str> = reasons.chain(questions).filter(|t| !t.is_empty()).collect();
        said.join("\n")
    }

    /// Folds a later verdict in: the graver wins, and of equals nothing is dropped.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        match (self, later) {
            (Self::Allow { reasons: a }, Self::Allow { reasons: b }) => Self::Allow {
                reasons: both(a, b),
            },
            (Self::Ask { questions: a }, Self::Ask { questions: b }) => Self::Ask {
                questions: both(a, b),
            },
            (Self::Deny { reasons: a }, Self::Deny { reasons: b }) => Self::Deny {
                reasons: both(a, b),
            },
            (Self::Halt { reasons: a }, Self::Halt { reasons: b }) => Self::Halt {
                reasons: both(a, b),
            },
            (earlier, later) if later.kind() > earlier.kind() => later,
            (earlier, _) => earlier,
        }
    }
}

fn both<T>(a: Box<[T]>, b: Box<[T]>) -> Box<[T]> {
    let mut all = Vec::from(a);
    all.extend(Vec::from(b));
    all.into()
}

impl HookResult {
    /// Has nothing to say: the identity of [`HookResult::then`].
    pub fn proceed() -> Self {
        Self::default()
    }

    /// Approves: a host may skip its own prompt. A hook that only has no objection says [`HookResult::proceed`].
    pub fn allow() -> Self {
        Self::allow_because("")
    }

    /// Approves, and says why.
    pub fn allow_because(reason: impl Into<String>) -> Self {
        Self::from(Verdict::Allow {
            reasons: [Reason::new(reason)].into(),
        })
    }

    /// Refuses. The reason is for the model: what rule, why, and what to do instead.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::from(Verdict::Deny {
            reasons: [Reason::new(reason)].into(),
        })
    }

    /// Refuses, and stops the agent.
    pub fn halt(reason: impl Into<String>) -> Self {
        Self::from(Verdict::Halt {
            reasons: [Reason::new(reason)].into(),
        })
    }

    /// Asks a person.
    pub fn ask(prompt: impl Into<String>) -> Self {
        Self::asks(Question::new(prompt))
    }

    /// Asks a person, with choices, patience and default of the question.
    pub fn asks(question: Question) -> Self {
        Self::from(Verdict::Ask {
            questions: [question].into(),
        })
    }

    /// Replaces a field of the event's data, as a whole. A later hook sees the new value.
    #[must_use]
    pub fn modify(self, field: impl Into<Cow<'static, str>>, value: impl Into<Datum>) -> Self {
        self.rewriting(field.into(), Some(value.into()))
    }

    /// Removes a field of the event's data.
    #[must_use]
    pub fn remove(self, field: impl Into<Cow<'static, str>>) -> Self {
        self.rewriting(field.into(), None)
    }

    fn rewriting(mut self, field: Cow<'static, str>, value: Option<Datum>) -> Self {
        let patch = &mut self.effects.edit().patch;
        // Most hooks rewrite one field, and a list that grows by itself begins with room for four.
        patch.reserve_exact(1);
        patch.push(Rewrite {
            field,
            value,
            if_unsayable: RewriteFallback::Deny,
            by: None,
        });
        self
    }

    /// Tells the model something.
    #[must_use]
    pub fn inject(self, text: impl Into<String>) -> Self {
        self.injecting(Injection::new(text))
    }

    /// Tells the model something, with role, lifetime and place.
    #[must_use]
    pub fn injecting(mut self, injection: Injection) -> Self {
        self.effects.edit().inject.push(injection);
        self
    }

    /// Tells the person something.
    #[must_use]
    pub fn notify(self, text: impl Into<String>) -> Self {
        self.notifying(Notice::new(text))
    }

    /// Tells the person something, with its level.
    #[must_use]
    pub fn notifying(mut self, notice: Notice) -> Self {
        self.effects.edit().notify.push(notice);
        self
    }

    /// Adds an answer that only one host has, by the host's id; said to it verbatim, and a loss anywhere else.
    #[must_use]
    pub fn native(mut self, wire: impl Into<Cow<'static, str>>, fields: Map) -> Self {
        self.effects.edit().native.push(NativeAnswer {
            wire: wire.into(),
            fields,
            by: None,
        });
        self
    }

    /// Answers a program that collects answers: data that only `emit_and_collect` reads.
    #[must_use]
    pub fn reply(mut self, data: impl Into<Datum>) -> Self {
        self.effects.edit().reply = Some(data.into());
        self
    }

    /// Hides the hook's own output from the person, and nothing else.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.effects.edit().suppress_output = true;
        self
    }

    /// Tells whether nothing at all was said.
    #[inline]
    pub fn is_identity(&self) -> bool {
        matches!(self.verdict, Verdict::Continue) && self.effects.is_empty()
    }

    /// Folds a later result in. Associative, with [`HookResult::default`] as identity.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            verdict: self.verdict.then(later.verdict),
            effects: self.effects.then(later.effects),
        }
    }

    /// Stamps the hook that said it on everything it says.
    pub fn stamp(&mut self, by: HookId) {
        match &mut self.verdict {
            Verdict::Continue => {}
            Verdict::Allow { reasons } | Verdict::Deny { reasons } | Verdict::Halt { reasons } => {
                reasons.iter_mut().for_each(|r| r.by = Some(by));
            }
            Verdict::Ask { questions } => questions.iter_mut().for_each(|q| q.by = Some(by)),
        }
        self.effects.stamp(by);
    }
}

impl From<Verdict> for HookResult {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            effects: Effects::default(),
        }
    }
}
