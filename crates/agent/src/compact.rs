//! Making a conversation shorter, in stages: the next stage runs only if the one before was not enough.

use serde_json::{Value, json};

use crate::agent::{Agent, Flow, GateOutcome};
use crate::begin::text_of;
use crate::message::ChatMessage;
use crate::provider::ProviderRequest;

/// What a stage does to the messages alone; one without it asks the model for a summary.
type MessageEdit = fn(&mut [ChatMessage]);

/// Every stage, the gentlest first.
static STAGES: &[(&str, Option<MessageEdit>)] = &[
    ("budget_reduction", Some(cut_results)),
    ("observation_mask", Some(mask_results)),
    ("summary", None),
];

/// A result of a tool is cut to so many bytes at each end.
const ENDS: usize = 1024;

/// So many of the last results are left whole.
const FRESH: usize = 4;

/// So many of the last messages are left as they are.
const RECENT: usize = 8;

/// How the model is asked for a summary.
const ASK: &str = "Summarise the conversation so far for yourself: what is wanted, what was done, what was found, what is \
                   left to do. Name files and decisions. Write nothing else.";

impl Agent {
    /// Makes the conversation shorter if it has grown too long.
    pub(crate) async fn compact_if_long(&mut self) -> Flow<()> {
        let tokens = self.tokens();
        // Where it did not help, it is not tried again before there is a good deal more to leave out.
        let most = self.setup.limits.threshold().max(self.compact_over);
        if tokens <= most {
            return Ok(());
        }
        self.compact(false).await?;
        let after = self.tokens();
        self.compact_over = after.saturating_add(after / 8);
        Ok(())
    }

    /// Makes it shorter because a provider did not take it: every stage runs.
    pub(crate) async fn compact_by_force(&mut self) -> Flow<()> {
        self.compact(true).await
    }

    async fn compact(&mut self, force: bool) -> Flow<()> {
        let before = self.tokens();
        let messages = self.transcript.messages().len();
        let most = self.setup.limits.window;
        let estimate = |tokens: u64| json!({"tokens": tokens, "max_tokens": most, "force": force});
        let data = json!({
            "trigger": "auto", "estimate": estimate(before), "message_count": messages, "token_count": before,
        });
        if let GateOutcome::Refused(_) = self.gate("context:pre_compact", data).await? {
            return Ok(());
        }
        let target = self.setup.limits.threshold() / 4 * 3;
        let mut applied = Vec::new();
        let mut dropped = 0;
        for (stage, edit) in STAGES {
            let tokens = self.tokens();
            if !force && tokens <= target {
                break;
            }
            let data = json!({"stage": stage, "estimate": estimate(tokens)});
            self.tell("athena:pre-compact-stage", data).await?;
            match edit {
                Some(edit) => self.transcript.edit(|messages| edit(messages)),
                None => dropped += summarise(self).await?,
            }
            if self.tokens() < tokens {
                applied.push(stage);
            }
        }
        let after = self.tokens();
        if after >= before {
            return Ok(());
        }
        let data = json!({
            "trigger": "auto",
            "message_count": self.transcript.messages().len(),
            "token_count": after,
            "metadata": {
                "before": before, "after": after, "dropped_count": dropped, "stages_applied": applied,
                "reason": if force { "the provider did not take it" } else { "it has grown too long" },
            },
        });
        self.tell("context:post_compact", data).await.map(drop)
    }

    fn tokens(&self) -> u64 {
        self.transcript.edit(|messages| tokens(messages))
    }
}

/// Returns how many tokens these messages are likely to be.
///
/// ```
/// use anyhook_agent::compact::tokens;
/// use anyhook_agent::message::ChatMessage;
/// let said = ChatMessage::User { text: "12345678".into(), name: None };
/// assert!(tokens(&[said.clone(), said.clone()]) > tokens(&[said]));
/// ```
pub fn tokens(messages: &[ChatMessage]) -> u64 {
    let one = |message: &ChatMessage| anyhook::session::tokens(&message.json().to_string());
    messages.iter().map(one).sum()
}

/// Cuts the middle out of long results.
fn cut_results(messages: &mut [ChatMessage]) {
    for message in messages {
        if let ChatMessage::Tool { text, .. } = message
            && text.len() > 4 * ENDS
        {
            let head = text.get(..text.floor_char_boundary(ENDS));
            let tail = text.get(text.ceil_char_boundary(text.len() - ENDS)..);
            let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
            let left_out = text.len() - head.len() - tail.len();
            *text = format!("{head}\n[{left_out} bytes were left out]\n{tail}");
        }
    }
}

/// Leaves old results out.
fn mask_results(messages: &mut [ChatMessage]) {
    let results = messages
        .iter_mut()
        .rev()
        .filter_map(|message| match message {
            ChatMessage::Tool { text, .. } => Some(text),
            _ => None,
        });
    for text in results.skip(FRESH) {
        let note = "[the result was left out; call the tool again if it is needed]";
        if text.len() > note.len() {
            note.clone_into(text);
        }
    }
}

/// Puts a summary by the model in the place of what is old; if there is none, what is old goes away.
async fn summarise(agent: &mut Agent) -> Flow<usize> {
    let messages = agent.transcript.messages();
    let head = messages
        .iter()
        .take_while(|message| matches!(message, ChatMessage::System { .. }))
        .count();
    let recent = messages.len().saturating_sub(RECENT);
    let is_cut = |at: &usize| {
        let is_turn = |message: &ChatMessage| {
            matches!(
                message,
                ChatMessage::User { .. } | ChatMessage::Assistant { .. }
            )
        };
        messages.get(*at).is_some_and(is_turn) && is_whole(messages.get(..*at).unwrap_or_default())
    };
    let Some(cut) = (head + 1..=recent).rev().find(is_cut) else {
        return Ok(0);
    };
    let old = messages.get(head..cut).unwrap_or_default();
    let note = match summary(agent, old).await? {
        Some(summary) => format!("What happened before, in short:\n{summary}"),
        None => format!("[{} older messages were left out]", old.len()),
    };
    let dropped = old.len();
    agent.transcript.edit(|messages| {
        let note = ChatMessage::User {
            text: note,
            name: Some("summary".into()),
        };
        messages.splice(head..cut, [note]);
    });
    Ok(dropped)
}

/// Tells whether every call of these messages has its answer among them.
fn is_whole(messages: &[ChatMessage]) -> bool {
    let turn = messages.iter().rev().find_map(|message| match message {
        ChatMessage::Assistant { calls, .. } if !calls.is_empty() => Some(calls),
        _ => None,
    });
    turn.is_none_or(|calls| {
        calls.iter().all(|call| {
            let answers =
                |message: &ChatMessage| matches!(message, ChatMessage::Tool { id, .. } if *id == call.id);
            messages.iter().rev().any(answers)
        })
    })
}

/// Asks the model, and the hooks before: what goes to a provider goes past them.
async fn summary(agent: &mut Agent, old: &[ChatMessage]) -> Flow<Option<String>> {
    let mut asked: Vec<Value> = old.iter().map(ChatMessage::json).collect();
    asked.push(json!({"role": "user", "content": ASK}));
    let data = json!({
        "provider": agent.setup.provider.name(), "model": agent.setup.model,
        "messages": asked, "input_count": asked.len(),
    });
    let GateOutcome::Open { event, .. } = agent.gate("provider:request", data).await? else {
        return Ok(None);
    };
    let left = event.get("messages");
    let left = left.as_deref().and_then(Value::as_array);
    let Some(Ok(messages)) = left.map(|all| ChatMessage::list(all)) else {
        return Ok(None);
    };
    let Ok(model) = text_of(&event, "model") else {
        return Ok(None);
    };
    let request = ProviderRequest {
        model,
        messages,
        max_tokens: agent.setup.limits.answer,
        ..ProviderRequest::default()
    };
    agent.still_wanted()?;
    let reply = match agent.ask(&request)? {
        Ok(reply) => reply,
        Err(error) => {
            let data = json!({
                "provider": agent.setup.provider.name(), "error": error.to_string(), "retryable": false,
            });
            agent.tell("provider:error", data).await?;
            return Ok(None);
        }
    };
    agent.spent.add(reply.usage);
    let tokens = reply.usage.tokens();
    let data = json!({
        "provider": agent.setup.provider.name(), "tokens_used": tokens, "tool_calls": false,
        "response": {"role": "assistant", "content": reply.text},
    });
    agent.tell("provider:response", data).await?;
    Ok(Some(reply.text).filter(|text| !text.trim().is_empty()))
}
