//! The end of a run, and the hooks and people that are informed of it.

use anyhook::registry::wait;
use serde_json::json;

use crate::agent::Agent;
use crate::outcome::{Finish, RunOutcome};

impl Agent {
    /// Tells how the work on a prompt ended. Nothing that is said here changes it.
    pub(crate) async fn conclude(&mut self, outcome: &RunOutcome) {
        let RunOutcome { finish, text, .. } = outcome;
        let told = finish.told();
        if *finish == Finish::Cancelled {
            let data = json!({"immediate": false, "turn_count": outcome.turns});
            self.tell_last("cancel:requested", data).await;
            let data = json!({"was_immediate": false});
            self.tell_last("cancel:completed", data).await;
        }
        if finish.is_failure() {
            let data = json!({"error": told});
            self.tell_last("error:orchestration", data).await;
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
        let data = json!({"response": text, "status": execution});
        self.tell_last("execution:end", data).await;
        if finish.is_good() {
            let data = json!({"response": text});
            self.tell_last("prompt:complete", data).await;
        }
    }

    /// Ends the session: cleanups run, and nothing more is emitted.
    pub fn end(&mut self, outcome: &RunOutcome) {
        wait(self.end_here(outcome));
    }

    /// Does so as a part of a run.
    pub(crate) async fn end_here(&mut self, outcome: &RunOutcome) {
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
