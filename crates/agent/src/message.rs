//! Messages of a conversation. Hooks add texts of any role at any time; a provider reads them as they are left.
//!
//! ```
//! use anyhook_agent::message::{ToolUse, ChatMessage};
//! use serde_json::json;
//!
//! let call = ToolUse { id: "c1".into(), name: "read".into(), input: Default::default() };
//! let talk = [
//!     ChatMessage::System { text: "ticket: ENG-1234".into(), name: Some("ticket".into()) },
//!     ChatMessage::User { text: "go".into(), name: None },
//!     ChatMessage::Assistant { text: "reading".into(), calls: vec![call] },
//!     ChatMessage::Tool { id: "c1".into(), name: "read".into(), text: "3 lines".into(), failed: false },
//! ];
//! let said: Vec<serde_json::Value> = talk.iter().map(ChatMessage::json).collect();
//! assert_eq!(said[3]["role"], "tool");
//! assert_eq!(ChatMessage::list(&said)?, talk);
//! assert!(ChatMessage::list(&[json!({"role": "wizard"})]).is_err());
//! # Ok::<(), String>(())
//! ```

use std::collections::BTreeSet;

use anyhook::core::event::Map;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// One message, as it is kept, and as hooks read and write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum ChatMessage {
    /// An instruction, or what a hook tells the model.
    System {
        /// What is said.
        #[serde(rename = "content")]
        text: String,
        /// A name for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The person's.
    User {
        /// What is said.
        #[serde(rename = "content")]
        text: String,
        /// A name for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The model's.
    Assistant {
        /// What it said.
        #[serde(rename = "content")]
        text: String,
        /// What it wants to be done.
        #[serde(
            rename = "tool_calls",
            default,
            deserialize_with = "or_none",
            skip_serializing_if = "Vec::is_empty"
        )]
        calls: Vec<ToolUse>,
    },
    /// What came of one call.
    Tool {
        /// The call's id.
        #[serde(rename = "tool_use_id")]
        id: String,
        /// The tool's name.
        #[serde(rename = "tool_name", default)]
        name: String,
        /// What the model reads.
        #[serde(rename = "content")]
        text: String,
        /// Whether it failed.
        #[serde(rename = "is_error", default)]
        failed: bool,
    },
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The model's id for it.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub input: Map,
}

/// Reads a list; `null` is an empty one.
fn or_none<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<ToolUse>, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

impl ChatMessage {
    /// Returns the message as hooks read it.
    pub fn json(&self) -> Value {
        json!(self)
    }

    /// Reads messages that a hook may have written, or says what is wrong with one of them.
    pub fn list(messages: &[Value]) -> Result<Vec<Self>, String> {
        let read = |(number, message)| {
            let wrong = |cause| format!("message {number} cannot be read: {cause}");
            Self::deserialize(message).map_err(wrong)
        };
        (1..).zip(messages).map(read).collect()
    }
}

/// Takes an id that is not in use: this one, or this one with a number.
pub(crate) fn fresh(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        id = format!("{wanted}-{number}");
        number += 1;
    }
    id
}
