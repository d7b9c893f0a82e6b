//! The effects of an answer besides its verdict: rewrites, texts for the model and for the person, native answers.
//!
//! Nothing said here changes the verdict, and no verdict takes away what is said here: effects of all hooks accumulate.
//!
//! ```
//! use anyhook_core::effects::{RewriteFallback, Level, Lifetime, Placement, Role};
//! use anyhook_core::effects::{Injection, Notice};
//! use anyhook_core::result::HookResult;
//!
//! let reminder = Injection {
//!     role: Role::User,
//!     place: Placement::LastToolResult,
//!     ..Injection::new("the tests are red since your last edit").ephemeral()
//! };
//! assert_eq!(reminder.lifetime, Lifetime::Ephemeral);
//!
//! let mut said = HookResult::deny("fix the tests first")
//!     .modify("tool_input", "a cosmetic change")
//!     .injecting(reminder)
//!     .notifying(Notice::new("a refusal").at(Level::Warning));
//! // Where the host cannot take this rewrite, it is dropped and the action is not refused for it.
//! said.effects.edit().patch[0].if_unsayable = RewriteFallback::Drop;
//! assert_eq!(said.effects.notify()[0].level, Level::Warning);
//! ```

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::event::{Datum, Map};
use crate::id::HookId;

/// What was said besides the verdict. One null pointer when there is nothing; a box with nothing in it counts as that.
///
/// ```
/// use anyhook_core::effects::{Effects, EffectLists};
/// use anyhook_core::result::HookResult;
/// use serde_json::{Map, json};
///
/// let nothing = Effects::default();
/// assert!(nothing.is_empty() && nothing.get().is_none());
///
/// let mut all = HookResult::proceed()
///     .modify("tool_input", "first")
///     .modify("tool_input", "second")
///     .inject("two files changed")
///     .notify("one was formatted")
///     .native("claude-code", Map::new())
///     .effects;
/// assert_eq!(all.patch().len(), 2);
/// // Of one field the last rewrite holds.
/// assert_eq!(all.rewrite("tool_input").unwrap().value, Some(json!("second").into()));
/// assert_eq!((all.inject().len(), all.notify().len(), all.native().len()), (1, 1, 1));
///
/// // Taking everything out again leaves what is equal to never having spoken.
/// *all.edit() = EffectLists::default();
/// assert_eq!(all, nothing);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Effects(Option<Box<EffectLists>>);

/// The effects themselves. Every list is in the order in which it was said.
///
/// ```
/// use anyhook_core::effects::EffectLists;
/// use anyhook_core::result::HookResult;
/// use serde_json::json;
///
/// let said = HookResult::proceed().reply(json!([1, 2])).quiet().effects;
/// let EffectLists { patch, inject, reply, suppress_output, .. } = said.get().unwrap();
/// assert!(patch.is_empty() && inject.is_empty() && *suppress_output);
/// assert_eq!(reply, &Some(json!([1, 2]).into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct EffectLists {
    /// Whole-field replacements; of one field the last holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patch: Vec<Rewrite>,
    /// Texts for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inject: Vec<Injection>,
    /// Texts for the person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notify: Vec<Notice>,
    /// Answers that only one host has, verbatim.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub native: Vec<NativeAnswer>,
    /// Data for a program that collects answers; the last holds.
    #[serde(
        deserialize_with = "crate::event::given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub reply: Option<Datum>,
    /// Hides the hook's own output, and nothing else.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suppress_output: bool,
}

impl Effects {
    /// Tells whether nothing was said.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.get()
            .is_none_or(|given| *given == EffectLists::default())
    }

    /// Returns what was given, if anything.
    #[inline]
    pub fn get(&self) -> Option<&EffectLists> {
        self.0.as_deref()
    }

    /// Returns what was given, to be changed. Where nothing was, this makes the room for it.
    pub fn edit(&mut self) -> &mut EffectLists {
        self.0.get_or_insert_default()
    }

    /// Returns the rewrites.
    pub fn patch(&self) -> &[Rewrite] {
        self.get().map_or(&[], |given| &given.patch)
    }

    /// Returns the injections.
    pub fn inject(&self) -> &[Injection] {
        self.get().map_or(&[], |given| &given.inject)
    }

    /// Returns the notices.
    pub fn notify(&self) -> &[Notice] {
        self.get().map_or(&[], |given| &given.notify)
    }

    /// Returns the native answers.
    pub fn native(&self) -> &[NativeAnswer] {
        self.get().map_or(&[], |given| &given.native)
    }

    /// Returns the last rewrite of a field.
    pub fn rewrite(&self, field: &str) -> Option<&Rewrite> {
        self.patch()
            .iter()
            .rev()
            .find(|rewrite| rewrite.field == field)
    }

    /// Drops the box when nothing is left in it, so that equal effects are equal values.
    #[inline]
    pub(crate) fn tidy(&mut self) {
        if self.0.is_some() && self.is_empty() {
            self.0 = None;
        }
    }

    /// Stamps the hook that said it on everything.
    pub(crate) fn stamp(&mut self, by: HookId) {
        if let Some(given) = self.0.as_deref_mut() {
            given.patch.iter_mut().for_each(|r| r.by = Some(by));
            given.inject.iter_mut().for_each(|i| i.by = Some(by));
            given.notify.iter_mut().for_each(|n| n.by = Some(by));
            given.native.iter_mut().for_each(|n| n.by = Some(by));
        }
    }

    /// Folds later effects in; nothing is dropped.
    pub(crate) fn then(self, later: Self) -> Self {
        match (self.0, later.0) {
            (None, other) | (other, None) => Self(other),
            (Some(mut all), Some(mut later)) => {
                let EffectLists {
                    patch,
                    inject,
                    notify,
                    native,
                    reply,
                    suppress_output,
                } = &mut *later;
                all.patch.append(patch);
                all.inject.append(inject);
                all.notify.append(notify);
                all.native.append(native);
                if reply.is_some() {
                    all.reply = reply.take();
                }
                all.suppress_output |= *suppress_output;
                Self(Some(all))
            }
        }
    }
}

impl PartialEq for Effects {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.is_empty() && other.is_empty()
    }
}

impl From<Effects> for EffectLists {
    fn from(effects: Effects) -> Self {
        effects.0.map(|given| *given).unwrap_or_default()
    }
}

impl From<EffectLists> for Effects {
    fn from(given: EffectLists) -> Self {
        Self((given != EffectLists::default()).then(|| Box::new(given)))
    }
}

impl EffectLists {
    /// Keeps the last rewrite of each field: the others never happened.
    pub(crate) fn last_of_each(&mut self) {
        for rewrite in std::mem::take(&mut self.patch) {
            self.patch.retain(|earlier| earlier.field != rewrite.field);
            self.patch.push(rewrite);
        }
    }
}

/// One field, replaced as a whole.
///
/// ```
/// use anyhook_core::effects::{RewriteFallback, Rewrite};
/// use anyhook_core::result::HookResult;
///
/// let said = HookResult::proceed().modify("tool_input", "x").remove("draft");
/// let gone = Rewrite {
///     field: "draft".into(),
///     value: None,
///     if_unsayable: RewriteFallback::Deny,
///     by: None,
/// };
/// assert_eq!(said.effects.patch()[1], gone);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rewrite {
    /// The field's name in the event's data.
    pub field: Cow<'static, str>,
    /// The new value; nothing means that the field goes away. In JSON `null` is a value, and an absent one is nothing.
    #[serde(
        default,
        deserialize_with = "crate::event::given",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub value: Option<Datum>,
    /// What becomes of it where a host cannot say it.
    #[serde(default)]
    pub if_unsayable: RewriteFallback,
    /// The hook that said it; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

/// What becomes of a rewrite that a host cannot say.
///
/// ```
/// use anyhook_core::can::Capabilities;
/// use anyhook_core::effects::RewriteFallback;
/// use anyhook_core::result::{HookResult, Kind};
/// use anyhook_core::taxonomy::Class;
///
/// // On a host that takes no rewrites, what becomes of one is the hook's to say.
/// let verdict = |rule| {
///     let mut said = HookResult::proceed().modify("tool_input", "corrected");
///     said.effects.edit().patch[0].if_unsayable = rule;
///     said.fit(Class::Gate, &["tool_input"], &Capabilities::EVERYTHING).0.verdict.kind()
/// };
/// assert_eq!(verdict(RewriteFallback::Deny), Kind::Deny);
/// assert_eq!(verdict(RewriteFallback::Ask), Kind::Ask);
/// assert_eq!(verdict(RewriteFallback::Drop), Kind::Continue);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RewriteFallback {
    /// The action is refused, and the reason holds the corrected value.
    #[default]
    Deny,
    /// A person decides about the unmodified action.
    Ask,
    /// The rewrite is dropped: for cosmetic ones.
    Drop,
}

/// A text for the model.
///
/// ```
/// use anyhook_core::effects::{Injection, Lifetime, Placement, Role};
///
/// let plain = Injection::new("the branch is protected");
/// assert_eq!(
///     (plain.role, plain.lifetime, plain.place),
///     (Role::System, Lifetime::Stored, Placement::Message)
/// );
///
/// let once = Injection { name: Some("branch".into()), ..plain.ephemeral() };
/// assert_eq!(once.lifetime, Lifetime::Ephemeral);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Injection {
    /// What the model reads.
    pub text: Box<str>,
    /// As whom it is said.
    #[serde(default)]
    pub role: Role,
    /// Whether it stays in the conversation.
    #[serde(default)]
    pub lifetime: Lifetime,
    /// Where it goes.
    #[serde(default)]
    pub place: Placement,
    /// A name for the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Box<str>>,
    /// The hook that said it; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

impl Injection {
    /// Makes an injection as system, stored, in a message of its own.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into().into(),
            ..Self::default()
        }
    }

    /// Makes it one that only the next model call sees.
    pub fn ephemeral(mut self) -> Self {
        self.lifetime = Lifetime::Ephemeral;
        self
    }
}

/// As whom an injection is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The environment's own voice.
    #[default]
    System,
    /// As if the user had said it.
    User,
    /// As if the agent had said it.
    Assistant,
}

/// Whether an injection stays in the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// It stays.
    #[default]
    Stored,
    /// It is seen by the next model call only.
    Ephemeral,
}

/// Where an injection goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// A message of its own.
    #[default]
    Message,
    /// The end of the last tool result, if the last message is one.
    LastToolResult,
}

/// A text for the person.
///
/// ```
/// use anyhook_core::effects::{Level, Notice};
///
/// let notice = Notice::new("the linter is not installed").at(Level::Warning);
/// assert_eq!(serde_json::to_value(&notice).unwrap()["level"], "warning");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Notice {
    /// What the person reads.
    pub text: Box<str>,
    /// How loud it is.
    #[serde(default)]
    pub level: Level,
    /// The hook that said it; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}

impl Notice {
    /// Makes a notice of level info.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into().into(),
            ..Self::default()
        }
    }

    /// Sets the level.
    pub fn at(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}

/// How loud a notice is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A status.
    #[default]
    Info,
    /// Something to look at.
    Warning,
    /// A failure.
    Error,
}

/// An answer that only one host has: said to that host verbatim, a loss elsewhere.
///
/// ```
/// use anyhook_core::effects::NativeAnswer;
/// use anyhook_core::result::HookResult;
/// use serde_json::{Map, json};
///
/// let title = Map::from_iter([("sessionTitle".to_owned(), json!("Fix the login"))]);
/// let said = HookResult::proceed().native("claude-code", title.clone());
/// assert_eq!(
///     said.effects.native(),
///     [NativeAnswer { wire: "claude-code".into(), fields: title, by: None }]
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NativeAnswer {
    /// The host's id.
    pub wire: Cow<'static, str>,
    /// The fields, as that host spells them.
    pub fields: Map,
    /// The hook that said it; stamped by the dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<HookId>,
}
