//! A scripted model, over the protocols that agents speak, only on the loopback.
//!
//! The agent believes that it talks to its provider. Each request that offers the agent's tools is answered with the next
//! turn of the script; after the last turn, and where a request offers no tool (a title, a summary), the answer is a short
//! text. Everything that the agent sent is kept: what a model was told can be seen nowhere else.
//!
//! ```
//! use anyhook_verify::model::{ScriptedModel, ModelTurn};
//!
//! let model = ScriptedModel::start([ModelTurn::says("Hello.")])?;
//! assert!(model.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(model.stop().len(), 0, "nothing was asked");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use anyhook::yaml;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{HttpReply, RunningServer};
use crate::template::filled;

/// The name under which agents know this model.
pub const NAME: &str = "scripted-model";

/// What the model says where the script says nothing.
const NOTHING_LEFT: &str = "All done.";

/// One thing that the model does when it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTurn {
    /// The tools that it calls, each by its name and with its arguments: all of them at once.
    pub calls: Vec<(String, Value)>,
    /// What it says, where it calls none.
    pub text: String,
}

impl ModelTurn {
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
pub struct AgentRequest {
    /// Whether it offers tools, as a turn of the agent does; a request for a title offers none.
    pub is_turn: bool,
    /// What was sent, as it was sent.
    pub body: String,
}

/// A protocol: how its requests are known, and the templates of its answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Protocol {
    /// What the path of a request ends with.
    path: String,
    /// Where each entry of `tools` lists its tools, if it is no tool itself.
    #[serde(default)]
    declarations: Option<String>,
    stops: [String; 2],
    item: Value,
    calls: Value,
    text: Value,
    whole: Value,
    begin: Vec<Value>,
    #[serde(default)]
    each_call: Vec<Value>,
    #[serde(default)]
    each_text: Vec<Value>,
    #[serde(default)]
    end: Vec<Value>,
    /// What ends a stream.
    #[serde(default)]
    closing: String,
}

static PROTOCOLS: LazyLock<Vec<Protocol>> =
    LazyLock::new(|| yaml::read(include_str!("protocols.yaml")).unwrap_or_default());

#[derive(Debug, Default)]
struct ModelState {
    script: VecDeque<ModelTurn>,
    requests: Vec<AgentRequest>,
}

type SharedModel = Arc<Mutex<ModelState>>;

/// A scripted model that is running. It ends when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    kept: SharedModel,
    running: RunningServer,
}

impl ScriptedModel {
    /// Starts it on a free port of the loopback.
    pub fn start(script: impl IntoIterator<Item = ModelTurn>) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let kept: SharedModel = Arc::new(Mutex::new(ModelState {
            script: script.into_iter().collect(),
            ..ModelState::default()
        }));
        let asked = Arc::clone(&kept);
        let running = RunningServer::start("scripted-model", listener, move |url, body| {
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
    pub fn stop(self) -> Vec<AgentRequest> {
        drop(self.running);
        std::mem::take(&mut lock(&self.kept).requests)
    }
}

fn lock(kept: &SharedModel) -> MutexGuard<'_, ModelState> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(kept: &SharedModel, url: &str, body: &[u8]) -> HttpReply {
    let path = url.split_once('?').map_or(url, |(path, _)| path);
    let body = String::from_utf8_lossy(body).into_owned();
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let protocol = PROTOCOLS.iter().find(|row| path.ends_with(&row.path));
    let Some(protocol) = protocol else {
        return beside(path);
    };
    let is_turn = protocol.offers_tools(&request);
    let mut kept = lock(kept);
    kept.requests.push(AgentRequest { is_turn, body });
    let number = kept.requests.len();
    let next = is_turn.then(|| kept.script.pop_front()).flatten();
    let turn = next.unwrap_or_else(|| ModelTurn::says(NOTHING_LEFT));
    let is_stream = path.contains("stream") || request.get("stream") == Some(&Value::Bool(true));
    if is_stream {
        protocol.streamed(&turn, number)
    } else {
        let fields = protocol.fields(&turn, number);
        HttpReply::json(200, &filled(&protocol.whole, &fields))
    }
}

impl Protocol {
    fn offers_tools(&self, request: &Value) -> bool {
        let list = |of: &Value, field: &str| of.get(field).and_then(Value::as_array).cloned();
        let tools = list(request, "tools").unwrap_or_default();
        tools.iter().any(|tool| match &self.declarations {
            Some(field) => list(tool, field).is_some_and(|list| !list.is_empty()),
            None => true,
        })
    }

    /// What stands in the places of one answer, without its calls.
    fn fields(&self, turn: &ModelTurn, number: usize) -> Vec<(&'static str, Value)> {
        let [ends, calls] = &self.stops;
        let stop = if turn.calls.is_empty() { ends } else { calls };
        let mut fields = vec![
            ("number", number.into()),
            ("stop", stop.as_str().into()),
            ("text", turn.text.as_str().into()),
        ];
        let items = self.calls(turn, number);
        let items = items
            .iter()
            .filter_map(|call| Some(call.first()?.1.clone()));
        fields.push(("items", items.collect()));
        let said = if turn.calls.is_empty() {
            &self.text
        } else {
            &self.calls
        };
        fields.push(("said", filled(said, &fields)));
        fields
    }

    /// What stands in the places of each call; the first of them is the whole call.
    fn calls(&self, turn: &ModelTurn, number: usize) -> Vec<Vec<(&'static str, Value)>> {
        let calls = turn.calls.iter().enumerate();
        let calls = calls.map(|(index, (name, input))| {
            let mut fields = vec![
                ("number", number.into()),
                ("index", index.into()),
                ("name", name.as_str().into()),
                ("input", input.clone()),
                ("arguments", input.to_string().into()),
            ];
            fields.insert(0, ("item", filled(&self.item, &fields)));
            fields
        });
        calls.collect()
    }

    fn streamed(&self, turn: &ModelTurn, number: usize) -> HttpReply {
        let fields = self.fields(turn, number);
        let mut events: Vec<(&Value, Vec<_>)> = Vec::new();
        events.extend(self.begin.iter().map(|event| (event, fields.clone())));
        for call in self.calls(turn, number) {
            events.extend(self.each_call.iter().map(|event| (event, call.clone())));
        }
        let texts = self.each_text.iter().filter(|_| turn.calls.is_empty());
        let rest = texts.chain(&self.end);
        events.extend(rest.map(|event| (event, fields.clone())));
        let mut text = String::new();
        for (sequence, (event, mut fields)) in events.into_iter().enumerate() {
            fields.push(("sequence", sequence.into()));
            let event = filled(event, &fields);
            if let Some(name) = event.get("type").and_then(Value::as_str) {
                text.push_str(&format!("event: {name}\n"));
            }
            text.push_str(&format!("data: {event}\n\n"));
        }
        text.push_str(&self.closing);
        HttpReply {
            status: 200,
            kind: "text/event-stream",
            text,
        }
    }
}

/// Answers what agents ask beside: which models there are, and how many tokens a text has.
fn beside(path: &str) -> HttpReply {
    if path.ends_with("/models") {
        let model = json!({"id": NAME, "object": "model", "created": 1, "owned_by": "anyhook"});
        return HttpReply::json(
            200,
            &json!({"object": "list", "data": [model], "models": []}),
        );
    }
    if path.ends_with("count_tokens") || path.ends_with("countTokens") {
        return HttpReply::json(200, &json!({"input_tokens": 10, "totalTokens": 10}));
    }
    let error = json!({"error": {"message": "the scripted model knows no such path"}});
    HttpReply::json(404, &error)
}
