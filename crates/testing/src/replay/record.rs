//! What of a record is asked about again: its event as it came, or why there is none.

use std::borrow::Cow;

use anyhook::core::event::{Event, Origin, OriginTool};
use anyhook::core::report::{ActionRecord, Report};
use anyhook::core::result::Kind;
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::wires::{Host, host, tools};
use serde_json::Value;

/// Why a record is not asked about again.
///
/// ```
/// use anyhook_testing::replay::Exclusion;
/// assert_eq!(Exclusion::Cut.why(), "cannot be replayed whole: a long text was cut");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exclusion {
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

impl Exclusion {
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

/// What the agent was told then; nothing where no hook was asked.
pub(super) fn verdict(record: &Report) -> Option<Kind> {
    let is_imported = record.imported().is_some();
    (!is_imported).then(|| record.answer().verdict.kind())
}

/// What is missing of the event, if something is: it is never guessed.
pub(super) fn lacks(action: &ActionRecord) -> Option<Exclusion> {
    if !action.is_whole() {
        return Some(Exclusion::Cut);
    }
    (!action.hidden.is_empty() && action.data.values().any(has_mark)).then_some(Exclusion::Hidden)
}

/// The event as it came, what is recorded of its action, and the agent that told of it.
pub(super) fn event(record: &Report) -> Result<(Event, &ActionRecord, &'static Host), Exclusion> {
    if record.parent.is_some() {
        return Err(Exclusion::Background);
    }
    let action = record.action.as_deref().ok_or(Exclusion::NoAction)?;
    let heading = &record.event;
    let host = match &*heading.host {
        "" => &UNIVERSAL,
        id => host(id).ok_or(Exclusion::Stranger)?,
    };
    let mut event = Event::named(heading.name.clone(), action.data.clone());
    event.subject.clone_from(&heading.subject);
    let tool = event.subject.as_deref().zip(action.text("tool_name"));
    // What a server calls its tool is not the tool that others have under that name.
    let own = tool.filter(|(_, is)| !is.starts_with("mcp__"));
    event.also = own.map_or(&[], |(name, _)| tools::also(name));
    let renamed = tool.filter(|(name, is)| name != is);
    event.origin = Some(Box::new(Origin {
        host: Cow::Borrowed(host.id()),
        native: heading.native.clone(),
        session: heading.session.clone(),
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
    Ok((event, action, host))
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
