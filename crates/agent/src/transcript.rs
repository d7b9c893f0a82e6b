//! The conversation: every message, and the places where hooks add their texts.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhook::core::effects::Role;
use anyhook::session::{Appended, ContextStore, Message as Text, PortError};

use crate::message::Message;

/// A conversation. Hooks of several threads may add to it.
///
/// ```
/// use anyhook_agent::message::Message;
/// use anyhook_agent::transcript::Transcript;
///
/// let talk = Transcript::default();
/// talk.push(Message::User { text: "hello".into(), name: None });
/// assert_eq!(talk.messages().len(), 1);
/// talk.edit(|messages| messages.clear());
/// assert!(talk.messages().is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Transcript(Mutex<Vec<Message>>);

impl Transcript {
    /// Adds a message at the end.
    pub fn push(&self, message: Message) {
        self.lock().push(message);
    }

    /// Returns all messages.
    pub fn messages(&self) -> Vec<Message> {
        self.lock().clone()
    }

    /// Changes the messages.
    pub fn edit<R>(&self, change: impl FnOnce(&mut Vec<Message>) -> R) -> R {
        change(&mut self.lock())
    }

    /// A list of messages is whole after every change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ContextStore for Transcript {
    fn add_message(&self, said: &Text) -> Result<(), PortError> {
        let text = said.text.to_string();
        let name = said.name.as_deref().map(str::to_owned);
        self.push(match said.role {
            Role::System => Message::System { text, name },
            Role::User => Message::User { text, name },
            Role::Assistant => Message::Assistant {
                text,
                calls: Vec::new(),
            },
        });
        Ok(())
    }

    fn append_to_last_tool_result(&self, said: &Text) -> Result<Appended, PortError> {
        Ok(match self.lock().last_mut() {
            Some(Message::Tool { text, .. }) => {
                text.push_str("\n\n");
                text.push_str(&said.text);
                Appended::Yes
            }
            _ => Appended::NoToolResult,
        })
    }
}
