//! The beginning of a conversation: the session, what the model learns of the project, and the prompt.

use std::borrow::Cow;

use anyhook::core::event::Event;
use anyhook::session::SessionOrigin;
use serde_json::json;

use crate::agent::{Agent, Flow, GateOutcome};
use crate::message::ChatMessage;
use crate::order::EventOrder;
use crate::outcome::Finish;

impl Agent {
    /// The session, and the prompt.
    pub(crate) async fn begin(&mut self, prompt: &str) -> Flow<()> {
        let refused = if self.setup.order == EventOrder::Athena {
            self.begin_with_the_prompt(prompt).await?
        } else {
            self.start().await?;
            self.submit(prompt).await?
        };
        match refused {
            Some(why) => Err(Finish::Refused(why)),
            None => Ok(()),
        }
    }

    pub(crate) async fn start(&mut self) -> Flow<()> {
        if self.is_begun {
            return Ok(());
        }
        if !self.is_instructed {
            self.instruct().await?;
        }
        self.is_begun = true;
        let acted = if let Some(acted) = self.session.start(SessionOrigin::New).await {
            self.heard(acted)
        } else {
            // A session begins once; an agent that is run again has another one to tell of.
            let data = json!({"source": "resume"});
            self.emit("session:start", data).await
        };
        self.goes_on(&acted)
    }

    /// Tells the model who it is, and what the project says of itself.
    async fn instruct(&mut self) -> Flow<()> {
        let system = self.setup.system.clone();
        let mut texts = vec![(None, system)];
        let found = CONTEXTS
            .iter()
            .find_map(|name| Some((*name, self.root.read(name).ok()?)));
        if let Some((name, text)) = found {
            let size = text.len();
            texts.push((Some(name.to_owned()), text));
            self.tell("context:include", json!({"file_path": name, "size": size}))
                .await?;
        }
        let data = json!({
            "available_contexts": CONTEXTS,
            "selected_context": texts.iter().find_map(|(name, _)| name.as_deref()),
            "reason": "the first that the project has",
        });
        self.tell("decision:context_resolution", data).await?;
        // First of all, and before whatever hooks have said already.
        self.transcript.edit(|messages| {
            for (name, text) in texts.into_iter().rev().filter(|(_, text)| !text.is_empty()) {
                messages.insert(0, ChatMessage::System { text, name });
            }
        });
        self.is_instructed = true;
        Ok(())
    }

    /// Offers the prompt; returns why it was refused, if it was.
    pub(crate) async fn submit(&mut self, prompt: &str) -> Flow<Option<String>> {
        let parent = self.setup.session.parent.as_deref();
        let data = json!({
            "prompt": prompt, "original_prompt": prompt, "parent_session_id": parent,
        });
        let prompt = match self.gate("prompt:submit", data).await? {
            GateOutcome::Refused(why) => return Ok(Some(why)),
            GateOutcome::Open { event, .. } => text_of(&event, "prompt")?,
        };
        let data = json!({"prompt": prompt});
        let prompt = match self.gate("execution:start", data).await? {
            GateOutcome::Refused(why) => return Ok(Some(why)),
            GateOutcome::Open { event, .. } => text_of(&event, "prompt")?,
        };
        self.transcript.push(ChatMessage::User {
            text: prompt,
            name: None,
        });
        Ok(None)
    }
}

/// The files in which a project says how an agent is to work there.
const CONTEXTS: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Returns a text of an event as its hooks left it. What is no text any more is not what it was before either: a hook
/// wanted it to be something else.
pub(crate) fn text_of(event: &Event, field: &str) -> Flow<String> {
    let left = event.text(field).map(Cow::into_owned);
    left.ok_or_else(|| Finish::Unsendable(format!("`{field}` is no text")))
}
