//! A record as a replay reads it: what the hooks were asked about, and what was said then.

use std::borrow::Cow;
use std::sync::Arc;

use anyhook::core::event::{Event, Map, Origin, OriginTool};
use anyhook::core::report::{Action, Heading};
use anyhook::core::result::Kind;
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::wires::{Host, host, tools};
use serde::Deserialize;
use serde_json::Value;

/// One record, without what its hooks said one by one.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    /// Its id.
    #[serde(default)]
    pub id: Box<str>,
    /// When it began, in milliseconds since 1970.
    #[serde(default)]
    pub at: Option<i64>,
    #[serde(default)]
    parent: Option<Box<str>>,
    pub(super) event: Heading,
    result: Said,
    #[serde(default)]
    said: Option<Said>,
    /// What it was about, without the data.
    #[serde(default)]
    pub(super) action: Option<Box<Action>>,
    /// The data, which every side that is asked shares.
    #[serde(skip)]
    pub(super) data: Arc<Map>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Said {
    #[serde(default = "nothing")]
    verdict: Kind,
}

fn nothing() -> Kind {
    Kind::Continue
}

/// Why a record is not asked about again.
///
/// ```
/// use anyhook_testing::replay::Left;
/// assert_eq!(Left::Cut.why(), "cannot be replayed whole: a long text was cut");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// A text was cut, or only the shape of the input was kept.
    Cut,
    /// A secret was hidden in what a hook would look at.
    Hidden,
    /// Only the decision is known.
    NoAction,
    /// It is about a hook in the background, not about an event of an agent.
    Background,
    /// The agent is none that this version knows.
    Stranger,
    /// The line is no record.
    Unread,
}

impl Left {
    /// Says why.
    pub fn why(self) -> &'static str {
        match self {
            Self::Cut => "cannot be replayed whole: a long text was cut",
            Self::Hidden => "cannot be replayed whole: a secret was hidden",
            Self::NoAction => "hold no action",
            Self::Background => "are about a hook in the background",
            Self::Stranger => "are of an agent that this version does not know",
            Self::Unread => "cannot be read",
        }
    }
}

/// The text that replaces a secret.
const MARK: &str = "[REDACTED:";

impl Record {
    /// Reads a line.
    pub fn read(line: &[u8]) -> Option<Self> {
        let mut record: Self = serde_json::from_slice(line).ok()?;
        let action = record.action.as_deref_mut();
        let data = action.map(|action| std::mem::take(&mut action.data));
        record.data = data.unwrap_or_default().into();
        Some(record)
    }

    /// Returns a text of the data.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.data.get(field)?.as_str()
    }

    /// Returns the one text that says what was attempted.
    pub(super) fn telling(&self) -> Option<String> {
        let action = Action {
            data: Map::clone(&self.data),
            ..self.action.as_deref()?.clone()
        };
        action.telling()
    }

    /// What the agent was told then; nothing where no hook was asked.
    pub fn verdict(&self) -> Option<Kind> {
        let action = self.action.as_deref();
        let is_imported = action.is_some_and(|action| action.imported.is_some());
        (!is_imported).then_some(self.said.unwrap_or(self.result).verdict)
    }

    /// Tells whether a hook asked a person.
    pub(super) fn asked(&self) -> bool {
        self.result.verdict == Kind::Ask
    }

    /// The host that it is of.
    pub(super) fn host(&self) -> Option<&'static Host> {
        match &*self.event.host {
            "" => Some(&UNIVERSAL),
            id => host(id),
        }
    }

    /// What is missing of the event, if something is: it is never guessed.
    pub(super) fn lacks(&self) -> Option<Left> {
        let action = self.action.as_deref()?;
        if !action.is_whole() {
            return Some(Left::Cut);
        }
        (!action.hidden.is_empty() && self.data.values().any(has_mark)).then_some(Left::Hidden)
    }

    /// The event as it came.
    pub(super) fn event(&self) -> Result<Event, Left> {
        if self.parent.is_some() {
            return Err(Left::Background);
        }
        if self.action.is_none() {
            return Err(Left::NoAction);
        }
        let host = self.host().ok_or(Left::Stranger)?;
        let mut event = Event::named(self.event.name.clone(), Arc::clone(&self.data));
        event.subject.clone_from(&self.event.subject);
        let is = self.text("tool_name");
        let tool = event.subject.as_deref().zip(is);
        // What a server calls its tool is not the tool that others have under that name.
        let own = tool.filter(|(_, is)| !is.starts_with("mcp__"));
        event.also = own.map_or(&[], |(name, _)| tools::also(name));
        let renamed = tool.filter(|(name, is)| name != is);
        event.origin = Some(Box::new(Origin {
            host: Cow::Borrowed(host.id()),
            native: self.event.native.clone(),
            session: self.event.session.clone(),
            project: None,
            raw: None,
            tool: renamed.map(|(name, is)| {
                Box::new(OriginTool {
                    name: name.into(),
                    is: is.into(),
                    arguments: Box::default(),
                })
            }),
        }));
        Ok(event)
    }
}

fn has_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MARK),
        Value::Array(list) => list.iter().any(has_mark),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name.contains(MARK) || has_mark(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
