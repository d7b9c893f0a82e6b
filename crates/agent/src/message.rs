//! Messages of a conversation. Hooks add texts of any role at any time; a provider reads them as they are left.
//!
//! ```
//! use anyhook_agent::message::{Call, Message};
//! use serde_json::json;
//!
//! let call = Call { id: "c1".into(), name: "read".into(), input: Default::default() };
//! let talk = [
//!     Message::System { text: "ticket: ENG-1234".into(), name: Some("ticket".into()) },
//!     Message::User { text: "go".into(), name: None },
//!     Message::Assistant { text: "reading".into(), calls: vec![call] },
//!     Message::Tool { id: "c1".into(), name: "read".into(), text: "3 lines".into(), failed: false },
//! ];
//! let said: Vec<serde_json::Value> = talk.iter().map(Message::json).collect();
//! assert_eq!(said[3]["role"], "tool");
//! assert_eq!(Message::list(&said)?, talk);
//! assert!(Message::list(&[json!({"role": "wizard"})]).is_err());
//! # Ok::<(), anyhook_agent::message::NoMessages>(())
//! ```

use std::collections::BTreeSet;

use anyhook::core::event::Map;
use serde_json::{Value, json};

/// One message, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// An instruction, or what a hook tells the model.
    System {
        /// What is said.
        text: String,
        /// A name for it.
        name: Option<String>,
    },
    /// The person's.
    User {
        /// What is said.
        text: String,
        /// A name for it.
        name: Option<String>,
    },
    /// The model's.
    Assistant {
        /// What it said.
        text: String,
        /// What it wants to be done.
        calls: Vec<Call>,
    },
    /// What came of one call.
    Tool {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// What the model reads.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The model's id for it.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments.
    pub input: Map,
}

/// A list that a hook wrote and that is no list of messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("message {at} {what}")]
pub struct NoMessages {
    /// Which message it is, from 1.
    pub at: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Message {
    /// Returns the message as hooks read it.
    pub fn json(&self) -> Value {
        let said = |role: &str, text: &str, name: &Option<String>| {
            let mut said = json!({"role": role, "content": text});
            if let (Some(name), Value::Object(fields)) = (name, &mut said) {
                fields.insert("name".into(), Value::from(name.as_str()));
            }
            said
        };
        match self {
            Self::System { text, name } => said("system", text, name),
            Self::User { text, name } => said("user", text, name),
            Self::Assistant { text, calls } if calls.is_empty() => said("assistant", text, &None),
            Self::Assistant { text, calls } => {
                let calls: Vec<Value> = calls.iter().map(Call::json).collect();
                json!({"role": "assistant", "content": text, "tool_calls": calls})
            }
            Self::Tool {
                id,
                name,
                text,
                failed,
            } => json!({
                "role": "tool", "tool_use_id": id, "tool_name": name, "content": text, "is_error": failed,
            }),
        }
    }

    /// Reads messages that a hook may have written.
    pub fn list(messages: &[Value]) -> Result<Vec<Self>, NoMessages> {
        let read = |(index, message): (usize, &Value)| {
            Self::read(message).map_err(|what| NoMessages {
                at: index + 1,
                what,
            })
        };
        messages.iter().enumerate().map(read).collect()
    }

    fn read(message: &Value) -> Result<Self, String> {
        let text = |field: &str| {
            message
                .get(field)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let must = |field: &str| text(field).ok_or_else(|| format!("has no text `{field}`"));
        let name = text("name");
        match must("role")?.as_str() {
            "system" => Ok(Self::System {
                text: must("content")?,
                name,
            }),
            "user" => Ok(Self::User {
                text: must("content")?,
                name,
            }),
            "assistant" => Ok(Self::Assistant {
                text: must("content")?,
                calls: Call::list(message.get("tool_calls"))?,
            }),
            "tool" => Ok(Self::Tool {
                id: must("tool_use_id")?,
                name: text("tool_name").unwrap_or_default(),
                text: must("content")?,
                failed: message.get("is_error") == Some(&Value::Bool(true)),
            }),
            other => Err(format!("has the unknown role `{other}`")),
        }
    }

    /// Returns the text that it holds, and that a compaction may cut.
    pub(crate) fn text_mut(&mut self) -> &mut String {
        match self {
            Self::System { text, .. }
            | Self::User { text, .. }
            | Self::Assistant { text, .. }
            | Self::Tool { text, .. } => text,
        }
    }
}

impl Call {
    /// Returns the call as hooks read it.
    pub(crate) fn json(&self) -> Value {
        json!({"id": self.id, "name": self.name, "input": self.input})
    }

    /// Reads calls that a hook may have written; none where there is no field.
    pub(crate) fn list(calls: Option<&Value>) -> Result<Vec<Self>, String> {
        let all = match calls {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(all)) => all,
            Some(_) => return Err("has `tool_calls` that are no list".into()),
        };
        let read = |call: &Value| {
            let text = |field: &str| Some(call.get(field)?.as_str()?.to_owned());
            Some(Self {
                id: text("id")?,
                name: text("name")?,
                input: call.get("input")?.as_object()?.clone(),
            })
        };
        let calls: Option<Vec<Self>> = all.iter().map(read).collect();
        calls.ok_or_else(|| "has a call without `id`, `name` and `input`".into())
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
