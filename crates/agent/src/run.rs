//! The loop. Read this file to learn where each hook belongs.
//!
//! ```text
//! session:start                       once per conversation
//! └─ prompt:submit, execution:start   the prompt may be refused, or rewritten
//!    ├─ context:pre_compact …         where the conversation has become too long
//!    ├─ PreIteration, ChatParams, provider:request, provider:response
//!    ├─ for each call: tool:pre → permission → the tool → tool:post or tool:error
//!    └─ stop                          hooks may send the agent back to work
//! session:end
//! ```

use std::borrow::Cow;

use anyhook::core::event::Event;
use anyhook::session::Begins;
use serde_json::{Value, json};

use crate::agent::{Agent, Gated, Goes};
use crate::message::Message;
use crate::outcome::{Finish, Outcome};
use crate::provider::Reply;

impl Agent {
    /// Works on one prompt. The session begins with the first; it does not end with the last.
    pub fn turn(&mut self, prompt: &str) -> Outcome {
        let prompt = prompt.to_owned();
        self.carried(move |agent| Box::pin(async move { agent.turn_here(&prompt).await }))
    }

    /// Does so as a part of what is carried already.
    pub(crate) async fn turn_here(&mut self, prompt: &str) -> Outcome {
        (self.turns, self.turns_below) = (0, 0);
        let mut said = String::new();
        let finish = match self.work(prompt, &mut said).await {
            Ok(()) => Finish::Stop,
            Err(finish) => finish,
        };
        let outcome = Outcome {
            finish,
            text: said,
            turns: self.turns,
            usage: self.spent,
        };
        self.conclude(&outcome).await;
        outcome
    }

    async fn work(&mut self, prompt: &str, said: &mut String) -> Goes<()> {
        self.begin(prompt).await?;
        let mut refused = 0;
        loop {
            self.still_wanted()?;
            self.within_limits()?;
            self.compact_if_long().await?;
            let reply = self.ask_model().await?;
            said.clone_from(&reply.text);
            if !reply.calls.is_empty() {
                self.call_all(reply.calls).await?;
            } else if self.may_stop(&reply, refused).await? {
                return Ok(());
            } else {
                refused += 1;
            }
        }
    }

    /// The session, and the prompt.
    async fn begin(&mut self, prompt: &str) -> Goes<()> {
        let refused = if self.setup.order.prompt_first {
            let refused = self.submit(prompt).await;
            // The original starts a session for each prompt, also for one that it does not work on.
            self.is_begun = false;
            self.start().await?;
            refused?
        } else {
            self.start().await?;
            self.submit(prompt).await?
        };
        if let Some(why) = refused {
            return Err(Finish::Refused(why));
        }
        Ok(())
    }

    async fn start(&mut self) -> Goes<()> {
        if self.is_begun {
            return Ok(());
        }
        if !self.is_instructed {
            self.instruct().await?;
        }
        self.is_begun = true;
        let acted = match self.session.start(Begins::New).await {
            Some(acted) => self.heard(acted),
            // A session begins once; an agent that is run again has another one to tell of.
            None => {
                self.emit("session:start", json!({"source": "resume"}))
                    .await
            }
        };
        self.halted(&acted)
    }

    /// Tells the model who it is, and what the project says of itself.
    async fn instruct(&mut self) -> Goes<()> {
        let system = self.setup.system.clone();
        let mut texts = vec![(None, system)];
        let found = CONTEXTS
            .iter()
            .find_map(|name| Some((*name, self.root.text(name)?)));
        if let Some((name, text)) = found {
            let size = text.len();
            texts.push((Some(name.to_owned()), text));
            self.tell("context:include", json!({"file_path": name, "size": size}))
                .await?;
        }
        let data = json!({
            "available_contexts": CONTEXTS,
            "selected_context": found_name(&texts),
            "reason": "the first that the project has",
        });
        self.tell("decision:context_resolution", data).await?;
        // First of all, and before whatever hooks have said already.
        self.transcript.edit(|messages| {
            for (name, text) in texts.into_iter().rev().filter(|(_, text)| !text.is_empty()) {
                messages.insert(0, Message::System { text, name });
            }
        });
        self.is_instructed = true;
        Ok(())
    }

    /// Offers the prompt; returns why it was refused, if it was.
    async fn submit(&mut self, prompt: &str) -> Goes<Option<String>> {
        let parent = self.setup.session.parent.as_deref();
        let data = json!({
            "prompt": prompt, "original_prompt": prompt, "parent_session_id": parent,
        });
        let prompt = match self.gate("prompt:submit", data).await? {
            Gated::Refused(why) => return Ok(Some(why)),
            Gated::Open { event, .. } => text_of(&event, "prompt")?,
        };
        let prompt = match self
            .gate("execution:start", json!({"prompt": prompt}))
            .await?
        {
            Gated::Refused(why) => return Ok(Some(why)),
            Gated::Open { event, .. } => text_of(&event, "prompt")?,
        };
        self.transcript.push(Message::User {
            text: prompt,
            name: None,
        });
        Ok(None)
    }

    /// Returns how often a model was asked about this prompt, by this agent and by those that it started.
    pub(crate) fn turns_used(&self) -> u32 {
        self.turns.saturating_add(self.turns_below)
    }

    fn within_limits(&self) -> Goes<()> {
        let limits = &self.setup.limits;
        if self.turns_used() >= limits.turns {
            return Err(Finish::Turns(limits.turns));
        }
        if limits
            .cost
            .is_some_and(|most| limits.price.of(self.spent) >= most)
        {
            return Err(Finish::Cost);
        }
        Ok(())
    }

    /// Whether the agent may stop now. What refuses it is said to the model, which goes on.
    async fn may_stop(&mut self, reply: &Reply, refused: u32) -> Goes<bool> {
        let data = json!({
            "stop_hook_active": refused > 0,
            "last_assistant_message": reply.text,
            "finish_reason": Finish::Stop.as_str(),
            "result": reply.text,
        });
        let acted = self.gate("stop", data).await?;
        match acted {
            Gated::Refused(why) if refused < self.setup.limits.stop_refusals => {
                self.transcript.push(Message::User {
                    text: why,
                    name: None,
                });
                Ok(false)
            }
            Gated::Refused(_) | Gated::Open { .. } => Ok(true),
        }
    }

    /// Tells how the work on a prompt ended. Nothing that is said here changes it.
    async fn conclude(&mut self, outcome: &Outcome) {
        let Outcome { finish, text, .. } = outcome;
        let told = finish.told();
        if *finish == Finish::Cancelled {
            self.tell_last(
                "cancel:requested",
                json!({"immediate": false, "turn_count": outcome.turns}),
            )
            .await;
            self.tell_last("cancel:completed", json!({"was_immediate": false}))
                .await;
        }
        if finish.is_failure() {
            self.tell_last("error:orchestration", json!({"error": told}))
                .await;
        }
        if !finish.is_good() {
            let data = json!({
                "error": told, "finish_reason": finish.as_str(),
                "last_assistant_message": text, "result": text,
            });
            self.tell_last("stop-failure", data).await;
        } else if let Finish::Submitted(what) = finish {
            let data = json!({"finish_reason": finish.as_str(), "result": what, "stop_hook_active": false});
            self.tell_last("stop", data).await;
        }
        let (complete, execution) = match finish {
            finish if finish.is_good() => ("success", "completed"),
            Finish::Cancelled => ("cancelled", "cancelled"),
            _ => ("incomplete", "error"),
        };
        let data = json!({
            "orchestrator": "anyhook-agent", "turn_count": outcome.turns,
            "status": complete, "final_message": text,
        });
        self.tell_last("orchestrator:complete", data).await;
        self.tell_last(
            "execution:end",
            json!({"response": text, "status": execution}),
        )
        .await;
        if finish.is_good() {
            self.tell_last("prompt:complete", json!({"response": text}))
                .await;
        }
    }

    /// Ends the session: cleanups run, and nothing more is emitted.
    pub fn end(&mut self, outcome: &Outcome) {
        let outcome = outcome.clone();
        self.carried(move |agent| Box::pin(async move { agent.end_here(&outcome).await }));
    }

    /// Does so as a part of what is carried already.
    pub(crate) async fn end_here(&mut self, outcome: &Outcome) {
        let parent = self.setup.session.parent.as_deref();
        let finish = outcome.finish.as_str();
        let data = json!({
            "reason": finish, "finish_reason": finish,
            "result": outcome.text, "parent_session_id": parent,
        });
        match self.session.end_with(data.clone()).await.acted {
            Some(acted) => drop(self.heard(acted)),
            None => self.tell_last("session:end", data).await,
        }
        self.is_begun = false;
    }
}

/// The files in which a project says how an agent is to work there.
const CONTEXTS: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

fn found_name(texts: &[(Option<String>, String)]) -> Value {
    let name = texts.iter().find_map(|(name, _)| name.as_deref());
    name.map_or(Value::Null, Value::from)
}

/// Returns a text of an event as its hooks left it. What is no text any more is not what it was before either: a hook
/// wanted it to be something else.
pub(crate) fn text_of(event: &Event, field: &str) -> Goes<String> {
    let left = event.text(field).map(Cow::into_owned);
    left.ok_or_else(|| Finish::Unsendable(format!("`{field}` is no text")))
}
