//! How a hook is asked: when, together with which others, and what its own failure means.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Map};
use crate::id::HookId;
use crate::matcher::{Hit, Matcher};

/// What a hook is for.
///
/// ```
/// use anyhook_core::hook::HookRole;
/// assert_eq!(HookRole::default(), HookRole::Decide);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum HookRole {
    /// It decides, rewrites, injects.
    #[default]
    Decide,
    /// It sees every event after the decision, and changes nothing.
    Observe,
}

/// What a hook's failure means.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, OnFault};
/// assert_eq!(Hook::on("tool:pre", |_: &Event| ()).guard().on_fault, OnFault::Deny);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "snake_case"))]
pub enum OnFault {
    /// The action goes on; the failure is told.
    #[default]
    Continue,
    /// The action is refused.
    #[serde(alias = "block")]
    Deny,
    /// The action is refused, and the agent stops.
    Halt,
}

/// Whether a hook's answers count.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Mode};
/// assert_eq!(Hook::on("tool:pre", |_: &Event| ()).shadow().mode, Mode::Shadow);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "snake_case"))]
pub enum Mode {
    /// They do.
    #[default]
    Enforce,
    /// They are recorded as what would have happened.
    Shadow,
}

/// Whether a hook is asked again about an input that another one rewrote after it.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, Recheck};
/// assert_eq!(Hook::on("tool:pre", |_: &Event| ()).guard().recheck, Recheck::Yes);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Recheck {
    /// It is.
    Yes,
    /// It is not.
    No,
}

/// How a declared hook is asked among others of its priority.
///
/// ```
/// use anyhook_core::hook::Concurrency;
/// assert_eq!(Concurrency::default(), Concurrency::Together);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum Concurrency {
    /// Side by side with its neighbours.
    #[default]
    Together,
    /// Alone, in its place.
    Alone,
}

/// How often a hook is asked in one session.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{Hook, AskFrequency};
/// assert_eq!(Hook::on("session:start", |_: &Event| ()).once().times, AskFrequency::Once);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum AskFrequency {
    /// Each time.
    #[default]
    Always,
    /// The first time that it is its turn.
    Once,
}

/// Whether the dispatch waits for a declared hook.
///
/// ```
/// use anyhook_core::hook::WaitMode;
/// use anyhook_core::manifest::Manifest;
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"post-tool-use": [{"hooks": [
///         {"type": "command", "command": "./index.sh", "async": true}
///     ]}]}}"#,
/// )?;
/// assert_eq!(parsed.manifest.groups[0].entries[0].pace, WaitMode::Background);
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum WaitMode {
    /// The answer to the host waits for it.
    #[default]
    Waited,
    /// It goes on in the background, and what it says is told with a later event. No verdict of it is ever applied.
    Background,
}

/// Whose form a declared hook reads and answers in: that of the host whose file it came from, or that its group names.
///
/// ```
/// use anyhook_core::hook::{Hook, HookDialect};
/// use anyhook_core::event::Event;
/// use anyhook_core::result::HookResult;
/// let mut hook = Hook::on("tool:pre", |_: &Event| HookResult::proceed());
/// assert_eq!(hook.speaks, None);
/// let cursor = HookDialect { host: "cursor".into(), native: "beforeShellExecution".into() };
/// hook.speaks = Some(Box::new(cursor.clone()));
/// assert_eq!(hook.speaks.as_deref(), Some(&cursor));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookDialect {
    /// The host, by its id.
    pub host: Cow<'static, str>,
    /// The event, as that host calls it: one event of ours may be several of a host's.
    pub native: Box<str>,
}

/// A condition beside the matcher, on any part of the event.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::hook::{MatchTarget, Hook, MatchCondition};
/// use anyhook_core::matcher::{Hit, Matcher};
/// use anyhook_core::result::HookResult;
/// use serde_json::json;
/// let mut hook = Hook::on("tool:pre", |_: &Event| HookResult::proceed());
/// let matcher = Matcher::unanchored("curl|wget")?;
/// hook.only = Some(Box::new(MatchCondition { at: MatchTarget::Field(&["tool_input", "command"]), matcher }));
/// let call = |command| Event::new("tool:pre", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
/// assert_eq!(hook.selects(&call("curl example.com")), Hit::Name);
/// assert_eq!(hook.selects(&call("ls")), Hit::No);
/// # Ok::<(), anyhook_core::matcher::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchCondition {
    /// What it looks at.
    pub at: MatchTarget,
    /// What it selects.
    pub matcher: Matcher,
}

/// The part of an event that a condition looks at.
///
/// ```
/// use anyhook_core::hook::MatchTarget;
/// assert_ne!(MatchTarget::Subject, MatchTarget::Field(&["tool_name"]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum MatchTarget {
    /// What matchers look at, by every name that it goes by.
    Subject,
    /// A text inside the data, by the keys that lead to it. Where there is none, the condition holds: a guard is never
    /// off because a payload lacks a field.
    Field(&'static [&'static str]),
}

impl MatchCondition {
    pub(super) fn holds(&self, event: &Event) -> bool {
        match self.at {
            MatchTarget::Subject => self.matcher.selects(event.subject().as_ref()) != Hit::No,
            MatchTarget::Field(path) => {
                let data = event.data.json();
                text_at(&data, path).is_none_or(|name| self.matcher.takes(name, &[]))
            }
        }
    }
}

/// Returns the text to which the keys lead.
fn text_at<'d>(data: &'d Map, path: &[&str]) -> Option<&'d str> {
    let (first, rest) = path.split_first()?;
    let start = data.get(*first)?;
    let value = rest.iter().try_fold(start, |value, key| value.get(*key))?;
    value.as_str()
}

/// Which asking a step records.
///
/// ```
/// use anyhook_core::report::AskRound;
/// assert_eq!(AskRound::default(), AskRound::First);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AskRound {
    /// The first.
    #[default]
    First,
    /// A second one, about an input that was rewritten since.
    Again,
}

/// Why a hook was not asked.
///
/// ```
/// use anyhook_core::report::SkipReason;
///
/// // A hook whose command needs `${file}` is asked after all where a rewrite gives the event one.
/// assert!(SkipReason::NoValue.depends_on_input());
/// assert!(!SkipReason::Untrusted.depends_on_input());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Its matcher does not select the event.
    NoMatch,
    /// It is for another event.
    OtherEvent,
    /// It is written twice; the other one was asked.
    Same(HookId),
    /// A refusal ended the asking.
    Decided,
    /// The event's time was over.
    OutOfTime,
    /// It had its one time in this session.
    Once,
    /// It already answered the very same event a moment ago.
    SingleFlight,
    /// Its file is not trusted, or has changed since it was.
    Untrusted,
    /// The event has no value for a placeholder of its command, such as `${file}`.
    NoValue,
    /// Its condition does not hold.
    Condition,
    /// It goes on in the background; what came of it stands in a report of its own.
    Background,
}

impl SkipReason {
    /// Tells whether the reason lies in the event's data, so that a rewritten event is another matter.
    pub fn depends_on_input(self) -> bool {
        match self {
            Self::NoMatch
            | Self::OtherEvent
            | Self::Same(_)
            | Self::Decided
            | Self::OutOfTime
            | Self::Once
            | Self::Background
            | Self::Untrusted => false,
            Self::NoValue | Self::Condition | Self::SingleFlight => true,
        }
    }
}
