//! Messages of a conversation, and how they are sent: in turns that every provider accepts.
//!
//! Hooks add texts of any role at any time. What a provider accepts is narrower: the person's side and the model's side
//! alternate, and each call of a tool is answered in the very next turn. [`turns`] makes one of the other.
//!
//! ```
//! use anyhook_agent::message::{Block, Call, Message, Side, Turn, turns};
//! use serde_json::json;
//!
//! let call = Call { id: "c1".into(), name: "read".into(), input: Default::default() };
//! let talk = [
//!     Message::System { text: "ticket: ENG-1234".into(), name: Some("ticket".into()) },
//!     Message::User { text: "go".into(), name: None },
//!     Message::Assistant { text: "reading".into(), calls: vec![call.clone()] },
//!     Message::Tool { id: "c1".into(), name: "read".into(), text: "3 lines".into(), failed: false },
//! ];
//! let said: Vec<serde_json::Value> = talk.iter().map(Message::json).collect();
//! assert_eq!(said[3]["role"], "tool");
//! assert_eq!(Message::list(&said)?, talk);
//!
//! let (system, sent) = turns(&talk);
//! assert_eq!(system, "ticket: ENG-1234");
//! let [first, Turn { side: Side::Model, blocks }, last] = &sent[..] else { panic!() };
//! assert_eq!((first.side, last.side), (Side::Person, Side::Person));
//! assert_eq!(blocks[1], Block::Call(call));
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

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Everybody but the model.
    Person,
    /// The model.
    Model,
}

/// One turn, as a provider is sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Who speaks.
    pub side: Side,
    /// What: answers to calls come first, calls last.
    pub blocks: Vec<Block>,
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A text.
    Text(String),
    /// A call of a tool.
    Call(Call),
    /// What came of a call.
    Answer {
        /// The call's id.
        id: String,
        /// What the model reads.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
}

/// What is said where a conversation has to go on with the person's side, and the person said nothing.
const GO_ON: &str = "(go on)";

/// The text in place of the answer to a call that got none.
const NO_ANSWER: &str = "not run: its answer was lost";

/// Makes turns of messages: the texts of the system that come first, and then the two sides in alternation.
///
/// Whatever the messages are, the person's side begins and ends, no side speaks twice in a row, each call is answered
/// once, in the turn after it, nothing is answered that was not called, and no text is blank: servers refuse one. A later
/// text of the system is said on the person's side, as a note.
pub fn turns(messages: &[Message]) -> (String, Vec<Turn>) {
    let first = messages
        .iter()
        .take_while(|message| matches!(message, Message::System { .. }))
        .count();
    let (head, talk) = messages.split_at_checked(first).unwrap_or((messages, &[]));
    let system: Vec<&str> = head
        .iter()
        .filter_map(|message| match message {
            Message::System { text, .. } => Some(text.as_str()).filter(|text| !is_blank(text)),
            _ => None,
        })
        .collect();
    let mut laid = Laid::default();
    for message in talk {
        laid.add(message);
    }
    (system.join("\n\n"), laid.done())
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

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Turns in the making.
#[derive(Default)]
struct Laid {
    turns: Vec<Turn>,
    /// Calls of the last turn of the model that have no answer yet: their ids as they were said, and as they are sent.
    open: Vec<(String, String)>,
    /// The ids that were sent: servers refuse a conversation in which two calls have one.
    sent: BTreeSet<String>,
    /// What was said between a call and its answer: it follows the answers.
    later: Vec<Block>,
}

impl Laid {
    fn add(&mut self, message: &Message) {
        match message {
            Message::System { text, name } => {
                let name = name.as_deref().unwrap_or("system");
                self.say(Block::Text(format!("[{name}] {text}")));
            }
            Message::User { text, .. } => self.say(Block::Text(text.clone())),
            Message::Tool {
                id, text, failed, ..
            } => {
                // An answer to nothing, or a second one, is not sent.
                if let Some(at) = self.open.iter().position(|(said, _)| said == id) {
                    let (_, id) = self.open.remove(at);
                    let (text, failed) = (text.clone(), *failed);
                    self.push(Side::Person, Block::Answer { id, text, failed });
                    self.flush();
                }
            }
            // What a hook says in the model's name between a call and its answer cannot be the model's.
            Message::Assistant { text, calls } if calls.is_empty() && !self.open.is_empty() => {
                self.later.push(Block::Text(format!("[assistant] {text}")));
            }
            Message::Assistant { text, calls } => self.model(text, calls),
        }
    }

    /// Says something on the person's side; not between a call and its answer.
    fn say(&mut self, block: Block) {
        if self.open.is_empty() {
            self.push(Side::Person, block);
        } else {
            self.later.push(block);
        }
    }

    fn model(&mut self, text: &str, calls: &[Call]) {
        self.close();
        if self.turns.is_empty() {
            self.push(Side::Person, Block::Text(GO_ON.into()));
        }
        // A turn that called is over: what the model says next needs its answers first, which `close` gave.
        if !is_blank(text) || calls.is_empty() {
            let said = if is_blank(text) { "(nothing)" } else { text };
            self.push(Side::Model, Block::Text(said.to_owned()));
        }
        for call in calls {
            // Ids are the model's own: one that it uses twice in a turn has one answer, and one call.
            if !self.open.iter().any(|(said, _)| *said == call.id) {
                let mut call = call.clone();
                let said = std::mem::take(&mut call.id);
                call.id = fresh(&said, &mut self.sent);
                self.open.push((said, call.id.clone()));
                self.push(Side::Model, Block::Call(call));
            }
        }
    }

    /// Answers what is open.
    fn close(&mut self) {
        for (_, id) in std::mem::take(&mut self.open) {
            let text = NO_ANSWER.to_owned();
            self.push(
                Side::Person,
                Block::Answer {
                    id,
                    text,
                    failed: true,
                },
            );
        }
        self.flush();
    }

    fn flush(&mut self) {
        if self.open.is_empty() {
            for block in std::mem::take(&mut self.later) {
                self.push(Side::Person, block);
            }
        }
    }

    fn push(&mut self, side: Side, block: Block) {
        if matches!(&block, Block::Text(text) if is_blank(text)) {
            return;
        }
        match self.turns.last_mut() {
            Some(turn) if turn.side == side => turn.blocks.push(block),
            _ => self.turns.push(Turn {
                side,
                blocks: vec![block],
            }),
        }
    }

    fn done(mut self) -> Vec<Turn> {
        self.close();
        if self
            .turns
            .last()
            .is_none_or(|turn| turn.side == Side::Model)
        {
            self.push(Side::Person, Block::Text(GO_ON.into()));
        }
        self.turns
    }
}
