//! The traits through which a session uses its surroundings: a conversation and a display.

use anyhook_core::effects::{Level, Lifetime, Placement, Role};
use anyhook_core::event::EventName;

/// The conversation that hooks add texts to.
///
/// The caller may add from several threads at once. An implementation that fails says so; the text then stays in the
/// result, and nothing is lost.
pub trait ContextStore: Send + Sync {
    /// Adds a message at the end.
    fn add_message(&self, message: &InjectedMessage) -> Result<(), PortError>;

    /// Adds a text to the end of the last tool result, if the last message is one. Where it is not, the session adds a
    /// message instead.
    fn append_to_last_tool_result(
        &self,
        _message: &InjectedMessage,
    ) -> Result<AppendOutcome, PortError> {
        Ok(AppendOutcome::NoToolResult)
    }
}

/// Whether a text was appended to a tool result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It was.
    Yes,
    /// The last message is no tool result.
    NoToolResult,
}

/// A text of a hook for the model, with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InjectedMessage {
    /// As whom it is said.
    pub role: Role,
    /// The text: cleaned, and no longer than the session's limit.
    pub text: Box<str>,
    /// A name for the message.
    pub name: Option<Box<str>>,
    /// The hook that said it.
    pub hook: Box<str>,
    /// The event that the hook was asked about.
    pub event: EventName,
    /// When: milliseconds since 1970.
    pub at: i64,
    /// Whether it stays in the conversation.
    pub lifetime: Lifetime,
    /// Where it goes.
    pub place: Placement,
}

/// Shows texts of hooks to the person.
pub trait Display: Send + Sync {
    /// Shows one text. What it holds was chosen by a hook: a display that a terminal obeys makes it harmless.
    fn show(&self, shown: &DisplayMessage<'_>) -> Result<(), PortError>;
}

/// A text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplayMessage<'a> {
    /// The text.
    pub text: &'a str,
    /// How loud it is.
    pub level: Level,
    /// Who says it.
    pub source: &'a str,
}

/// A conversation or a display that could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct PortError {
    what: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl PortError {
    /// Makes an error of what was being done.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            source: None,
        }
    }

    /// Adds why it failed.
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }
}
