//! The permission of a call: the lists and the phase, then hooks, then a person.

use serde_json::{Value, json};

use anyhook::core::event::Event;

use crate::agent::{Agent, Flow, GateOutcome};
use crate::calls::{about, input_of};
use crate::fields::with;
use crate::message::ToolUse;
use crate::outcome::Finish;
use crate::permissions::{Denial, Gate, Permission};
use crate::tools::ToolKind;

impl Agent {
    /// Asks the permissions about a call; returns why it is refused, if it is.
    pub(crate) async fn permit(
        &mut self,
        call: &mut ToolUse,
        kind: ToolKind,
        approved: bool,
    ) -> Flow<Option<String>> {
        match self.setup.permissions.gate(&call.name, kind) {
            Gate::Open => Ok(None),
            Gate::Denied(denial) => self.refused_by(call, denial).await,
            Gate::Asks if approved => Ok(None),
            Gate::Asks => self.ask_permission(call).await,
        }
    }

    async fn ask_permission(&mut self, call: &mut ToolUse) -> Flow<Option<String>> {
        match self.gate("approval:required", about(call)).await? {
            GateOutcome::Refused(why) => {
                self.denied(call, &why, None).await?;
                return Ok(Some(format!("denied by a hook: {why}")));
            }
            GateOutcome::Open { event, approved } => {
                if let Some(why) = self.rewritten(call, &event).await? {
                    return Ok(Some(why));
                }
                if approved {
                    return self.granted(call, "a hook").await;
                }
            }
        }
        self.ask_person(call).await
    }

    /// Asks the approver of this run, and reports that it waits; returns why the call is refused, if it is.
    pub(crate) async fn ask_person(&mut self, call: &ToolUse) -> Flow<Option<String>> {
        let permissions = self.setup.permissions.clone();
        if permissions.can_use_tool.is_some() {
            let message = format!("`{}` waits for your permission", call.name);
            let data = json!({"message": message, "notification_type": "permission_prompt"});
            self.tell("user:notification", data).await?;
        }
        let asked = call.clone();
        let answer = self.setup.cancel.unless(move || permissions.asks(&asked));
        let permission = match answer {
            Ok(Some(permission)) => permission,
            Ok(None) => return Err(Finish::Cancelled),
            Err(_) => Permission::Deny(Denial::not_asked(call)),
        };
        match permission {
            Permission::Allow => self.granted(call, "the person").await,
            Permission::Deny(denial) => self.refused_by(call, denial).await,
            Permission::Halt(why) => Err(Finish::Halted(why)),
        }
    }

    pub(crate) async fn refused_by(
        &mut self,
        call: &ToolUse,
        denial: Denial,
    ) -> Flow<Option<String>> {
        let why = denial.reason.clone();
        self.denied(call, &why, Some(denial)).await?;
        Ok(Some(why))
    }

    /// Takes over what a hook of the permission rewrote. No guard has looked at this call yet, so it goes past the guards of
    /// the call again, and has to stay as it is; returns why it is refused, if it is.
    async fn rewritten(&mut self, call: &mut ToolUse, event: &Event) -> Flow<Option<String>> {
        let input = input_of(event);
        if input == call.input {
            return Ok(None);
        }
        call.input = input;
        let why = match self.gate("tool:pre", about(call)).await? {
            GateOutcome::Open { event, .. } if input_of(&event) == call.input => return Ok(None),
            GateOutcome::Open { .. } => "hooks do not agree on what is to be run".to_owned(),
            GateOutcome::Refused(why) => why,
        };
        self.denied(call, &why, None).await?;
        Ok(Some(format!("denied by a hook: {why}")))
    }

    async fn granted(&mut self, call: &ToolUse, by: &str) -> Flow<Option<String>> {
        let reason = json!({"reason": format!("permitted by {by}")});
        let data = with(about(call), reason);
        self.tell("approval:granted", data).await?;
        Ok(None)
    }

    /// Tells of a refusal, and counts equal ones.
    pub(crate) async fn denied(
        &mut self,
        call: &ToolUse,
        why: &str,
        denial: Option<Denial>,
    ) -> Flow<()> {
        let reason = denial.as_ref().map_or(json!(why), Denial::json);
        let reason = json!({"reason": reason, "arguments": call.input});
        let data = with(about(call), reason);
        self.tell("approval:denied", data.clone()).await?;
        if let Some(denial) = denial {
            let data = with(data, json!({"denial": denial}));
            self.tell("athena:tool-denied", data).await?;
        }
        let same = format!("{} {}", call.name, Value::Object(call.input.clone()));
        let times = match self.denied.take() {
            Some((last, times)) if last == same => times + 1,
            _ => 1,
        };
        self.denied = Some((same, times));
        if times >= self.setup.limits.equal_denials {
            return Err(Finish::Denials(format!("`{}`", call.name)));
        }
        Ok(())
    }
}
