//! The conversation: every message, and the places where hooks add their texts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhook::core::effects::Role;
use anyhook::session::{AppendOutcome, ContextStore, InjectedMessage as Text, PortError};

use crate::message::ChatMessage;

/// A conversation. Hooks of several threads may add to it.
///
/// ```
/// use anyhook_agent::message::ChatMessage;
/// use anyhook_agent::transcript::Conversation;
///
/// let talk = Conversation::default();
/// talk.push(ChatMessage::User { text: "hello".into(), name: None });
/// assert_eq!(talk.messages().len(), 1);
/// talk.edit(|messages| messages.clear());
/// assert!(talk.messages().is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Conversation(Mutex<Vec<ChatMessage>>);

impl Conversation {
    /// Adds a message at the end.
    pub fn push(&self, message: ChatMessage) {
        self.lock().push(message);
    }

    /// Returns all messages.
    pub fn messages(&self) -> Vec<ChatMessage> {
        self.lock().clone()
    }

    /// Changes the messages.
    pub fn edit<R>(&self, change: impl FnOnce(&mut Vec<ChatMessage>) -> R) -> R {
        change(&mut self.lock())
    }

    /// A list of messages is whole after every change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, Vec<ChatMessage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ContextStore for Conversation {
    fn add_message(&self, said: &Text) -> Result<(), PortError> {
        let text = said.text.to_string();
        let name = said.name.as_deref().map(str::to_owned);
        self.push(match said.role {
            Role::System => ChatMessage::System { text, name },
            Role::User => ChatMessage::User { text, name },
            Role::Assistant => ChatMessage::Assistant {
                text,
                calls: Vec::new(),
            },
        });
        Ok(())
    }

    fn append_to_last_tool_result(&self, said: &Text) -> Result<AppendOutcome, PortError> {
        Ok(match self.lock().last_mut() {
            Some(ChatMessage::Tool { text, .. }) => {
                text.push_str("\n\n");
                text.push_str(&said.text);
                AppendOutcome::Yes
            }
            _ => AppendOutcome::NoToolResult,
        })
    }
}
