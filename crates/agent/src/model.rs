//! One request to the model, and the hooks around it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhook::core::effects::Injection;
use anyhook::core::event::Event;
use anyhook::session::place;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::agent::{Agent, Flow, GateOutcome};
use crate::begin::text_of;
use crate::message::{ChatMessage, ToolUse, fresh};
use crate::outcome::Finish;
use crate::provider::{ProviderError, ProviderReply, ProviderRequest, ToolSpec};
use crate::tools::{SPECS, TOOLS};

/// How long is waited before a request is made again, where the server does not say; each time twice as long.
const PAUSE: Duration = Duration::from_millis(500);

/// No id of a call is longer.
const LONGEST_ID: usize = 256;

/// No server is waited for longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Agent {
    /// Asks the model: `PreIteration`, `ChatParams`, `provider:request`, the request, `provider:response`.
    pub(crate) async fn ask_model(&mut self) -> Flow<ProviderReply> {
        let iteration = json!({
            "iteration": self.turns, "session_id": self.session.id(),
            "unproductive_iterations": self.progress.unproductive,
            "fingerprint": self.progress.fingerprint(),
        });
        if let GateOutcome::Refused(why) = self.gate("athena:pre-iteration", iteration).await? {
            return Err(Finish::Denied(why));
        }
        self.turns += 1;
        self.transcript.edit(|all| self.progress.begin(all));
        let mut was_forced = false;
        loop {
            match self.request().await? {
                Some(reply) => return Ok(reply),
                None if was_forced => {
                    return Err(Finish::Provider(ProviderError::TooLong.to_string()));
                }
                None => {
                    was_forced = true;
                    self.compact_by_force().await?;
                }
            }
        }
    }

    /// Makes the request as the hooks want it, and sends it; nothing comes back where the conversation is too long.
    async fn request(&mut self) -> Flow<Option<ProviderReply>> {
        let mut draft = RequestDraft::default();
        self.add_new(&mut draft);
        let params = self.chat_params(&mut draft).await?;
        let data = json!({
            "provider": self.setup.provider.name(), "model": params.model,
            "messages": draft.messages, "input_count": draft.messages.len(), "iteration": self.turns,
        });
        let event = match self.gate("provider:request", data).await? {
            GateOutcome::Refused(why) => return Err(Finish::Denied(why)),
            GateOutcome::Open { event, .. } => event,
        };
        draft.messages = list(&event)?;
        self.add_new(&mut draft);
        let model = text_of(&event, "model")?;
        let request = sendable(&params, model, &draft.messages)?;
        self.offered = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let started = Instant::now();
        let answered = self.answered(&request).await;
        let Ok(Some(reply)) = answered else {
            // They were for this request, and it was not read.
            self.next.splice(0..0, draft.texts);
            return answered;
        };
        self.response(reply, started.elapsed()).await.map(Some)
    }

    /// Adds to a draft what it does not have yet: of the conversation, and of the texts that no conversation keeps.
    fn add_new(&mut self, draft: &mut RequestDraft) {
        let kept = self.transcript.edit(|all| {
            let new = all.iter().skip(draft.kept).map(ChatMessage::json);
            draft.messages.extend(new);
            all.len()
        });
        draft.kept = kept;
        let texts = std::mem::take(&mut self.next);
        place(&texts, &mut draft.messages);
        draft.texts.extend(texts);
    }

    /// Offers the request; a hook may change its parameters, and its messages.
    async fn chat_params(&mut self, draft: &mut RequestDraft) -> Flow<ChatParams> {
        let tools: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        let request = json!({
            "model": self.setup.model, "max_tokens": self.setup.limits.answer,
            "temperature": Value::Null, "tools": tools,
        });
        let data = json!({
            "request": request, "messages": draft.messages, "session_id": self.session.id(),
        });
        let event = match self.gate("athena:chat-params", data).await? {
            GateOutcome::Refused(why) => return Err(Finish::Denied(why)),
            GateOutcome::Open { event, .. } => event,
        };
        draft.messages = list(&event)?;
        self.add_new(draft);
        let request = event.get("request");
        let params = ChatParams::deserialize(request.as_deref().unwrap_or(&Value::Null));
        params.map_err(|error| Finish::Unsendable(format!("`request` cannot be read: {error}")))
    }

    /// Sends it, a few times if it has to be; nothing comes back where it is too long.
    async fn answered(&mut self, request: &ProviderRequest) -> Flow<Option<ProviderReply>> {
        let mut tries = 0;
        loop {
            self.still_wanted()?;
            let error = match self.ask(request)? {
                Ok(reply) => return Ok(Some(reply)),
                Err(error) => error,
            };
            let name = self.setup.provider.name().to_owned();
            let (again, pause) = match &error {
                ProviderError::TooLong => return Ok(None),
                ProviderError::Finally(_) => (false, Duration::ZERO),
                ProviderError::Again { wait, .. } => {
                    let pause = wait.unwrap_or(PAUSE * 2_u32.saturating_pow(tries));
                    (tries < self.setup.limits.retries, pause.min(LONGEST_PAUSE))
                }
            };
            tries += 1;
            if !again {
                let told = error.to_string();
                let data = json!({"provider": name, "error": told, "retryable": false});
                self.tell("provider:error", data).await?;
                return Err(Finish::Provider(told));
            }
            let data = json!({"provider": name, "attempt": tries, "delay": pause.as_secs_f64()});
            self.tell("provider:retry", data).await?;
            self.setup.cancel.pause(pause);
        }
    }

    /// Tells what the model answered, and takes it as the hooks left it.
    async fn response(&mut self, reply: ProviderReply, took: Duration) -> Flow<ProviderReply> {
        self.spent.add(reply.usage);
        let said = ChatMessage::Assistant {
            text: reply.text,
            calls: self.distinct(reply.calls),
        };
        let usage = reply.usage;
        let data = json!({
            "provider": self.setup.provider.name(), "response": said.json(),
            "usage": {"input": usage.input, "output": usage.output}, "tokens_used": usage.tokens(),
            "tool_calls": matches!(&said, ChatMessage::Assistant { calls, .. } if !calls.is_empty()),
            "duration_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        });
        let event = self.tell("provider:response", data).await?;
        let left = event.get("response").map(Cow::into_owned);
        let left = ChatMessage::list(left.as_slice());
        let Ok([ChatMessage::Assistant { text, calls }]) = left.as_deref() else {
            return Err(Finish::Unsendable(
                "`response` is no message of the model".into(),
            ));
        };
        let calls = self.distinct(calls.clone());
        let text = text.clone();
        self.transcript.push(ChatMessage::Assistant {
            text: text.clone(),
            calls: calls.clone(),
        });
        Ok(ProviderReply { text, calls, usage })
    }
}

impl Agent {
    /// Asks the provider, unless the run is cancelled meanwhile. One that panics has failed.
    pub(crate) fn ask(
        &self,
        request: &ProviderRequest,
    ) -> Flow<Result<ProviderReply, ProviderError>> {
        let (provider, request) = (Arc::clone(&self.setup.provider), request.clone());
        let ask = move || catch_unwind(AssertUnwindSafe(|| provider.answer(&request)));
        match self.setup.cancel.unless(ask) {
            Ok(Some(asked)) => Ok(asked
                .unwrap_or_else(|_| Err(ProviderError::Finally("the provider panicked".into())))),
            Ok(None) => Err(Finish::Cancelled),
            Err(error) => {
                let what = format!("it could not be asked: {error}");
                Ok(Err(ProviderError::Finally(what)))
            }
        }
    }

    /// Gives each call of a reply an id of its own in this conversation.
    fn distinct(&self, calls: Vec<ToolUse>) -> Vec<ToolUse> {
        if calls.is_empty() {
            return calls;
        }
        let taken = self.transcript.edit(|all| {
            let of = all.iter().flat_map(|message| match message {
                ChatMessage::Assistant { calls, .. } => calls.as_slice(),
                _ => &[],
            });
            of.map(|call| call.id.clone()).collect()
        });
        distinct(calls, taken)
    }
}

/// A request in the making.
#[derive(Default)]
struct RequestDraft {
    messages: Vec<Value>,
    /// How many messages of the conversation it has.
    kept: usize,
    /// The texts in it that no conversation keeps.
    texts: Vec<Injection>,
}

/// Returns the messages of an event, as its hooks left them.
fn list(event: &Event) -> Flow<Vec<Value>> {
    match event.get("messages").as_deref() {
        Some(Value::Array(all)) => Ok(all.clone()),
        _ => Err(Finish::Unsendable("`messages` is no list".into())),
    }
}

fn sendable(params: &ChatParams, model: String, messages: &[Value]) -> Flow<ProviderRequest> {
    let messages = ChatMessage::list(messages).map_err(Finish::Unsendable)?;
    let offered = |tool: &&ToolSpec| params.tools.contains(&tool.name);
    Ok(ProviderRequest {
        model,
        messages,
        tools: SPECS.iter().filter(offered).cloned().collect(),
        max_tokens: params.max_tokens,
        temperature: params.temperature,
    })
}

/// What hooks may change about a request besides its messages.
#[derive(Deserialize)]
struct ChatParams {
    model: String,
    max_tokens: u64,
    temperature: Option<f64>,
    tools: Vec<String>,
}

/// Gives each of these calls an id that no other call of the conversation has: a model may repeat itself, and servers
/// refuse a conversation in which two calls are one. An id of unreasonable length is not the model's any more.
fn distinct(calls: Vec<ToolUse>, mut taken: BTreeSet<String>) -> Vec<ToolUse> {
    let rename = |mut call: ToolUse| {
        let wanted = match &*call.id {
            id if id.is_empty() || id.len() > LONGEST_ID => "call",
            id => id,
        };
        call.id = fresh(wanted, &mut taken);
        call
    };
    calls.into_iter().map(rename).collect()
}
