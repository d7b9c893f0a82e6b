//! The loop. Read this file to learn where each hook belongs.
//!
//! ```text
//! session:start                       once per conversation        begin.rs
//! └─ prompt:submit, execution:start   the prompt may be refused, or rewritten
//!    ├─ context:pre_compact …         where the conversation has become too long      compact.rs
//!    ├─ PreIteration, ChatParams, provider:request, provider:response                 model.rs
//!    ├─ for each call: tool:pre → permission → the tool → tool:post or tool:error     calls.rs
//!    └─ stop                          hooks may send the agent back to work
//! session:end                                                      end.rs
//! ```
//!
//! A step either goes on or ends the run: `Flow` is a result whose error is the [`Finish`]. Where a run can be cancelled
//! stands in [`cancel`](crate::cancel); where the original's order is another one, in [`order`](crate::order).

use anyhook::registry::wait;
use serde_json::json;

use crate::agent::{Agent, Flow, GateOutcome};
use crate::message::ChatMessage;
use crate::outcome::{Finish, RunOutcome};
use crate::progress::Progress;
use crate::provider::ProviderReply;

impl Agent {
    /// Works on one prompt. The session begins with the first; it does not end with the last.
    pub fn turn(&mut self, prompt: &str) -> RunOutcome {
        wait(self.turn_here(prompt))
    }

    /// Does so as a part of a run.
    pub(crate) async fn turn_here(&mut self, prompt: &str) -> RunOutcome {
        (self.turns, self.turns_below) = (0, 0);
        self.progress = Progress::default();
        let mut said = String::new();
        let finish = match self.work(prompt, &mut said).await {
            Ok(()) => Finish::Stop,
            Err(finish) => finish,
        };
        let outcome = RunOutcome {
            finish,
            text: said,
            turns: self.turns,
            usage: self.spent,
        };
        self.conclude(&outcome).await;
        outcome
    }

    async fn work(&mut self, prompt: &str, said: &mut String) -> Flow<()> {
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
            self.transcript.edit(|all| self.progress.weigh(all));
        }
    }

    /// Ends the run if it was cancelled.
    pub(crate) fn still_wanted(&self) -> Flow<()> {
        if self.setup.cancel.is_now() {
            return Err(Finish::Cancelled);
        }
        Ok(())
    }

    fn within_limits(&self) -> Flow<()> {
        let most = self.setup.limits.turns;
        if self.turns_used() >= most {
            return Err(Finish::Turns(most));
        }
        Ok(())
    }

    /// Returns how often a model was asked about this prompt, by this agent and by those that it started.
    pub(crate) fn turns_used(&self) -> u32 {
        self.turns.saturating_add(self.turns_below)
    }

    /// Whether the agent may stop now. What refuses it is said to the model, which goes on.
    async fn may_stop(&mut self, reply: &ProviderReply, refused: u32) -> Flow<bool> {
        let data = json!({
            "stop_hook_active": refused > 0,
            "last_assistant_message": reply.text,
            "finish_reason": Finish::Stop.as_str(),
            "result": reply.text,
        });
        let acted = self.gate("stop", data).await?;
        match acted {
            GateOutcome::Refused(why) if refused < self.setup.limits.stop_refusals => {
                self.transcript.push(ChatMessage::User {
                    text: why,
                    name: None,
                });
                Ok(false)
            }
            GateOutcome::Refused(_) | GateOutcome::Open { .. } => Ok(true),
        }
    }
}
