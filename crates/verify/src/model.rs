//! A scripted model, over the protocols that agents speak, only on the loopback.
//!
//! The agent believes that it talks to its provider. Each request that offers the agent's tools is answered with the next
//! turn of the script; after the last turn, and where a request offers no tool (a title, a summary), the answer is a short
//! text. Everything that the agent sent is kept: what a model was told can be seen nowhere else.
//!
//! ```
//! use anyhook_verify::model::{Model, Turn};
//!
//! let model = Model::start([Turn::says("Hello.")])?;
//! assert!(model.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(model.stop().len(), 0, "nothing was asked");
//! # Ok::<(), std::io::Error>(())
//! ```

mod anthropic;
mod completions;
mod gemini;
mod responses;

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::server::{Reply, Running};

/// The name under which agents know this model.
pub const NAME: &str = "scripted-model";

/// What the model says where the script says nothing.
const NOTHING_LEFT: &str = "All done.";

/// One thing that the model does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The tools that it calls, each by its name and with its arguments: all of them at once.
    pub calls: Vec<(String, Value)>,
    /// What it says, where it calls none.
    pub text: String,
}

impl Turn {
    /// Says something, and ends the agent's turn.
    pub fn says(text: impl Into<String>) -> Self {
        Self {
            calls: Vec::new(),
            text: text.into(),
        }
    }

    /// Calls tools, all of them at once.
    pub fn calls(calls: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            text: String::new(),
        }
    }
}

/// One request of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Whether it offers tools, as a turn of the agent does; a request for a title offers none.
    pub is_turn: bool,
    /// What was sent, as it was sent.
    pub body: String,
}

/// One protocol that agents speak with models.
struct Protocol {
    /// How the path of its requests is known.
    is_path: fn(&str) -> bool,
    /// Tells whether a request offers tools.
    offers_tools: fn(&Value) -> bool,
    /// Writes an answer: as events, if the request wants a stream.
    writes: fn(&Answer<'_>) -> Written,
}

/// What is to be answered.
struct Answer<'a> {
    turn: &'a Turn,
    /// The number of this answer, for ids.
    number: usize,
    /// Whether the agent wants a stream of events.
    is_stream: bool,
}

/// An answer as it is sent.
enum Written {
    Whole(Value),
    /// Events, each as the line `data:`; its `type` stands before it, where it has one.
    Events(Vec<Value>),
    /// The same, and a last line that says that nothing follows.
    EventsAndDone(Vec<Value>),
}

static PROTOCOLS: &[Protocol] = &[
    anthropic::PROTOCOL,
    responses::PROTOCOL,
    completions::PROTOCOL,
    gemini::PROTOCOL,
];

#[derive(Default)]
struct Kept {
    script: VecDeque<Turn>,
    requests: Vec<Request>,
    answered: usize,
}

type Shared = Arc<Mutex<Kept>>;

/// A scripted model that is running. It ends when it is dropped.
#[derive(Debug)]
pub struct Model {
    address: SocketAddr,
    kept: Shared,
    running: Running,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}

impl Model {
    /// Starts it on a free port of the loopback.
    pub fn start(script: impl IntoIterator<Item = Turn>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let kept: Shared = Arc::new(Mutex::new(Kept {
            script: script.into_iter().collect(),
            ..Kept::default()
        }));
        let asked = Arc::clone(&kept);
        let running = Running::start("scripted-model", listener, move |url, body| {
            answer(&asked, url, body)
        })?;
        Ok(Self {
            address,
            kept,
            running,
        })
    }

    /// Returns where it listens, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends it, and returns everything that it was asked, in order.
    pub fn stop(self) -> Vec<Request> {
        drop(self.running);
        std::mem::take(&mut lock(&self.kept).requests)
    }
}

fn lock(kept: &Shared) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(kept: &Shared, url: &str, body: &[u8]) -> Reply {
    let path = url.split_once('?').map_or(url, |(path, _)| path);
    let body = String::from_utf8_lossy(body).into_owned();
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let protocol = PROTOCOLS.iter().find(|row| (row.is_path)(path));
    let Some(protocol) = protocol else {
        return beside(path);
    };
    let is_turn = (protocol.offers_tools)(&request);
    let mut kept = lock(kept);
    kept.requests.push(Request { is_turn, body });
    kept.answered += 1;
    let next = if is_turn {
        kept.script.pop_front()
    } else {
        None
    };
    let turn = next.unwrap_or_else(|| Turn::says(NOTHING_LEFT));
    let is_stream = path.contains("stream") || request.get("stream") == Some(&Value::Bool(true));
    let answer = Answer {
        turn: &turn,
        number: kept.answered,
        is_stream,
    };
    sent((protocol.writes)(&answer))
}

/// Answers what agents ask beside: which models there are, and how many tokens a text has.
fn beside(path: &str) -> Reply {
    if path.ends_with("/models") {
        let model = json!({"id": NAME, "object": "model", "created": 1, "owned_by": "anyhook"});
        return whole(&json!({"object": "list", "data": [model], "models": []}));
    }
    if path.ends_with("count_tokens") || path.ends_with("countTokens") {
        return whole(&json!({"input_tokens": 10, "totalTokens": 10}));
    }
    let error = json!({"error": {"message": "the scripted model knows no such path"}});
    Reply {
        status: 404,
        ..whole(&error)
    }
}

fn whole(value: &Value) -> Reply {
    Reply {
        status: 200,
        kind: "application/json",
        text: value.to_string(),
    }
}

fn sent(written: Written) -> Reply {
    let (events, end) = match written {
        Written::Whole(value) => return whole(&value),
        Written::Events(events) => (events, ""),
        Written::EventsAndDone(events) => (events, "data: [DONE]\n\n"),
    };
    let mut text = String::new();
    for event in events {
        if let Some(name) = event.get("type").and_then(Value::as_str) {
            text.push_str(&format!("event: {name}\n"));
        }
        text.push_str(&format!("data: {event}\n\n"));
    }
    text.push_str(end);
    Reply {
        status: 200,
        kind: "text/event-stream",
        text,
    }
}

/// Tells whether a field of a request is a list with something in it.
fn has_any(request: &Value, field: &str) -> bool {
    let list = request.get(field).and_then(Value::as_array);
    list.is_some_and(|list| !list.is_empty())
}
