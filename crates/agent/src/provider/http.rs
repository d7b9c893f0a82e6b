//! A model behind a server: the two protocols of prompt hooks, with tools.

use std::time::Duration;

use anyhook::core::event::Map;
use anyhook::models::{Failed, Settings, post};
use serde_json::{Value, json};

use super::{Provider, ProviderError, Reply, Request, ToolSpec, Usage};
use crate::fields::set;
use crate::message::{Block, Call, Side, Turn};

/// The configured model.
///
/// ```
/// use anyhook::config::{Config, ConfigFiles};
/// use anyhook::models::Configured;
/// use anyhook::world::World;
/// use anyhook_agent::provider::http::Http;
/// use anyhook_agent::provider::Provider;
///
/// let env = [("ANYHOOK_MODEL".into(), "m".into()), ("ANYHOOK_MODEL_BASE_URL".into(), "http://127.0.0.1:9/v1".into())];
/// let world = World { env: env.into(), places: None, ..World::real() };
/// let settings = Configured::read(&Config::read(ConfigFiles::default()), &world).settings?;
/// let provider = Http::new(settings).ok_or("a protocol without tools")?;
/// assert_eq!(provider.name(), "openai");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Http {
    settings: Settings,
    speech: &'static Speech,
}

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(5);

/// How one protocol writes a conversation, and reads an answer.
#[derive(Debug)]
struct Speech {
    provider: &'static str,
    write: fn(&Request) -> Value,
    read: fn(&Map) -> Option<Reply>,
}

/// Every protocol.
static SPEECHES: &[Speech] = &[
    Speech {
        provider: "anthropic",
        write: anthropic,
        read: of_anthropic,
    },
    Speech {
        provider: "openai",
        write: openai,
        read: of_openai,
    },
];

impl Http {
    /// Makes a provider of what is configured.
    pub fn new(settings: Settings) -> Option<Self> {
        let id = settings.provider.id;
        let speech = SPEECHES.iter().find(|speech| speech.provider == id)?;
        Some(Self { settings, speech })
    }

    /// Returns the configured model.
    pub fn model(&self) -> &str {
        &self.settings.model
    }
}

impl Provider for Http {
    fn name(&self) -> &str {
        self.settings.provider.id
    }

    fn answer(&self, request: &Request) -> Result<Reply, ProviderError> {
        match post(&self.settings, &(self.speech.write)(request), PATIENCE) {
            Ok(answer) => (self.speech.read)(&answer).ok_or_else(|| {
                ProviderError::Finally("the server sent no message of a model".into())
            }),
            Err(Failed::Again(error, wait)) => Err(ProviderError::Again {
                what: error.told(),
                wait,
            }),
            Err(Failed::Form(error) | Failed::Finally(error)) => Err(match error.told() {
                told if TOO_LONG.iter().any(|sign| told.contains(sign)) => ProviderError::TooLong,
                told => ProviderError::Finally(told),
            }),
        }
    }
}

/// How servers say that a conversation does not fit.
const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "context_length_exceeded",
    "maximum context length",
    "exceeds the available context size",
];

fn anthropic(request: &Request) -> Value {
    let block = |block: &Block| match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Call(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
        }
        Block::Answer { id, text, failed } => {
            json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed})
        }
    };
    let turn = |turn: &Turn| {
        let role = match turn.side {
            Side::Person => "user",
            Side::Model => "assistant",
        };
        let blocks: Vec<Value> = turn.blocks.iter().map(block).collect();
        json!({"role": role, "content": blocks})
    };
    let turns: Vec<Value> = request.turns.iter().map(turn).collect();
    let mut body = body(
        request,
        &turns,
        |tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}),
    );
    set(&mut body, "max_tokens", request.max_tokens);
    if !request.system.is_empty() {
        set(&mut body, "system", request.system.as_str());
    }
    body
}

/// What both protocols say in the same words.
fn body(request: &Request, messages: &[Value], tool: impl Fn(&ToolSpec) -> Value) -> Value {
    let mut body = json!({"model": request.model, "messages": messages});
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        set(&mut body, "tools", tools);
    }
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    body
}

fn of_anthropic(answer: &Map) -> Option<Reply> {
    let mut reply = Reply::default();
    for block in answer.get("content")?.as_array()? {
        let text = |field: &str| block.get(field).and_then(Value::as_str);
        match text("type") {
            Some("text") => reply.text.push_str(text("text")?),
            Some("tool_use") => reply.calls.push(Call {
                id: text("id")?.to_owned(),
                name: text("name")?.to_owned(),
                input: block.get("input")?.as_object()?.clone(),
            }),
            _ => {}
        }
    }
    // The call in which the answer was cut off has some of its arguments, and looks whole.
    let is_cut = answer.get("stop_reason").and_then(Value::as_str) == Some("max_tokens");
    if let (true, Some(call)) = (is_cut, reply.calls.last_mut()) {
        call.input = Map::from_iter([("unreadable".into(), "the answer was cut off".into())]);
    }
    let used = |field: &str| answer.get("usage")?.get(field)?.as_u64();
    let read = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    reply.usage = Usage {
        input: read.iter().filter_map(|field| used(field)).sum(),
        output: used("output_tokens").unwrap_or_default(),
    };
    Some(reply)
}

fn openai(request: &Request) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for turn in &request.turns {
        messages.extend(match turn.side {
            Side::Person => of_person(turn),
            Side::Model => vec![of_model(turn)],
        });
    }
    let mut body = body(request, &messages, |tool| {
        let function =
            json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
        json!({"type": "function", "function": function})
    });
    set(&mut body, "stream", false);
    set(&mut body, "max_completion_tokens", request.max_tokens);
    body
}

/// Answers are messages of their own there, and texts are one message together.
fn of_person(turn: &Turn) -> Vec<Value> {
    let mut said = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    for block in &turn.blocks {
        match block {
            Block::Answer { id, text, .. } => {
                said.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
            }
            Block::Text(text) => texts.push(text),
            Block::Call(_) => {}
        }
    }
    if !texts.is_empty() {
        said.push(json!({"role": "user", "content": texts.join("\n\n")}));
    }
    said
}

fn of_model(turn: &Turn) -> Value {
    let mut texts: Vec<&str> = Vec::new();
    let mut calls = Vec::new();
    for block in &turn.blocks {
        match block {
            Block::Text(text) => texts.push(text),
            Block::Call(call) => {
                let arguments = Value::Object(call.input.clone()).to_string();
                let function = json!({"name": call.name, "arguments": arguments});
                calls.push(json!({"id": call.id, "type": "function", "function": function}));
            }
            Block::Answer { .. } => {}
        }
    }
    let mut said = json!({"role": "assistant", "content": texts.join("\n\n")});
    if !calls.is_empty() {
        set(&mut said, "tool_calls", Value::from(calls));
    }
    said
}

fn of_openai(answer: &Map) -> Option<Reply> {
    let message = answer.get("choices")?.get(0)?.get("message")?;
    let text = message
        .get("content")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let call = |call: &Value| {
        let function = call.get("function")?;
        // What is no JSON is told to the hooks and to the tool as it came; neither will find its argument there.
        let raw = function.get("arguments")?.as_str()?;
        let input = serde_json::from_str(raw)
            .unwrap_or_else(|_| Map::from_iter([("unreadable".into(), raw.into())]));
        Some(Call {
            id: call.get("id")?.as_str()?.to_owned(),
            name: function.get("name")?.as_str()?.to_owned(),
            input,
        })
    };
    let calls: Option<Vec<Call>> =
        calls.map_or(Some(Vec::new()), |all| all.iter().map(call).collect());
    let used = |field: &str| answer.get("usage")?.get(field)?.as_u64();
    Some(Reply {
        text,
        calls: calls?,
        usage: Usage {
            input: used("prompt_tokens").unwrap_or_default(),
            output: used("completion_tokens").unwrap_or_default(),
        },
    })
}
